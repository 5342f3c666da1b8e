"""What the tests of the Python package share. The package under test is the one on PYTHONPATH."""

import os
import pathlib
import random

import boxwood
import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GERMAN = ROOT / "examples" / "german_credit"
# A row of `colours`.
RED = {"n": 0.0, "c0": 1.0, "c1": 0.0, "c2": 0.0, "c3": 0.0}

# What is drawn is the same every day; `make test-long` draws other cases (BOXWOOD_SEED=fresh), and more (BOXWOOD_CASES).
SEED = os.environ.get("BOXWOOD_SEED", "0")
IS_FRESH = SEED == "fresh"


def case_numbers(usual, most=1 << 30):
    """Return the numbers of the random cases, which their names show.

    BOXWOOD_SEED=<number> BOXWOOD_CASES=1 repeats one of them.
    """
    first = random.SystemRandom().randrange(1 << 30) if IS_FRESH else int(SEED)
    return range(first, first + min(most, int(os.environ.get("BOXWOOD_CASES", str(usual)))))


@pytest.fixture(scope="session")
def german():
    return boxwood.Explainer(GERMAN / "model.ubj", schema=GERMAN / "schema.json")


@pytest.fixture(scope="session")
def applicants():
    return pd.read_csv(GERMAN / "applicants.csv").drop(columns="class")


@pytest.fixture(scope="session")
def people():
    """A frame with every type of column, and what is to be predicted of it."""
    random = np.random.default_rng(11)
    count = 400
    frame = pd.DataFrame({
        "age": random.integers(18, 80, count),
        "income": np.round(random.lognormal(3, 0.6, count), 2),
        "member": random.random(count) < 0.4,
        "town": pd.Categorical(random.choice(["Bonn", "Jena", "Ulm"], count)),
        "floors": pd.Categorical(random.choice([1, 2, 5], count), categories=[1, 2, 5]),
    })
    score = (frame["income"] / 20 + frame["member"] * 0.8 + (frame["town"] == "Ulm") * 0.9
             - (frame["age"] - 40).abs() / 30 + (frame["floors"] == 5) * 0.5
             + random.normal(0, 0.2, count))
    return frame, score


@pytest.fixture(scope="session")
def colours():
    """A model of a number and four one-hot columns, and the schema that makes one feature of them."""
    import xgboost

    random = np.random.default_rng(0)
    shade = random.integers(0, 4, 800)
    frame = pd.DataFrame({"n": random.normal(size=800),
                          **{f"c{k}": (shade == k).astype(float) for k in range(4)}})
    wanted = (shade >= 2) | ((shade == 1) & (frame["n"] > 1))
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1).fit(frame, wanted)
    schema = boxwood.Schema.from_data(model, frame)
    schema.one_hot = [boxwood.OneHot([f"c{k}" for k in range(4)], title="colour",
                                     labels=["red", "green", "blue", "grey"])]
    return model, schema, boxwood.Explainer(model, schema=schema)
