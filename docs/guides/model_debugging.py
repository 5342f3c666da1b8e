"""Model debugging

Exact search answers questions about a model that samples cannot answer: "can this column alone change a
decision?", "can a higher income ever lead to a refusal?". Either there is an example, or it is proven that
there is none. The data is synthetic: loans, with a column `branch` that has nothing to do with who pays
back.
"""
# %%
import boxwood
import numpy as np
import pandas as pd
from boxwood import plots
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

random = np.random.default_rng(0)
count = 1500
income = np.round(random.lognormal(3.4, 0.45, count) * 100).astype(int)
loans = pd.DataFrame({
    "income": income,
    "debt": np.round(income * random.uniform(0, 1.2, count)).astype(int),
    "age": random.integers(18, 75, count),
    "branch": random.integers(1, 40, count),
})
pays = (loans["income"] / 3000 - 1.6 * loans["debt"] / loans["income"] + 0.2 * (loans["age"] > 30)
        + random.normal(0, 0.3, count)) > 0.4
decision = np.where(pays, "granted", "refused")
model = GradientBoostingClassifier(n_estimators=100, max_depth=4, random_state=0)
model.fit(loans, decision)
explainer = boxwood.Explainer(model, data=loans)
said = model.predict(loans)
refused, granted = loans[said == "refused"].iloc[:300], loans[said == "granted"].iloc[:300]

# %%
# ## Can an irrelevant column change a decision?
# Only `branch` may change. "Infeasible" is a proof for all branches.
batch = explainer.explain_batch(refused, "granted", only=["branch"], show_progress=False)
print(batch)
print(batch.to_frame().query("status == 'optimal'")["changes"].head(3).to_string())

# %%
# Some refusals depend on the branch alone. The model has learned noise; remove the column.
#
# ## Can a higher income lead to a refusal?
# For everybody who is granted: is there a higher income, everything else unchanged, that is refused?
batch = explainer.explain_batch(granted, "refused", only=["income"],
                                rules="income may only rise", show_progress=False)
print(batch)
worst = max((one for one in batch if one.found), key=lambda one: one.cost)
print(worst)

# %%
# A map of two columns shows where, with exact rectangles instead of a raster of samples. The refused income
# lies in a narrow stripe.
applicant = granted.iloc[list(batch).index(worst)]
view = {name: (applicant[name] * 0.8, applicant[name] * 1.2) for name in ("income", "debt")}
drawn = explainer.map(applicant, "granted", features=("income", "debt"), view=view)
print(drawn)
plots.decision_map(drawn, worst)

# %%
# A model that is trained with monotone constraints cannot do that. Here is the proof for each row:
monotone = HistGradientBoostingClassifier(max_iter=100, max_depth=4, random_state=0,
                                          monotonic_cst={"income": 1, "debt": -1})
monotone.fit(loans[["income", "debt", "age"]], decision)
mended = boxwood.Explainer(monotone, data=loans[["income", "debt", "age"]])
said = monotone.predict(loans[["income", "debt", "age"]])
granted = loans[said == "granted"].iloc[:300]
print(mended.explain_batch(granted, "refused", only=["income"], rules="income may only rise",
                           show_progress=False))

# %%
# ## Which decisions are fragile?
# The Euclidean distance to any other decision, in ranges of the columns, for 200 rows and each model.
for name, one in (("first model", explainer), ("mended", mended)):
    frame = one.explain_batch(loans.iloc[:200], cost="l2", show_progress=False).to_frame()
    nearest = frame["distance"].quantile([0.1, 0.5, 0.9]).round(3)
    print(f"{name}: proven {frame['proven'].sum()} of 200, distance 10 % {nearest[0.1]}, "
          f"median {nearest[0.5]}, 90 % {nearest[0.9]}")

# %%
# ## Does Boxwood agree with the library?
# It must, bit for bit; this is a check. `verify` checks one answer with code that shares nothing with the
# search.
same = np.array_equal(explainer.scores(loans)[:, 0], model.decision_function(loans))
print("raw scores of all rows are scikit-learn's:", same)
print("faults found in the answer above:", worst.verify())
