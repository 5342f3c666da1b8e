"""Robust recourse

When a person has followed the advice, the model may have been replaced. The cheapest row lies at the edge
of a decision region, so advice that lasts needs a distance from that edge. Three methods: require a higher
probability, require the outcome of two models, and require a row that looks like the data. All of them are
requirements of the same exact search. The data is synthetic.
"""
# %%
import boxwood
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, IsolationForest

random = np.random.default_rng(3)


def loans(count):
    income = np.round(random.lognormal(3.4, 0.45, count) * 100).astype(int)
    frame = pd.DataFrame({
        "income": income,
        "debt": np.round(income * random.uniform(0, 1.2, count)).astype(int),
        "savings": np.round(random.exponential(800, count)).astype(int),
        "age": random.integers(18, 75, count),
        "months": random.integers(6, 73, count),
    })
    score = (frame["income"] / 3000 - 1.6 * frame["debt"] / frame["income"] + frame["savings"] / 2500
             - frame["months"] / 60 + random.normal(0, 0.3, count))
    return frame, np.where(score > 0, "granted", "refused")


def fitted(frame, decision, seed):
    model = GradientBoostingClassifier(n_estimators=80, max_depth=3, subsample=0.7,
                                       random_state=seed)
    return model.fit(frame, decision)


# %%
# This year's model, and next year's, which is not known yet: it is trained on new data from the same source.
X, decision = loans(1500)
now = fitted(X, decision, 0)
later = fitted(*loans(1500), 1)
refused = X[now.predict(X) == "refused"].iloc[:100]


def lasting(batch):
    """For how many of the answers next year's model says granted."""
    return f"{(later.predict(batch.points()) == 'granted').sum()} of {len(batch)}"


explainer = boxwood.Explainer(now, data=X)
nearest = explainer.explain_batch(refused, "granted", fixed=["age"], show_progress=False)
print(nearest)
print("still granted next year:", lasting(nearest))

# %%
# ## A higher probability
# The lowest cost for each probability, and the share of answers that are still granted next year.
levels = [0.5, 0.6, 0.7, 0.8, 0.9]
rows = []
for level in levels:
    batch = explainer.explain_batch(refused, "granted", probability=level, fixed=["age"],
                                    show_progress=False)
    lasts = (later.predict(batch.points()) == "granted").mean()
    rows.append((level, batch.to_frame()["distance"].mean(), lasts))
    print(f"probability {level}: mean distance {rows[-1][1]:.3f}, lasts for {lasts:.0%}")

# %%
figure, axes = plt.subplots(num="Distance and how much of the advice lasts, by probability")
axes.plot(levels, [row[1] for row in rows], "o-", color="C0")
axes.set(xlabel='wanted probability of "granted"', ylabel="mean distance", ylim=(0, None))
axes.yaxis.label.set_color("C0")
right = axes.twinx()
right.plot(levels, [100 * row[2] for row in rows], "s--", color="C1")
right.set(ylabel="lasts, %", ylim=(0, 105))
right.yaxis.label.set_color("C1")
right.spines["right"].set_visible(True)

# %%
# ## Two models at once
# A second model is trained on a sample of this year's data and stands in for a future one. Both models must
# grant the same row, and the answer is the cheapest such row. Combined with a higher probability, more of the
# advice lasts, at a higher cost.
other = fitted(X.iloc[::2], decision[::2], 2)
both = boxwood.Explainer({"now": now, "other": other}, data=X)
for level in (0.5, 0.7, 0.9):
    batch = both.explain_batch(refused, [boxwood.Class("granted", probability=level, model="now"),
                                         boxwood.Class("granted", probability=level, model="other")],
                               fixed=["age"], show_progress=False)
    print(f"probability {level} in both: mean distance {batch.to_frame()['distance'].mean():.3f}, "
          f"lasts for {lasting(batch)}")

# %%
# ## Plausible rows
# An isolation forest measures how normal a row is; its `predict` returns 1 or -1. It is a tree ensemble too,
# so "granted, and normal for the isolation forest" is a single question. Its output is scikit-learn's
# `score_samples`; a row is normal if that is at least `offset_`.
normal = IsolationForest(n_estimators=60, random_state=0, contamination=0.1).fit(X)
plausible = boxwood.Explainer({"credit": now, "normal": normal}, data=X)
before = normal.predict(nearest.points())
batch = plausible.explain_batch(
    refused, [boxwood.Class("granted", model="credit"),
              boxwood.Output(at_least=float(normal.offset_), model="normal")],
    fixed=["age"], show_progress=False)
print(f"normal before: {(before == 1).sum()} of {len(before)}, "
      f"now: {(normal.predict(batch.points()) == 1).sum()} of {len(batch.points())}")
print(batch, f"mean distance {batch.to_frame()['distance'].mean():.3f}")

# %%
# ## A region instead of a point
# Advice is rarely followed exactly. Inside the wide region *every* row is granted by this year's model, so
# small deviations do not matter.
applicant = refused.iloc[0]
answer = explainer.explain(applicant, "granted", probability=0.6, fixed=["age"])
for change in answer.changes:
    print(change)
print(explainer.widen(answer, order=[change.feature for change in answer.changes]))
