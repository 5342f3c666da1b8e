"""Quick start

Everything here uses the files of `examples/german_credit`: a model that decides about credits (XGBoost,
250 trees), ten applicants, and a schema that says what the columns mean. Run it in the root of the
source tree.
"""
# %%
# ## Install
# ```
# pip install ".[all]"    # the Python package; needs a C++20 compiler and CMake 3.25
# make build              # the command: build/release/bin/boxwood
# ```
#
# ## In Python
# An `Explainer` takes a fitted model or a model file. What the columns mean comes from training data
# (`data=`, types and ranges of a frame), from a schema, or from both.
import boxwood
import pandas as pd

explainer = boxwood.Explainer("examples/german_credit/model.ubj",
                              schema="examples/german_credit/schema.json")
applicants = pd.read_csv("examples/german_credit/applicants.csv").drop(columns="class")
x = applicants.iloc[0]
print(explainer)
print(explainer.predict(applicants))

# %%
# The smallest change that gets the credit. In a notebook `answer` alone shows a table.
answer = explainer.explain(x, target="granted")
print(answer)

# %%
# The parts of an answer:
print(answer.status, answer.proven, round(answer.cost, 3))
for change in answer.changes:
    print(change.title, change.before, change.after)
print(answer.point["duration"], explainer.predict(answer.point_frame()))

# %%
# With conditions of your own: what stays, what may change, in words or as arguments.
answer = explainer.explain(x, target="granted", fixed=["checking account"],
                           rules='"credit amount" step 100 DM', most_changes=3)
print(answer)

# %%
# More certain than just granted:
answer = explainer.explain(x, target="granted", probability=0.7)
for change in answer.changes:
    print(change)

# %%
# All rows at once, on all cores, as a frame:
batch = explainer.explain_batch(applicants, target="granted", show_progress=False)
print(batch)
print(batch.to_frame()[["status", "cost", "changed", "outcome_before"]].round(3))

# %%
# With a model of your own the schema comes from the data:
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(50, max_depth=6, random_state=0).fit(X, y)
answer = boxwood.Explainer(forest, data=X).explain(X.iloc[20])
print(answer.status, answer.outcome_before, answer.outcome, len(answer.changes))

# %% console
# ## On the command line
# The same files, the same answers. `boxwood COMMAND --help` teaches the flags,
# [the command line](command_line.md) has them all. What the model says:
# $ boxwood predict examples/german_credit/model.ubj --data examples/german_credit/applicants.csv --schema examples/german_credit/schema.json --rows 0-3

# %% console
# The smallest change, with a rule in words, for one row:
# $ boxwood explain examples/german_credit/model.ubj --data examples/german_credit/applicants.csv --schema examples/german_credit/schema.json --row 0 --rule "fix savings; at most 2 changes"

# %%
# `--format jsonl`, `json` or `csv` writes results for other programs, `--rows all` answers the whole
# file, and `--verify` checks each answer again.
#
# ## And now
# The [guides](guides/credit_refusal.md) go task by task; [questions](questions.md) lists all that can be
# asked; [query](query.md) has the words for rules.
