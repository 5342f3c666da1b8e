"""Credit refusal

A person was refused a credit and asks what to do. A useful answer names a few things that this person
can change, says by how much, and promises no more than the model does. This guide shows the cheapest
answer, alternatives to it, the cost of a higher probability, and the case where nothing is possible. It
uses the example that comes with the package. Read
[what a counterfactual is not](../what_a_counterfactual_is_not.md) before you use such answers in practice.
"""
# %%
# ## The cheapest change
# The schema fixes what nobody can or should change for a credit: age, sex, job, and everything that lies
# in the past.
import boxwood
import pandas as pd
from boxwood import plots

example = boxwood.examples.german_credit()
explainer, applicants = example.explainer(), example.data
applicant = applicants.iloc[3]
answer = explainer.explain(applicant, target="granted")
print(answer)

# %%
# The last column shows the values with the same result: the score of the model is constant in that box, so
# nobody has to hit the exact amount. The region in which the credit is granted is larger. `widen` extends
# the box as long as every row in it is granted.
wide = explainer.widen(answer)
for name in ("duration", "credit_amount", "savings_status", "employment"):
    print(name, "->", wide.words[name])
print("no side can be moved further:", wide.maximal)

# %%
# The same as a picture: the green bar shows the values that work, the diamond is the answer.
plots.region(answer, wide)

# %%
# ## The effect of each change
# The changes in the order of their effect, with the probability after each, and the cost of the best answer
# that does not use this change.
for step in explainer.path(applicant, target="granted"):
    print(f"{', '.join(step.features):15} {step.outcome} {step.outputs[0]:.2f}"
          f"   without it: cost {step.without.cost:.2f}")

# %%
# ## Alternatives
# The cheapest change may not suit this person: not everybody has a guarantor. A menu lists the cheapest
# answer and then alternatives. No alternative changes all the features that an earlier one changes, and each is
# proven to be the cheapest with that property.
menu = explainer.menu(applicant, k=4, target="granted")
print(menu.to_frame().round(2).to_string())

# %%
# The darker a field, the larger the change as a share of the range of the feature.
plots.menu(menu)

# %%
# Fix what is not possible for this person, and ask again:
print(explainer.explain(applicant, target="granted", fixed=["other debtors"]))

# %%
# ## The cost of a higher probability
# "Granted" means a probability just above one half. How much does a higher probability cost?
sweep = explainer.sweep(applicant, [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9], "granted")
print(sweep.to_frame()[["level", "status", "cost", "changed"]].round(2).to_string(index=False))

# %%
# Every point is proven optimal: no cheaper change reaches that probability.
plots.sweep(sweep, label='wanted probability of "granted"')

# %%
# ## When nothing is possible
# Allow only one change, and require a duration of at least two years. Then no admissible change is granted,
# and that is proven. `why_not` finds a smallest set of rules, including those of the schema, that together
# block the outcome, and what is possible without each of them.
print(explainer.why_not(applicant, target="granted", max_changes=1,
                        ranges={"duration": (24, 60)}))

# %%
# ## All applicants
# How often each feature appears in the answers for the refused applicants:
batch = explainer.explain_batch(applicants, target="granted", show_progress=False)
refused = [one for one in batch if not one.already_met]
print(pd.Series([change.title for one in refused for change in one.changes]).value_counts())
