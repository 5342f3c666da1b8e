// The page in Chromium, opened from disk: what a newcomer does, every control, every panel, files of all
// libraries, hostile files, no network, accessibility, long searches, and the same answers as the command.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { address, browser, open, settled } from "./browser.mjs";
import { hardModel } from "./hard_model.mjs";
import { comparable, drawer, models, native, questions, root, rowsFor } from "./questions.mjs";

const command = resolve(process.env.BOXWOOD ?? join(root, "build/dev/bin/boxwood"));
const folder = mkdtempSync(join(tmpdir(), "boxwood-page-test-"));
const german = (name) => join(root, "examples/german_credit", name);
const axe = readFileSync(join(root, "page/node_modules/axe-core/axe.min.js"), "utf8");

let context;
before(async () => (context = await browser()));
after(() => context.close());

const text = (page, selector) => page.locator(selector).innerText();
const answerText = (page) => text(page, ".answer");
async function act(page, work) {
  await work();
  await page.waitForTimeout(30);
  await settled(page);
}
async function saved(page, work) {
  const [download] = await Promise.all([page.waitForEvent("download"), work()]);
  return readFileSync(await download.path());
}
async function drop(page, files) {
  await act(page, () => page.setInputFiles("input[type=file]", files));
}

test("opens from disk with the example and answers, without a network", async () => {
  await context.setOffline(true);
  const { page, requests, errors } = await open(context);
  assert.deepEqual(requests, []);
  assert.deepEqual(errors, []);
  assert.match(await text(page, "header"), /Your data stays in this browser/);
  assert.match(await text(page, "header"), /German credit \(example\)/);
  const shown = await answerText(page);
  assert.match(shown, /proven optimal/);
  assert.match(shown, /duration\s+45 months\s+44 months\s+at most 44 months/);
  assert.match(shown, /proven: no allowed change costs less/);
  const first = await page.evaluate(() => performance.getEntriesByName("boxwood-first-answer")[0].startTime);
  console.log(`first answer after ${Math.round(first)} ms`);
  assert.ok(first < 10_000, `first answer after ${first} ms`);
  await context.setOffline(false);
  await page.close();
});

test("the policy forbids connections and inline handlers", async () => {
  const { page } = await open(context);
  const refused = await page.evaluate(async () => {
    const tried = await Promise.allSettled([fetch("http://127.0.0.1:9/"), fetch("data:text/plain,x")]);
    return tried.every((one) => one.status === "rejected");
  });
  assert.ok(refused);
  const ran = await page.evaluate(async () => {
    const violations = [];
    const refused = new Promise((done) => {
      document.addEventListener("securitypolicyviolation", (event) => {
        violations.push(event.effectiveDirective);
        if (event.effectiveDirective === "img-src") done();
      });
    });
    const image = document.createElement("img");
    image.setAttribute("onerror", "window.evil = true");
    const broken = new Promise((done) => image.addEventListener("error", done));
    image.src = "data:,";
    document.body.append(image);
    new Image().src = "http://127.0.0.1:9/x.png";
    await Promise.all([refused, broken]);
    return { evil: window.evil === true, violations };
  });
  assert.equal(ran.evil, false);
  assert.ok(ran.violations.includes("img-src"), String(ran.violations));
  await page.close();
});

test("every control changes the question, and undo takes it back", async () => {
  const { page } = await open(context);
  const before = await answerText(page);
  await act(page, () => page.getByLabel("lock duration").click());
  assert.doesNotMatch(await text(page, ".answer table"), /duration/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());
  assert.equal((await answerText(page)).replace(/\d+ ms/g, ""), before.replace(/\d+ ms/g, ""));

  await act(page, () => page.getByLabel("duration, direction").selectOption("up"));
  assert.doesNotMatch(await text(page, ".answer table"), /44 months/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());

  await act(page, () => page.getByLabel("duration, at most").fill("30").then(() => page.keyboard.press("Tab")));
  assert.doesNotMatch(await text(page, ".answer table"), /44 months/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());

  await act(page, () => page.getByLabel("how hard a change of other debtors is").fill("4"));
  assert.doesNotMatch(await text(page, ".answer table"), /guarantor/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());

  await act(page, () => page.getByLabel("with probability at least").fill("0.8"));
  assert.match(await text(page, ".answer .headline"), /needed 0\.80/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());

  await act(page, () => page.locator("label", { hasText: "at most" }).locator("select").last().selectOption("2"));
  assert.equal(await page.locator(".answer tbody tr").count(), 2);
  await act(page, () => page.getByLabel("fewest changes first").check());
  assert.match(await answerText(page), /no single change works|1 feature|2 changes|proven/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());

  await act(page, () => page.getByLabel("fixed by the schema").first().click());
  assert.match(await text(page, ".lifted"), /credit history/);
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());
  await page.close();
});

test("rules in words, with the caret of an error", async () => {
  const { page } = await open(context);
  const rules = page.getByLabel("Rules in words");
  await act(page, () => rules.fill("duration <= twelve").then(() => rules.blur()));
  assert.match(await text(page, ".card.error pre"), /duration <= twelve\n +\^/);
  await act(page, () => rules.fill("duration <= 30 months").then(() => rules.blur()));
  assert.match(await answerText(page), /proven optimal/);
  // The examples are rules of this model. A rule is asked after a pause, and until then the answer says that it is without it.
  await rules.fill(await rules.getAttribute("placeholder"));
  assert.match(await answerText(page), /without the rules that you are typing/);
  await page.waitForFunction(() => !/that you are typing/.test(document.querySelector(".answer")?.textContent ?? ""));
  await settled(page);
  assert.equal(await page.locator(".card.error").count(), 0);
  await act(page, () => rules.fill("fix duration"));
  await page.waitForFunction(() => !/duration/.test(document.querySelector(".answer table").textContent));
  await settled(page);
  await page.close();
});

test("a row from the table, edited, with the prediction at once", async () => {
  const { page } = await open(context);
  await act(page, () => page.getByRole("button", { name: "applicant" }).click());
  await act(page, () => page.locator(".rows tbody button").nth(5).click());
  assert.match(await text(page, ".question h2"), /Applicant 4/);
  await act(page, () => page.locator(".rows thead button").last().click());
  assert.equal(await page.locator(".rows th[aria-sort=ascending]").count(), 1);
  const now = await text(page, ".standing");
  await act(page, () => page.getByLabel("duration, present value").fill("6").then(() => page.keyboard.press("Tab")));
  assert.notEqual(await text(page, ".standing"), now);
  assert.match(await text(page, ".rows"), /edited/);
  await act(page, () => page.getByLabel("savings, present value").selectOption({ index: 2 }));
  assert.equal(await page.locator("tr.edited").count(), 2);
  const csv = String(await saved(page, () => page.getByRole("button", { name: "Edited rows" }).click()));
  assert.match(csv.split("\n")[5], /,6,/);
  await page.close();
});

test("the wanted class stays when the row or a value changes", async () => {
  const { page } = await open(context);
  await act(page, () => page.locator(".rows tbody button").nth(1).click());
  assert.match(await text(page, ".standing"), /Now granted/);
  assert.equal(await page.locator(".want select").inputValue(), "granted");
  assert.match(await answerText(page), /already met[^]*has this outcome already/);
  await act(page, () => page.locator(".rows tbody button").nth(3).click());
  await act(page, () => page.getByLabel("duration, present value").fill("4").then(() => page.keyboard.press("Tab")));
  assert.equal(await page.locator(".want select").inputValue(), "granted");
  const value = page.getByLabel("duration, present value");
  for (const [typed, words] of [["-5", "below 4"], ["12.5", "not a whole number"], ["1e400", "not a number; 12.5 is used"]]) {
    await act(page, () => value.fill(typed).then(() => page.keyboard.press("Tab")));
    assert.equal(await text(page, ".odd"), words);
    assert.equal(await value.inputValue(), typed);
  }
  assert.equal(await page.locator(".want select").inputValue(), "granted");
  await page.close();
});

test("alternatives, bookmarks side by side", async () => {
  const { page } = await open(context);
  assert.equal(await page.locator(".plan").count(), 4);
  await page.getByRole("button", { name: "Bookmark alternative 2" }).click();
  await page.getByRole("button", { name: "Bookmark this plan" }).click();
  assert.match(await text(page, ".compare"), /Plan 1[\s\S]*Plan 2/);
  assert.match(await text(page, ".compare"), /stays/);
  await page.getByRole("button", { name: "remove Plan 1" }).click();
  assert.doesNotMatch(await text(page, ".compare"), /Plan 1/);
  await page.close();
});

test("the map with zoom, the price of certainty, robustness, by keyboard", async () => {
  const { page } = await open(context);
  await page.getByRole("tab", { name: "Alternatives" }).focus();
  await act(page, () => page.keyboard.press("ArrowRight"));
  await page.locator("figure img").waitFor();
  const whole = await page.locator("figure img").getAttribute("alt");
  assert.match(whole, /duration and credit amount: \d+ exact rectangles/);
  await act(page, () => page.getByRole("button", { name: "Zoom in" }).click());
  assert.notEqual(await page.locator("figure img").getAttribute("alt"), whole);
  await act(page, () => page.getByLabel("across").selectOption("age"));
  assert.match(await page.locator("figure img").getAttribute("alt"), /age and credit amount/);
  const svg = String(await saved(page, () => page.getByRole("button", { name: "Save SVG" }).click()));
  assert.match(svg, /^<svg/);
  const png = await saved(page, () => page.getByRole("button", { name: "Save PNG" }).click());
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  await page.getByRole("tab", { name: "Map" }).focus();
  await act(page, () => page.keyboard.press("ArrowRight"));
  assert.match(await text(page, "#panel"), /0\.95[\s\S]*proven optimal/);
  await act(page, () => page.getByRole("tab", { name: "Robustness" }).click());
  assert.match(await text(page, "#panel"), /below 1\.746/);
  await page.close();
});

test("why not, and a button that lifts the rule", async () => {
  const { page } = await open(context);
  const most = page.locator("label", { hasText: "at most" }).locator("select").last();
  await act(page, () => most.selectOption("1"));
  if (!/proven impossible/.test(await answerText(page))) {
    await act(page, () => page.getByLabel("with probability at least").fill("0.95"));
  }
  const shown = await answerText(page);
  assert.match(shown, /proven impossible/);
  assert.match(shown, /block/);
  await act(page, () => page.locator(".whynot li", { hasText: "at most 1 feature changes" }).getByRole("button").click());
  assert.doesNotMatch(await answerText(page), /at most 1 feature/);
  // The rule of the schema, or the line of words, that says it is taken away, and nothing else.
  const rules = page.getByLabel("Rules in words");
  const lines = ["age <= 80", "duration = 45 or credit_amount >= 90000", "at most 2 changes"];
  await act(page, () => page.getByLabel("with probability at least").fill("0.8"));
  await act(page, () => rules.fill(lines.join("\n")).then(() => rules.blur()));
  const lift = async (words) => {
    await page.locator(".whynot li", { hasText: words }).getByRole("button").click();
    await page.waitForFunction(() => !document.querySelector(".whynot"));
    await settled(page);
    assert.match(await answerText(page), /proven optimal/);
  };
  await lift("duration stays or credit amount");
  assert.equal(await rules.inputValue(), [lines[0], lines[2]].join("\n"));
  await act(page, () => page.getByRole("button", { name: "Undo" }).click());
  await lift("checking account at most");
  assert.match(await text(page, ".lifted"), /checking account \(range upper\)/);
  assert.equal(await rules.inputValue(), lines.join("\n"));
  await page.close();
});

test("what can be taken away says the same as the answer", async () => {
  const { page } = await open(context);
  await act(page, () => page.getByLabel("lock other debtors").click());
  const record = JSON.parse(String(await saved(page, () => page.getByRole("button", { name: "Answer (JSON)" }).click())))[0];
  assert.equal(record.status, "optimal");
  await page.locator("details summary", { hasText: "command line" }).click();
  const line = await text(page, "pre[aria-label='command line']");
  // The line that the page gives, run by the command, gives the record.
  const out = execFileSync("bash", ["-c", `${line.replace(/^boxwood/, `'${command}'`)} --format json --threads 1`], {
    cwd: join(root, "examples/german_credit"), encoding: "utf8",
  });
  const { cost, changes, claim, point } = JSON.parse(out)[0];
  assert.deepEqual({ cost, changes, claim, point }, { cost: record.cost, changes: record.changes, claim: record.claim, point: record.point });
  // So do the lines of Python.
  const lines = await text(page, "pre[aria-label='Python']");
  assert.match(lines, /rules=\["fix \\"other_parties\\""\]/);
  const printed = execFileSync(join(root, ".venv/bin/python"), ["-c", `${lines}\nprint(answer.to_json())`], {
    cwd: join(root, "examples/german_credit"), encoding: "utf8", env: { ...process.env, PYTHONPATH: join(root, "build/dev/python") },
  });
  const python = JSON.parse(printed.slice(printed.indexOf("\n{")));
  assert.deepEqual([python.cost, python.changes, python.point], [cost, changes, point]);
  await page.evaluate(() => {
    window.print = () => (window.printed = document.querySelector(".printed")?.textContent);
  });
  await page.getByRole("button", { name: "Print a receipt" }).click();
  await page.waitForFunction(() => window.printed);
  assert.match(await page.evaluate(() => window.printed), /Receipt: applicant 3[\s\S]*proven: no allowed change costs less/);
  await page.evaluate(() => (window.printed = undefined));
  await page.getByRole("button", { name: "Print a letter" }).click();
  await page.waitForFunction(() => window.printed);
  assert.match(await page.evaluate(() => window.printed), /No allowed change costs less\.[^]*no promise/);
  assert.doesNotMatch(await page.evaluate(() => window.printed), /L1/);
  await page.getByRole("button", { name: "Check the proof" }).click();
  await page.waitForFunction(() => /The checker says/.test(document.querySelector(".said").textContent), undefined, { timeout: 60_000 });
  assert.match(await text(page, ".said"), /accepted/);
  const downloads = {};
  page.on("download", (one) => (downloads[one.suggestedFilename()] = one.path()));
  await page.getByRole("button", { name: "Proof", exact: true }).click();
  await page.waitForFunction(() => /To check them/.test(document.querySelector(".said").textContent));
  while (Object.keys(downloads).length < 2) await page.waitForTimeout(20);
  for (const [name, path] of Object.entries(downloads)) writeFileSync(join(folder, name), readFileSync(await path));
  // The commands that the page names accept the proof.
  const [, inspect, check] = /To check them: boxwood (.*), then python3 boxwood_check\.py (.*)$/.exec(await text(page, ".said"));
  execFileSync(command, inspect.replace("model.ubj", german("model.ubj")).split(" "), { cwd: folder });
  const checked = execFileSync("python3", [join(root, "checker/boxwood_check.py"), ...check.split(" ")], { cwd: folder, encoding: "utf8" });
  assert.match(checked, /accepted/);
  // Proofs do not cover linear rules: the page says so and goes on.
  const rules = page.getByLabel("Rules in words");
  await act(page, () => rules.fill("duration <= 2 * age").then(() => rules.blur()));
  for (const name of ["Proof", "Check the proof"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.waitForFunction(() => !/…|To check/.test(document.querySelector(".said").textContent));
    assert.match(await text(page, ".said"), /proofs do not cover linear rules/);
  }
  assert.match(await answerText(page), /proven optimal/);
  await page.close();
});

test("a link holds the question and no data", async () => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page } = await open(context);
  await act(page, () => page.getByLabel("lock duration").click());
  await act(page, () => page.getByLabel("credit amount, present value").fill("9876").then(() => page.keyboard.press("Tab")));
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.waitForFunction(() => /copied|#question/.test(document.querySelector(".said").textContent));
  const link = await page.evaluate(() => navigator.clipboard.readText().catch(() => document.querySelector(".said").textContent));
  assert.doesNotMatch(link, /9876/);
  const at = link.slice(link.indexOf("file:"));
  const other = await open(context, at);
  assert.equal(await other.page.getByLabel("lock duration").getAttribute("aria-pressed"), "true");
  await other.page.close();
  await page.close();
});

test("models of every library, dropped with their rows", async () => {
  const { page, errors } = await open(context);
  const draw = drawer(7);
  for (const path of models) {
    const file = join(root, "tests/data", path);
    const facts = JSON.parse(execFileSync(command, ["inspect", file, "--format", "json"], { encoding: "utf8" }));
    const rows = join(folder, "rows.csv");
    writeFileSync(rows, rowsFor(facts, 4, draw));
    await drop(page, [file, rows]);
    assert.equal(await page.locator(".card.error[role=alert] h2", { hasText: "cannot be used" }).count(), 0, path);
    assert.match(await text(page, "header"), new RegExp(`${facts.features.length} features · 4 rows`), path);
    if (facts.task === "regression") {
      await act(page, () => page.getByLabel("at least", { exact: false }).first().fill("1000").then(() => page.keyboard.press("Tab")));
    } else if (facts.classes.length > 2) {
      await act(page, () => page.locator(".want select").selectOption(facts.classes[1]));
    }
    assert.match(await answerText(page), /proven|already met/, path);
    assert.doesNotMatch(await text(page, "main"), /Give data or scales|duration/, path);
  }
  assert.deepEqual(errors, []);
  await page.close();
});

test("hostile files end in an error card, and the page goes on", async () => {
  const { page } = await open(context);
  const make = (name, content) => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const model = readFileSync(german("model.ubj"));
  const cases = {
    "cut off": [make("cut.ubj", model.subarray(0, 5000)), german("applicants.csv")],
    "random bytes": [make("noise.json", Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 256))), german("applicants.csv")],
    empty: [make("empty.txt", ""), german("applicants.csv")],
    "deep JSON": [make("deep.json", "[".repeat(200_000)), german("applicants.csv")],
    "no numbers": [german("model.ubj"), german("schema.json"), make("words.csv", "duration\ntwo years\n")],
    "no rows": [german("model.ubj"), make("none.csv", "")],
    "wrong schema": [german("model.ubj"), german("applicants.csv"), make("schema.json", '{"boxwood_schema": 1, "features": [{"name": "nobody"}]}')],
  };
  for (const [name, files] of Object.entries(cases)) {
    await drop(page, files);
    assert.equal(await page.locator(".card.error[role=alert]").count(), 1, name);
    assert.ok((await text(page, ".card.error .errortext")).length > 10, name);
    await settled(page);
    assert.match(await answerText(page), /proven optimal/, name);
    await page.getByRole("button", { name: "Close" }).click();
  }
  const said = [
    [[german("model.ubj")], /model\.ubj is a model\. Drop it together with a CSV/],
    [[make("unknown.txt", "no model")], /unknown\.txt: this is not a supported model file/],
    [[make("broken.json", '{"boxwood_schema": 1, "features": [}')], /^[^]*broken\.json/],
    [[make("keyless.json", '{"features": []}')], /keyless\.json is neither a model nor a schema: a schema has "boxwood_schema": 1/],
    [[join(folder, "keyless.json"), german("model.ubj"), german("applicants.csv")], /keyless\.json is neither/],
    [[german("applicants.csv"), join(folder, "words.csv")], /applicants\.csv and words\.csv are files of rows/],
  ];
  for (const [files, words] of said) {
    await drop(page, files);
    assert.match(await text(page, ".card.error"), words);
  }
  assert.match(await answerText(page), /proven optimal/);
  await page.close();
});

test("text of files is text, whatever it holds", async () => {
  const { page, errors } = await open(context);
  const evil = `<img src=x onerror="window.evil=1"></script><script>window.evil=1</script>`;
  const schema = JSON.parse(readFileSync(german("schema.json"), "utf8"));
  schema.subject = evil;
  schema.features[1].title = evil;
  schema.classes = [evil, "granted"];
  const file = join(folder, "evil.json");
  writeFileSync(file, JSON.stringify(schema));
  await drop(page, [german("model.ubj"), german("applicants.csv"), file]);
  for (const tab of ["Map", "Price of certainty", "Robustness", "Alternatives"]) {
    await act(page, () => page.getByRole("tab", { name: tab }).click());
  }
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.match(await text(page, ".question"), /<img src=x/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("long names stay inside of the page, and errors wrap", async () => {
  const { page } = await open(context);
  const schema = JSON.parse(readFileSync(german("schema.json"), "utf8"));
  schema.features.find((one) => one.name === "duration").title = "n".repeat(400);
  Object.assign(schema, { classes: ["r".repeat(200), "g".repeat(200)], subject: "s".repeat(100) });
  const file = join(folder, "long.json");
  writeFileSync(file, JSON.stringify(schema));
  await drop(page, [german("model.ubj"), german("applicants.csv"), file]);
  await act(page, () => page.locator(".rows tbody button").nth(3).click());
  const inside = (selector) => page.locator(selector).first().evaluate((cell) => {
    const box = cell.closest(".scroll").getBoundingClientRect();
    return cell.getBoundingClientRect().right <= box.right + 1 && box.right <= window.innerWidth;
  });
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    assert.ok(await inside(".changes td.to"), `change to, ${width}`);
    assert.ok(await inside(".rows td.number"), `probability, ${width}`);
  }
  const rules = page.getByLabel("Rules in words");
  await act(page, () => rules.fill("age <= twelve").then(() => rules.blur()));
  assert.ok(await page.locator(".errortext p").evaluateAll((all) => all.every((one) => one.scrollWidth <= one.clientWidth)));
  await page.close();
});

test("accessible: axe finds nothing, light, dark and narrow", async () => {
  const { page } = await open(context);
  await page.evaluate(axe);
  await page.getByRole("button", { name: "Bookmark this plan" }).click();
  const faults = async (where) => {
    const found = await page.evaluate((selector) => window.axe.run(selector ?? document), where);
    return found.violations.map((one) => `${one.id}: ${one.nodes[0].html}`);
  };
  const tabs = ["Map", "Price of certainty", "Robustness", "Alternatives"];
  for (const [k, [colorScheme, width]] of [["light", 1440], ["dark", 1440], ["light", 390], ["dark", 390]].entries()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    // A panel changes nothing outside of it: the whole page is looked at once for each kind of screen, each time with another panel.
    for (const tab of tabs) {
      await act(page, () => page.getByRole("tab", { name: tab }).click());
      assert.deepEqual(await faults(tab === tabs[k] ? undefined : "#panel"), [], `${tab}, ${colorScheme}, ${width}`);
    }
    // Nothing is cut off: neither the page nor the controls of the features scroll sideways.
    for (const selector of ["html", ".features"]) {
      assert.ok(await page.locator(selector).evaluate((box) => box.scrollWidth <= box.clientWidth + 1), `${selector}, width ${width}`);
    }
  }
  await page.close();
});

test("a long search shows its bounds, and stopping keeps what is known", async () => {
  const { page } = await open(context);
  const { model, rows } = hardModel();
  const files = ["hard.json", "hard.csv"].map((name) => join(folder, name));
  writeFileSync(files[0], model);
  writeFileSync(files[1], rows);
  await page.setInputFiles("input[type=file]", files);
  await page.waitForFunction(() => /gap/.test(document.querySelector(".answer .badge")?.textContent ?? ""), undefined, { timeout: 60_000 });
  await page.getByRole("button", { name: "Stop and keep this" }).waitFor({ timeout: 30_000 });
  await page.waitForFunction(() => /nothing below/.test(document.querySelector(".searching")?.textContent ?? ""), undefined, { timeout: 30_000 });
  await page.getByRole("button", { name: "Stop and keep this" }).click();
  await settled(page);
  const shown = await answerText(page);
  assert.match(shown, /gap [\d.]+ %/);
  assert.match(shown, /nothing cheaper than [\d.]+ exists/i);
  // The page answers again afterwards.
  await drop(page, [german("model.ubj"), german("applicants.csv"), german("schema.json")]);
  assert.match(await answerText(page), /proven optimal/);
  await page.close();
});

test("a page with other files inside", async () => {
  const file = join(folder, "report.html");
  execFileSync(command, ["page", german("model.ubj"), "--data", german("applicants.csv"), "--schema", german("schema.json"),
    "--row", "0", "--title", "Credit </script> report", "--output", file]);
  const { page, requests, errors } = await open(context, pathToFileURL(file).href);
  assert.match(await text(page, "header"), /Credit <\/script> report/);
  assert.match(await text(page, ".question h2"), /Applicant 0/);
  assert.deepEqual([requests, errors], [[], []]);
  await page.close();
});

test("200 questions in the page and to the command give the same JSON", async () => {
  const { page } = await open(context);
  let answered = 0;
  const wrong = [];
  for (const [number, question] of questions(command).entries()) {
    const theirs = native(command, question);
    const key = "model.ubj" in question.files ? "/same/german" : `/same/${number}`;
    const files = Object.fromEntries(Object.entries(question.files).map(([name, bytes]) => [`${key}/${name}`, bytes.toString("base64")]));
    const words = question.words.map((word) => (word in question.files ? `${key}/${word}` : word));
    const ours = await page.evaluate(async ([given, line]) => {
      for (const [path, base64] of Object.entries(given)) {
        await window.boxwood.write(path, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
      }
      const { code, out, err } = await window.boxwood.run(line);
      return { code, out, err };
    }, [files, words]);
    if (theirs.code === 0) answered++;
    if (comparable(theirs) !== comparable({ ...ours, err: ours.err.replaceAll(`${key}/`, "") })) wrong.push(question.words.join(" "));
  }
  assert.deepEqual(wrong, []);
  assert.ok(answered >= 160, `${answered} answered`);
  await page.close();
});
