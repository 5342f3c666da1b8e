// An error of the command: sentences wrap; a rule with the caret below it does not, or the caret would point elsewhere.

export function errorLines(text: string): { kept: boolean; text: string }[] {
  const blocks: { kept: boolean; text: string }[] = [];
  const add = (kept: boolean, line: string) => {
    const last = blocks.at(-1);
    if (kept && last?.kept) last.text += `\n${line}`;
    else blocks.push({ kept, text: line });
  };
  for (const line of text.split("\n")) {
    const caret = /^( {4,}\^)(?: (.*))?$/.exec(line);
    if (!caret) {
      if (line.trim()) add(line.startsWith("    "), line);
      continue;
    }
    add(true, caret[1]!);
    if (caret[2]) add(false, caret[2]);
  }
  return blocks;
}

export function ErrorBody({ text }: { text: string }) {
  return (
    <div class="errortext">
      {errorLines(text).map((block, k) =>
        block.kept ? <pre key={k} tabIndex={0} aria-label="rule">{block.text}</pre> : <p key={k}>{block.text}</p>)}
    </div>
  );
}
