"""Constraints

An answer that nobody can follow is no answer. Rules say what may change, which way, how far, in
which steps, and what depends on what. They are part of the search: an answer that breaks one does not
come out, and where nothing obeys them all that is proven. [Questions in words](../query.md) lists
every form.
"""
# %%
import boxwood
import pandas as pd

explainer = boxwood.Explainer("examples/german_credit/model.ubj",
                              schema="examples/german_credit/schema.json")
applicant = pd.read_csv("examples/german_credit/applicants.csv").iloc[0]


def ask(**question):
    answer = explainer.explain(applicant, target="granted", **question)
    print(f"{answer.status}, cost {answer.cost:.3f}")
    for change in answer.changes:
        print(" ", change.title + ":", change.now, "→", change.change_to)


# %%
# ## Nothing but the schema
ask()

# %%
# ## What stays, what may change
ask(fixed=["checking account", "other debtors"])
ask(only=["duration", "credit amount", "instalment rate"])

# %%
# ## Ranges, steps, directions
# `ranges` holds for one question. Rules in words may say the same and more; a title with a blank
# stands in double quotes.
ask(fixed=["checking account"], ranges={"duration": (24, 36)})
ask(fixed=["other debtors"], rules=["duration step 6 months", '"credit amount" step 500 DM'])
ask(fixed=["other debtors"],
    rules=["duration may only fall", '"credit amount" changes by at most 250'])

# %%
# ## What depends on what
# A longer credit must not be a larger one; and who asks for a guarantor keeps the amount.
ask(rules=[boxwood.If('"other debtors" changes', '"credit amount" stays'),
           boxwood.If("duration rises", '"credit amount" does not rise'),
           'not ("other debtors" changes and "checking account" changes)'])

# %%
# ## How many changes
# At most two; or as few as possible, and of those the cheapest.
ask(fixed=["other debtors"], most_changes=2)
ask(fixed=["other debtors"], fewest_first=True)

# %%
# ## What a change costs
# One unit is the feature's scale (12 months, say), times its weight. The sum of squares is the
# default; absolute differences, the largest one, or a mixture with the number of changes are others.
ask(weights={"other debtors": 10})
ask(cost="linf", fixed=["other debtors"])
ask(cost=boxwood.L1() + 0.5 * boxwood.L0())

# %%
# A cost may be any function of feature, old and new value that is 0 for no change and never falls as
# the new value moves away. Here a month costs 1, a hundred marks that are begun cost 1 as well, a step
# of the instalment rate 20.
import math


def effort(feature, old, new):
    unit = {"duration": 1, "credit_amount": 100}.get(feature)
    return math.ceil(abs(new - old) / unit) if unit else 20 * abs(new - old)


ask(cost=effort, only=["duration", "credit amount", "instalment rate"])

# %%
# ## Too many rules
# Within the rules nothing may be possible. Then that is proven, and `why_not` names a smallest set of
# rules that block it, those of the schema among them.
print(explainer.why_not(applicant, "granted", most_changes=1, rules="duration >= 24"))

# %%
# A rule that makes no sense is an error that shows the place:
try:
    ask(rules="duration <= twelve")
except boxwood.Error as error:
    print(error)
