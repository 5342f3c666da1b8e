"""Quick start

This page uses the example that comes with the package: a model that decides about credits (XGBoost,
250 trees), ten applicants, and a schema that says what the columns mean and what may change.
"""
# %%
# ## Install
# ```
# pip install ".[all]"    # in the source tree: the Python package and the command boxwood
# ```
# This needs a C++20 compiler and CMake 3.25. Without Python, `make build` makes the command alone:
# ```
# make build              # build/release/bin/boxwood
# ```
#
# ## In Python
# An `Explainer` takes a fitted model or a model file. The meaning of the columns comes from training data
# (`data=`: types and ranges of a frame), from a schema, or from both. `example.explainer()` is short for
# `boxwood.Explainer(example.model, schema=example.schema)`.
import boxwood

example = boxwood.examples.german_credit()
explainer = example.explainer()
applicants = example.data
x = applicants.iloc[0]
print(explainer)
print(explainer.predict(applicants))

# %%
# The cheapest change that gets the credit. In a notebook, `answer` on its own line shows a table.
answer = explainer.explain(x, target="granted")
print(answer)

# %%
# The parts of an answer:
print(answer.status, answer.proven, round(answer.cost, 3))
for change in answer.changes:
    print(change.title, change.before, change.after)
print(answer.point["duration"], explainer.predict(answer.point_frame()))

# %%
# With constraints: features that must not change, rules in words, a limit on the number of changes.
answer = explainer.explain(x, target="granted", fixed=["checking account"],
                           rules='"credit amount" step 100 DM', max_changes=3)
print(answer)

# %%
# Ask for a higher probability than a bare majority:
answer = explainer.explain(x, target="granted", probability=0.7)
for change in answer.changes:
    print(change)

# %%
# All rows at once, on all cores; the results as a frame:
batch = explainer.explain_batch(applicants, target="granted", show_progress=False)
print(batch)
print(batch.to_frame()[["status", "cost", "changed", "outcome_before"]].round(3))

# %%
# For your own model, pass the training data instead of a schema:
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(50, max_depth=6, random_state=0).fit(X, y)
answer = boxwood.Explainer(forest, data=X).explain(X.iloc[20])
print(answer.status, answer.outcome_before, answer.outcome, len(answer.changes))

# %%
# Dummy columns, as `pandas.get_dummies` makes them, are found in the data and count as one feature;
# `groups=False` turns this off. Numbers keep to the resolution of the data.
import pandas as pd

dummies = pd.get_dummies(example.data[["duration", "credit_amount", "housing"]])
forest = RandomForestClassifier(20, max_depth=4, random_state=0).fit(dummies, dummies["duration"] > 20)
explainer = boxwood.Explainer(forest, data=dummies)
print(*explainer.notes, sep="\n")

# %% console
# ## On the command line
# The command gives the same answers from files. See `boxwood COMMAND --help`; the full reference is
# [the command line](command_line.md). The predictions of the model:
# $ boxwood predict examples/german_credit/model.ubj --data examples/german_credit/applicants.csv --schema examples/german_credit/schema.json --rows 0-3

# %% console
# The cheapest change for one row, with a rule in words:
# $ boxwood explain examples/german_credit/model.ubj --data examples/german_credit/applicants.csv --schema examples/german_credit/schema.json --row 0 --rule "fix savings; at most 2 changes"

# %%
# `--format jsonl`, `json` or `csv` writes results for other programs, `--rows all` answers for the whole
# file, and `--verify` checks each answer with independent code.
#
# ## Next
# The [guides](guides/credit_refusal.md) treat one task each. [Questions](questions.md) lists everything
# that can be asked. [Questions in words](query.md) describes the language of rules.
