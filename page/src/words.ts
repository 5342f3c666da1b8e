// The command speaks of its options. In the page there are fields and dropped files, so their names are put in.

const replaced: [RegExp, string][] = [
  [/^(.+): this is JSON without a model; its keys are .*$/m, '$1 is neither a model nor a schema: a schema has "boxwood_schema": 1 at its beginning.'],
  [/give it with --schema/g, "drop it together with the model and the rows"],
  [/^--rule, column/gm, "In a rule, column"],
  [/Give data or scales to make/g, "Give a schema with scales to make"],
];

export const pageWords = (text: string) => replaced.reduce((all, [from, to]) => all.replace(from, to), text);
