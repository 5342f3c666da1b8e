"""Boxwood

**What is the cheapest change to this row that gives the wanted outcome?** Boxwood answers that question
for tree ensembles, with proof. The row that it returns has the outcome in the model's own library, and
no allowed row with the outcome costs less.

```
pip install ".[all]"    # in the source tree; needs a C++20 compiler and CMake 3.25
```

A bank's model (XGBoost, 250 trees) has refused a credit. What would have to be different?
"""
# %% hidden
import boxwood
from boxwood import plots

example = boxwood.examples.german_credit()
answer = example.explainer().explain(example.data.iloc[3], target="granted")
plots.changes(answer)

# %%
import boxwood

example = boxwood.examples.german_credit()
explainer = example.explainer()
answer = explainer.explain(example.data.iloc[3], target="granted")
print(answer)

# %%
# XGBoost's own `predict` grants the new row, and every value in the column "anything in" gives the same
# result. The claim that nothing is cheaper is proven for all rows that the rules of the schema allow.
#
# ## What Boxwood does
# - Reads models of XGBoost, LightGBM, CatBoost, scikit-learn and ONNX ([list](models.md)) and computes
#   exactly what the library computes.
# - Is used from Python, on the command line, from C++ and [in a browser](page.md).
# - **Menu**: the cheapest change, then the cheapest one that is different, and so on.
# - **Why not**: if no allowed change works, that is proven, with the rules that block it.
# - **Rules in words**: `if purpose changes then duration does not rise`.
# - **Several models at once**: granted by this year's model and by last year's.
# - **Robustness**: how far away the closest row with a different decision is.
# - **Regression**: the cheapest change to a house that the model values at 300 000.
#
# ## Where to go next
# | | |
# |---|---|
# | [Quick start](quickstart.md) | Python and command line in five minutes |
# | [Guides](guides/credit_refusal.md) | by task: credit refusal, debugging, images, prices, robust recourse, constraints |
# | [Concepts](concepts.md) | what is proven and what "exact" means |
# | [What a counterfactual is not](what_a_counterfactual_is_not.md) | limits: law, causes, retraining |
# | [Models](models.md) | supported models |
# | [Performance](performance.md) | measured times and limits |
# | [Reliability](reliability.md) | what is promised about failures, and how it is tested |
# | [Comparison](comparison.md) | with other tools, and when to use those |
# | [Reference](reference.md) | the Python package |
