"""A portfolio

A bank has refused applicants for a year. It wants the cheapest change for every one of them, a record of each answer that an
auditor can check, and a report for its risk committee. This page does it with 600 applicants that are drawn from the
ten of the [example](credit_refusal.md); the same lines work for millions of rows.
"""
# %%
# The explainer as usual, and a table with a key for each applicant. `region` is not a column of the model.
import tempfile
from pathlib import Path

import boxwood
import numpy as np
from boxwood import letters, portfolio

example = boxwood.examples.german_credit()
explainer = example.explainer()
random = np.random.default_rng(7)
rows = example.data.iloc[random.integers(0, len(example.data), 600)].reset_index(drop=True)
rows["duration"] = random.integers(6, 61, 600)
rows["credit_amount"] = random.integers(500, 15000, 600)
rows["region"] = random.choice(["north", "south"], 600)
rows["id"] = [f"A-{i:05d}" for i in range(600)]
folder = Path(tempfile.mkdtemp())
rows.to_parquet(folder / "applicants.parquet", index=False)

# %%
# ## Run
# The source is read in batches and answered on all cores. Part files appear in the folder as they are finished. Fixed by the
# bank: age. The node limit makes a second run give the same answers. `keep` takes the column `region` along.
made = portfolio.run(explainer, folder / "applicants.parquet", folder / "answers", key="id", target="granted",
                     question={"fixed": ["age"], "rules": ["duration may only fall"], "node_limit": 20_000},
                     keep=["region"], rows_per_part=200)
print(made.rows, "of", made.total, "rows in", len(made.parts), "parts:", made.statuses)

# %%
# A run that was killed goes on when it is called again: only whole parts count, and they are not done twice. Another
# question does not get into the same folder.
again = portfolio.run(explainer, folder / "applicants.parquet", folder / "answers", key="id", target="granted",
                      question={"fixed": ["age"], "rules": ["duration may only fall"], "node_limit": 20_000},
                      keep=["region"], rows_per_part=200)
print("the same parts:", again.parts == made.parts)
try:
    portfolio.run(explainer, folder / "applicants.parquet", folder / "answers", key="id", target="granted")
except boxwood.Error as error:
    print(error.reason)

# %%
# ## Records
# Every row has one record: what was found, what is proven, the row before and after, and hashes of model, schema and
# question. Any Parquet reader can open the part files.
frame = made.table().to_pandas()
print(frame[["key", "status", "cost", "changed", "changes"]].head(4).to_string(index=False, max_colwidth=60))

# %%
# An auditor checks a record with the model, the schema and the question, without a search: hashes, row, outcome, rules,
# cost, region and words. That nothing is cheaper, or that nothing works, is checked only where the record has a
# certificate (`proof`). Key, times and blocking rules are not checked.
question = {"target": "granted", "fixed": ["age"], "rules": ["duration may only fall"], "node_limit": 20_000}
record = made.table().to_pylist()[0]
print(boxwood.check_record(record, explainer, question=question))
print(boxwood.check_record({**record, "cost": record["cost"] / 2}, explainer, question=question)[:1])

# %%
# ## Report
# For the committee there is one HTML file with pictures: `report.save("report.html")`. Here as text. The intervals say how much
# another sample of such applicants would differ. Here the regions were drawn at random: any difference between
# them is chance, also where an interval leaves out 1, as one of twenty does.
report = portfolio.report(folder / "answers", by=["region"])
report.save(folder / "report.html")
print(report)

# %%
# ## 20,000 people
# The data of the example is small, so that this page can be made anywhere. With a file of the UCI Adult census data, the same calls
# answer 20,000 people whom a model of 100 trees expects to earn at most 50,000 dollars. What can change: education upwards, work class, occupation and hours.
#
# ```
# import sys
# sys.path.insert(0, "bench")
# from portfolio import adult
#
# explainer, rows, question = adult("FOLDER", 20_000)
# made = portfolio.run(explainer, rows, "adult", key="id", question=question, keep=["age_group"])
# print(portfolio.report("adult", by=["Sex", "age_group"]))
# ```
#
# This took 740 s of processor time, searches for blocking rules included. All answers are proven. The report says, shortened:
#
# ```
# With a change that leads to the outcome: 15,423 of 20,000 (77.1 %, 95 % interval 76.5 % to 77.7 %)
# Proven impossible: 4,577 · already have the outcome: 0 · unproven: 0 · errors: 0
# Median cost 0.567 (95 % interval 0.564 to 0.573), 1.8 changes on average
#
# Changes most often needed
#   HoursPerWeek       12,491   81.0 %
#   EducationNumber    11,874   77.0 %
#   Occupation          2,592   16.8 %
#   WorkClass           1,319    8.6 %
#
# Rules that block most often
#   CapitalGain fixed                 4,189   91.5 %
#   CapitalLoss fixed                 4,189   91.5 %
#   Age fixed                         4,187   91.5 %
#
# By Sex
#   group     rows  with a change     95 % interval  median cost   95 % interval
#   female   7,520         71.2 %  70.1 % to 72.2 %        0.651  0.641 to 0.661
#   male    12,480         80.7 %  80.0 % to 81.4 %          0.5      0.5 to 0.5
#   female against male: share -9.5 points (95 % interval -10.8 to -8.3), median cost 1.3 times (95 % interval 1.28 to 1.32)
# ```

# %%
# ## Letters
# Two separate parts: the principal reasons, and what would have changed the decision. [Letters](../letters.md) defines both
# and says what is established by law. Age appears because this model uses it; Regulation B limits how a lender may use
# age (12 CFR 1002.6(b)(2)).
row = rows[~frame["already_met"].to_numpy(dtype=bool)].iloc[0]
print(letters.letter(explainer, row[explainer.columns.names], "granted", fixed=["age"], rules=["duration may only fall"],
                     details={"sender": "Example Bank", "recipient": "R. Example", "date": "17 November 2026",
                              "reference": row["id"], "contact": "Review desk, Example Bank"}))

# %%
# ## From a laptop to a cluster
# The question stays the same; only the call changes. `boxwood.spark.explain(frame, explainer, "granted", key="id", …)` returns a
# frame of records, `boxwood.ray.explain(dataset, explainer, "granted", key="id", …)` a dataset ([Portfolios](../portfolio.md#on-a-cluster)).
# [Performance](../performance.md#portfolios) has the command that measures all engines with people of the UCI Adult census data, and the figures so far.
