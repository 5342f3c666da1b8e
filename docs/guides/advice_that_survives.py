"""Advice that survives

Somebody follows the advice to 26 months and arrives at 27, or meets next month's retrained model. The
cheapest row lies at the edge of what the model accepts, so such advice often fails. This page asks for
more than the cheapest row in several ways, measures with models that no question has seen how much of
each kind of advice survives, and says what it costs. All of it is one exact search with further
requirements. The data is synthetic.
"""
# %%
import boxwood
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from boxwood import evaluate, plots
from sklearn.ensemble import RandomForestClassifier

random = np.random.default_rng(3)
count = 1200
income = np.round(random.lognormal(3.4, 0.45, count) * 100)
X = pd.DataFrame({
    "income": income,
    "debt": np.round(income * random.uniform(0, 1.2, count)),
    "savings": np.round(random.exponential(800, count)),
    "months": random.integers(6, 73, count),
}).astype(int)
score = (X["income"] / 3000 - 1.6 * X["debt"] / X["income"] + X["savings"] / 2500 - X["months"] / 60
         + random.normal(0, 0.4, count))
y = np.where(score > 0, "granted", "refused")


def fit(X, y):
    return RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)


model = fit(X, y)
explainer = boxwood.Explainer(model, data=X)
refused = X[model.predict(X) == "refused"].iloc[:15]

# %%
# ## What plain advice is worth
# `boxwood.retrain` trains the model again on bootstrap samples of the data. These ten models stand for
# those of the future; no question below sees them. `evaluate.survival` counts the pairs of an answer and a
# model that still grants it. Nobody can promise that advice lasts; this is a measurement on these models.
future = list(boxwood.retrain(fit, (X, y), 10, random_state=1))
measured = {}


def measure(name, batch):
    """Note how much of the advice survives, and the mean cost."""
    survival = evaluate.survival(future, batch.points()[list(X)], "granted")
    measured[name] = np.mean([answer.cost for answer in batch]), survival
    print(f"{name}: mean cost {measured[name][0]:.3f}\n  {survival}")


def advise(explainer, **question):
    return explainer.explain_batch(refused, "granted", cost="l1", show_progress=False, **question)


plain = advise(explainer)
measure("plain", plain)

# %%
# ## A higher probability
# The simplest remedy: ask for more than the model needs to say "granted".
for level in (0.6, 0.7):
    measure(f"probability {level}", advise(explainer, probability=level))

# %%
# ## Robust: every row near the answer
# With `robust=0.05` every row within 5 % of the range of each feature is granted as well, and the answer is
# proven to be the cheapest with this property. Distances can also be given in units, for those features in
# which people deviate.
for distance in (0.02, 0.05):
    measure(f"robust {distance}", advise(explainer, robust=distance))
person = refused.iloc[2]
print(explainer.explain(person, "granted", cost="l1", robust={"months": 1, "debt": 100}))

# %%
# Both answers on a map of two features, the others as in the row. The cheapest answer touches the border of
# "refused". The robust one (triangle) keeps its distance: every row in the frame around it is granted.
near = explainer.explain(person, "granted", cost="l1", only=["debt", "savings"])
far = explainer.explain(person, "granted", cost="l1", only=["debt", "savings"], robust=0.05)
drawn = explainer.map(person, "granted", features=("debt", "savings"))
figure = plots.decision_map(drawn, near)
axes = figure.axes[0]
axes.plot(far.point["debt"], far.point["savings"], "^", color="black")
half_wide, half_high = (0.05 * (X[name].max() - X[name].min()) for name in ("debt", "savings"))
axes.add_patch(plt.Rectangle((far.point["debt"] - half_wide, far.point["savings"] - half_high),
                             2 * half_wide, 2 * half_high, fill=False, color="black"))
axes.set(xlim=(0, 5000), ylim=(0, 3000))
figure

# %%
# ## m of k retrained models
# Models that were trained again, with other samples than those held out, are asked together: of the model in
# use and four more, at least four or all five must grant the same row, and the model in use is one of them.
models = [model, *boxwood.retrain(fit, (X, y), 4, random_state=2)]
several = boxwood.Explainer(models, data=X)
for least in (4, 5):
    measure(f"{least} of 5 models",
            advise(several, agree=least, requirements=[boxwood.Class("granted", model=0)]))

# %%
# ## Plausible and live
# `plausible` fits an isolation forest on the data, and every answer must be normal to it. `live` requires that
# the answer's region, where the model says the same, contains rows of the data. Both keep advice where people
# are; neither is a distance from the border.
careful = boxwood.Explainer(model, data=X, plausible=True)
measure("plausible", advise(careful))
measure("live, 1 row", advise(explainer, live=1))

# %%
# ## What survives, and what it costs
# The bars are Clopper–Pearson intervals. They take the pairs as independent, which they are not: one model
# judges all answers. The shares of single models differ more.
figure, axes = plt.subplots(num="How much advice survives retraining, against its cost", figsize=(7, 4))
markers = {"plain": "o", "probability": "s", "robust": "^", "plausible": "P", "live,": "X"}
for name, (cost, survival) in measured.items():
    share, low, high = (100 * value for value in (survival.share, survival.low, survival.high))
    axes.errorbar(cost, share, [[share - low], [high - share]], capsize=2, label=name,
                  fmt=markers.get(name.split()[0], "D"))
axes.set(xlabel="mean cost (L1 in ranges)", ylabel="granted by held-out models, %", ylim=(0, 103))
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))

# %%
plain_shares = measured["plain"][1].by_model
print(f"plain advice in single models: {min(plain_shares):.0%} to {max(plain_shares):.0%}")

# %%
# ## The most for what somebody can do
# Seen from the other side: how high can the probability get for a limited effort? `best` returns the highest
# one with a proof that nothing within the budget reaches more, and every step on the way.
best = explainer.best(person, budget=2 * near.cost, target="granted", cost="l1", curve=True)
print(best.value, best.status)
best.plot()

# %%
# Which to choose depends on what may happen. Against deviations of the person: `robust`, in the units of the
# features. Against retraining: `agree` or a higher probability, and measure it with `retrain` and
# `evaluate.survival`. The page [Advice and retrained models](../experiments/survival.md) does so on public data.
