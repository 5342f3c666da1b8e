"""Boxwood

**What is the smallest change to this input that gets the wanted outcome, and which whole region
around it gets it too?** Boxwood answers that for tree ensembles, exactly: the point it returns has
the outcome when given to the model's own library, and nothing nearer does. Every answer says what
is proven.

It reads models of XGBoost, LightGBM, CatBoost, scikit-learn and ONNX ([which ones](models.md)), and
is used from Python, on the command line and in C++.
"""
# %%
# ## In one minute
# A bank's model, 250 trees, has refused a credit. What would have to be different?
import boxwood
import pandas as pd

explainer = boxwood.Explainer("examples/german_credit/model.ubj",
                              schema="examples/german_credit/schema.json")
applicants = pd.read_csv("examples/german_credit/applicants.csv").drop(columns="class")

answer = explainer.explain(applicants.iloc[3], target="granted")
print(answer)

# %%
# XGBoost's own `predict` grants the new row; every value in the column "anything
# in" will do as well. "Nothing nearer exists" is a proof over all rows that the rules of the schema
# allow, of which there are far too many to try.
#
# ## What else
# - **Menus**: the nearest way out, then the nearest that is different, and so on.
# - **Why not**: where nothing is possible that is proven, with the rules that block it.
# - **Rules in words**: `if purpose changes then duration does not rise`.
# - **Several models at once**: granted by this year's model and by last year's.
# - **Robustness**: how far away any other decision is; nothing nearer is decided otherwise.
# - **Numbers**: the smallest change to a house that the model values at 300 000.
#
# ## Where to go
# | | |
# |---|---|
# | [Quick start](quickstart.md) | Python and command line in five minutes |
# | [Guides](guides/credit_refusal.md) | by task: credit refusal, debugging, images, prices, robust recourse, constraints |
# | [Concepts](concepts.md) | what is proven, what exact means |
# | [Models](models.md) | what is read, what is refused |
# | [Performance](performance.md) | how fast, how far, measured |
# | [Comparison](comparison.md) | with other tools, and when to use those |
# | [Reference](reference.md) | the Python package |
