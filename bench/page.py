"""How fast the page is: its search times in Chromium against the command's on one thread.

    python bench/page.py BOXWOOD [--write docs/performance.md]

The example, and models of scikit-learn's made-up data that XGBoost trains here; `make page` first.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKS = ("<!-- page: begin -->\n", "<!-- page: end -->")
SIZES = ((300, 6), (1000, 6))  # trees, depth


def train(folder, trees, depth):
    """A classifier of 12 features and 20 rows that it was not trained on."""
    import numpy as np
    import xgboost
    from sklearn.datasets import make_classification

    values, classes = make_classification(2020, 12, n_informative=8, flip_y=0.1, random_state=1)
    values = np.round(values, 2)
    model = xgboost.XGBClassifier(n_estimators=trees, max_depth=depth, learning_rate=0.05, random_state=1)
    model.fit(values[:2000], classes[:2000])
    file, rows = folder / f"model_{trees}.ubj", folder / f"rows_{trees}.csv"
    model.save_model(file)
    header = ",".join(f"f{i}" for i in range(values.shape[1]))
    np.savetxt(rows, values[2000:], delimiter=",", header=header, comments="", fmt="%.2f")
    return file, rows


def main():
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    german = ROOT / "examples" / "german_credit"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = [("German credit, 250 trees",
                  [german / "model.ubj", german / "applicants.csv", german / "schema.json"])]
        cases += [(f"made-up data, {trees} trees of depth {depth}", list(train(folder, trees, depth)))
                  for trees, depth in SIZES]
        found = [json.loads(subprocess.run(
            ["node", ROOT / "page" / "tests" / "speed.mjs", given.command, title, *files],
            check=True, text=True, capture_output=True).stdout) for title, files in cases]
    lines = ["| model | rows | command, 1 thread | page | ratio | page, until the answer is there | longest |",
             "|---|---|---|---|---|---|---|"]
    for one in found:
        lines.append(f"| {one['name']} | {one['rows']} | {one['native']:.2f} ms | {one['page']:.2f} ms | "
                     f"{one['page'] / one['native']:.1f} | {one['whole']:.0f} ms | {one['worst']:.0f} ms |")
    first = sorted(one["first"] for one in found)[len(found) // 2]
    lines += ["", f"From opening the file to the first answer of the example: {first / 1000:.2f} s."]
    table = "\n".join(lines) + "\n"
    print(table)
    if given.write:
        text = given.write.read_text()
        begin, end = map(re.escape, MARKS)
        given.write.write_text(re.sub(f"{begin}.*?{end}", lambda _: MARKS[0] + table + MARKS[1], text,
                                      flags=re.DOTALL))


if __name__ == "__main__":
    main()
