"""Constraints

An answer is useful only if a person can follow it. Rules say what may change, in which direction, by how
much, in which steps, and under which conditions. They are part of the search: no answer violates a rule,
and if no row satisfies all of them, that is proven. [Questions in words](../query.md) lists all forms.
"""
# %%
import boxwood

example = boxwood.examples.german_credit()
explainer, applicant = example.explainer(), example.data.iloc[0]


def ask(**question):
    answer = explainer.explain(applicant, target="granted", **question)
    print(f"{answer.status}, cost {answer.cost:.3f}")
    for change in answer.changes:
        print(" ", change.title + ":", change.now, "→", change.change_to)


# %%
# ## Only the rules of the schema
ask()

# %%
# ## Which features may change
ask(fixed=["checking account", "other debtors"])
ask(only=["duration", "credit amount", "instalment rate"])

# %%
# ## Ranges, steps, directions
# `ranges` applies to one question. Rules in words can express the same and more; a title that contains a
# space is written in double quotes.
ask(fixed=["checking account"], ranges={"duration": (24, 36)})
ask(fixed=["other debtors"], rules=["duration step 6 months", '"credit amount" step 500 DM'])
ask(fixed=["other debtors"],
    rules=["duration may only fall", '"credit amount" changes by at most 250'])

# %%
# ## Conditions between features
# If the duration rises, the amount must not rise; if a guarantor is added, the amount stays.
ask(rules=[boxwood.If('"other debtors" changes', '"credit amount" stays'),
           boxwood.If("duration rises", '"credit amount" does not rise'),
           'not ("other debtors" changes and "checking account" changes)'])

# %%
# ## How many changes
# At most two changes; or as few changes as possible, and the cheapest among those.
ask(fixed=["other debtors"], max_changes=2)
ask(fixed=["other debtors"], fewest_first=True)

# %%
# ## What a change costs
# A change of one scale of a feature (such as 12 months) costs its weight. The cost can be the sum of squares
# or of absolute values, the largest change, or a mixture with the number of changes.
ask(weights={"other debtors": 10})
ask(cost="linf", fixed=["other debtors"])
ask(cost=boxwood.L1() + 0.5 * boxwood.L0())

# %%
# A cost may be any function of feature, old and new value that is 0 for no change and never decreases as
# the new value moves away from the old one. Here a month costs 1, every started hundred marks cost 1, and a
# step of the instalment rate costs 20.
import math


def effort(feature, old, new):
    unit = {"duration": 1, "credit_amount": 100}.get(feature)
    return math.ceil(abs(new - old) / unit) if unit else 20 * abs(new - old)


ask(cost=effort, only=["duration", "credit amount", "instalment rate"])

# %%
# ## Too many rules
# If the rules leave no answer, that is proven, and `why_not` names a smallest set of rules, including those
# of the schema, that together block the outcome.
print(explainer.why_not(applicant, "granted", max_changes=1, rules="duration >= 24"))

# %%
# An invalid rule is an error that shows the position:
try:
    ask(rules="duration <= twelve")
except boxwood.Error as error:
    print(error)
