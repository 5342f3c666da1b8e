"""Anomalies

An isolation forest gives every row a score and calls rows below a threshold anomalous. It does not say why, nor
how far a normal row is from an alarm. Both are exact questions. The readings of a pump here are synthetic.
"""
# %%
import boxwood
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest

random = np.random.default_rng(3)
count = 800
speed = random.normal(1500, 60, count)
readings = pd.DataFrame({
    "speed": speed.round(),
    "flow": (speed / 50 + random.normal(0, 0.6, count)).round(1),
    "pressure": random.normal(6, 0.3, count).round(1),
    "temperature": random.normal(61, 2.0, count).round(),
    "vibration": random.gamma(6, 0.3, count).round(1),
})
forest = IsolationForest(n_estimators=60, contamination=0.02, random_state=0).fit(readings)
explainer = boxwood.Explainer(forest, readings, scale="deviation")

# %%
# ## Why is this row anomalous?
# A reading with too much vibration and a high temperature. `anomaly` gives the cheapest change that makes the row
# normal, counted in standard deviations, and what each feature contributes. *Alone it gains* is by how much the
# score rises at most if only this feature changes; *not enough* means that no value of this feature alone makes
# the row normal.
alarm = pd.Series({"speed": 1510.0, "flow": 30.3, "pressure": 6.1, "temperature": 68.0,
                   "vibration": 5.2})
found = explainer.anomaly(alarm)
print(found)

# %%
# Green bars are enough by themselves.
found.reasons.plot()

# %%
# ## How far is a normal row from an alarm?
# The same call for a normal row gives the cheapest change that raises an alarm. Proven: every cheaper change leaves
# the row normal.
normal = readings.iloc[int(forest.score_samples(readings).argmax())]
found = explainer.anomaly(normal)
print("anomalous:", found.anomalous)
print(found.answer)

# %%
# ## How normal can it get?
# `best` asks for the highest score that changes of a limited cost reach; the score of scikit-learn is higher for more
# normal rows. With `curve=True` every step is found.
best = explainer.best(alarm, 4, curve=True)
print(f"score now {best.before:.3f}, at most {best.value:.3f} for a cost of {best.budget} ({best.status})")
print(len(best.steps), "steps")

# %%
best.plot()

# %%
# ## Only what can be adjusted
# Rules hold as for all questions: if vibration cannot be changed, `reasons` and the answer are about the other features.
found = explainer.anomaly(alarm, fixed=["vibration"])
print(found.answer.status)
