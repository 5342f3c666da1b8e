"""Prices

For a model that predicts a number, ask for a range: what is the cheapest change to this house after which
the model values it at 300 or more? The houses are synthetic, prices are in thousands.
"""
# %%
import boxwood
import numpy as np
import pandas as pd
from boxwood import plots
from sklearn.ensemble import GradientBoostingRegressor

random = np.random.default_rng(7)
count = 1500
houses = pd.DataFrame({
    "area": random.integers(45, 220, count),
    "rooms": random.integers(1, 8, count),
    "bathrooms": random.integers(1, 4, count),
    "built": random.integers(1900, 2024, count),
    "kilometres": np.round(random.exponential(8, count), 1),
    "heating": random.integers(0, 3, count),
})
price = (1.3 * houses["area"] + 9 * houses["rooms"] + 14 * houses["bathrooms"]
         + 0.4 * (houses["built"] - 1950) - 3 * houses["kilometres"].clip(upper=20)
         + 18 * houses["heating"] + 40 + random.normal(0, 12, count))
model = GradientBoostingRegressor(n_estimators=200, max_depth=4, random_state=0).fit(houses, price)

# %%
# The schema comes from the data and is then adjusted. Location and year cannot change, the area can only
# grow, and the heating has three ordered kinds. The scales are chosen so that one unit of change costs about
# the same everywhere: 10 square metres, one room, one step of heating.
schema = boxwood.Schema.from_data(model, houses)
schema.subject, schema.outcome, schema.output_unit = "house", "price", "thousand"
schema["built"].fixed = schema["kilometres"].fixed = True
schema["area"].unit, schema["area"].scale, schema["area"].step = "m²", 10, 5
schema["area"].direction = schema["bathrooms"].direction = schema["heating"].direction = "up"
schema["rooms"].scale = schema["bathrooms"].scale = schema["heating"].scale = 1
schema["heating"].kind, schema["heating"].labels = "ordinal", ["stove", "gas", "heat pump"]
explainer = boxwood.Explainer(model, schema=schema)
house = houses.iloc[(price - 230).abs().argmin()]
answer = explainer.explain(house, at_least=300)
print(f"{answer.status}: {answer.outcome_before:.1f} → {answer.outcome:.1f}")
print(answer.to_frame()[["feature", "now", "change_to", "anything_in"]].to_string(index=False))

# %%
# ## Relative to the present value
answer = explainer.explain(house, change="+10%", cost="l1")
print(f"{answer.outcome_before:.1f} → {answer.outcome:.1f}")
for change in answer.changes:
    print(" ", change)

# %%
# ## A range
# Both ends of the range hold, and also a rule between features: more rooms only with more area.
answer = explainer.explain(house, between=(280, 285),
                           rules=boxwood.If("rooms rises", "area rises"))
print(f"{answer.status}: {answer.outcome:.1f}")
for change in answer.changes:
    print(" ", change)

# %%
# ## The cost of each price
# The lowest cost for increasing prices. If it is infinite, it is proven that no admissible change reaches that
# price.
levels = list(range(240, 501, 10))
sweep = explainer.sweep(house, levels, at_least=levels[0])
print(sweep.to_frame()[["level", "status", "cost", "changed"]].iloc[::2].round(2).to_string(index=False))

# %%
plots.sweep(sweep, label="wanted price, thousands")

# %%
# ## How robust is the estimate?
# The cheapest change of area, rooms and heating that changes the price by more than 5. `tolerance` is the
# difference up to which two outputs count as the same.
answer = explainer.robustness(house, tolerance=5, only=["area", "rooms", "heating"])
print(f"{answer.outcome_before:.1f} → {answer.outcome:.1f}", [str(one) for one in answer.changes])
