"""Credit refusal

Somebody was refused a credit and asks what to do. A useful answer names few things that this person
can change, says how far, and does not promise more than the model keeps. This guide goes from the
nearest answer to a choice of ways, to more certainty, and to the case where nothing helps. It uses
the model and the applicants of `examples/german_credit`.
"""
# %%
# ## The nearest way
# The schema holds fixed what nobody can or should change for a credit: age, sex, job, what lies in
# the past.
import boxwood
import pandas as pd
from boxwood import plots

explainer = boxwood.Explainer("examples/german_credit/model.ubj",
                              schema="examples/german_credit/schema.json")
applicants = pd.read_csv("examples/german_credit/applicants.csv").drop(columns="class")
applicant = applicants.iloc[3]
answer = explainer.explain(applicant, target="granted")
print(answer)

# %%
# The last column is what else will do: the model's score is the same everywhere in that box, so
# nobody has to hit 3 803 DM. The whole region in which the credit is granted is larger; `widen` grows
# the box as long as everything in it is granted.
wide = explainer.widen(answer)
for name in ("duration", "credit_amount", "savings_status", "employment"):
    print(name, "->", wide.words[name])
print("no side can be moved further:", wide.maximal)

# %%
# The same as a picture: the green bar is what will do, the diamond the answer.
plots.region(answer, wide)

# %%
# ## One step after the other
# The changes by how much they help, with the probability after each, and what would be the best
# answer without that step.
for step in explainer.path(applicant, target="granted"):
    print(f"{', '.join(step.features):15} {step.outcome} {step.outputs[0]:.2f}"
          f"   without it: cost {step.without.cost:.2f}")

# %%
# ## A choice of ways
# The nearest way may be the wrong one for this person: not everybody has a guarantor. A menu lists
# the nearest way, then the nearest one that leaves something as it is which the first changes, and so
# on. Each is proven to be the cheapest given those before it.
menu = explainer.menu(applicant, k=4, target="granted")
print(menu.to_frame().round(2).to_string())

# %%
# The darker a field, the larger the share of its range that the feature has to move.
plots.menu(menu)

# %%
# What cannot be had is fixed, and the answer is another one:
print(explainer.explain(applicant, target="granted", fixed=["other debtors"]))

# %%
# ## How certain
# "Granted" is a probability just above one half. How much does more certainty cost?
sweep = explainer.sweep(applicant, [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9], "granted")
print(sweep.to_frame()[["level", "status", "cost", "changed"]].round(2).to_string(index=False))

# %%
# Every point is an optimum: nothing cheaper has that probability.
plots.sweep(sweep, label='wanted probability of "granted"')

# %%
# ## Where nothing helps
# Let no more than one thing change, and the duration stay at two years or more. Then no way is left,
# and the answer is a proof, not a shrug. `why_not` finds a smallest set of rules that together block the
# outcome, those of the schema among them, and what is possible without each.
print(explainer.why_not(applicant, target="granted", most_changes=1,
                        ranges={"duration": (24, 60)}))

# %%
# ## All applicants
# What the refused have in common: which changes appear in the answers.
batch = explainer.explain_batch(applicants, target="granted", show_progress=False)
refused = [one for one in batch if not one.already_met]
print(pd.Series([change.title for one in refused for change in one.changes]).value_counts())
