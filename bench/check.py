"""Judges answers with the source library itself: does it predict what was asked, at what cost.

Nothing here knows Boxwood: the prediction is XGBoost's or scikit-learn's, the cost is added up
again, and kinds, ranges and fixed features are looked at one by one.
"""

import json
import pickle
import statistics
import time

import numpy as np
import xgboost
from results import proven

PREDICTIONS = 200  # timed, for the median of one


class Judge:
    """A model with its queries, as the library sees them."""

    def __init__(self, folder):
        self.meta = json.loads((folder / "meta.json").read_text())
        document = json.loads((folder / "queries.json").read_text())
        self.rules, self.queries = document["features"], document["queries"]
        if self.meta["library"] == "sklearn":
            self.model = pickle.loads((folder / "forest.pickle").read_bytes())
        else:
            self.model = xgboost.Booster({"nthread": 1}, model_file=folder / self.meta["model"])

    def outputs(self, points):
        """Classes, or numbers for a regression, at points rounded to float32 as the library does."""
        points = np.asarray(points, dtype=np.float32)
        if self.meta["library"] == "sklearn":
            return self.model.predict(points)
        outputs = self.model.predict(xgboost.DMatrix(points, nthread=1))
        if self.meta["task"] == "binary":
            return (outputs > 0.5).astype(int)
        return outputs.argmax(axis=1) if self.meta["task"] == "multiclass" else outputs

    def meets(self, query, output):
        """Whether the library's output is what the query asked for."""
        if "class" in query:
            return int(output) == query["class"]
        low, high = query["lower"], query["upper"]
        return (low is None or float(output) >= low) and (high is None or float(output) <= high)

    def allowed(self, query, point):
        """Whether every change is one that the query allows."""
        for place, (rule, now, then) in enumerate(zip(self.rules, query["point"], point)):
            if now == then:
                continue
            if now is None or then is None or rule["fixed"]:
                return False
            if rule["kind"] != "continuous" and then != int(then):
                return False
            low, high = rule["lower"], rule["upper"]
            low, high = query.get("ranges", {}).get(str(place), (low, high))
            if (low is not None and then < low) or (high is not None and then > high):
                return False
        return True

    def cost(self, query, point, norm):
        """The cost of a point, from the definition."""
        total = 0.0
        for rule, now, then in zip(self.rules, query["point"], point):
            if now == then or now is None:
                continue
            change = abs(then - now) / rule["scale"]
            if rule["kind"] == "categorical":
                change = 1.0
            total += rule["weight"] * (change if norm == "l1" else change * change)
        return total

    def judge(self, answers, norm, limit):
        """Adds `valid`, the recomputed `cost` and `time` to every answer, in place; points go.

        The time is that of a proof: what was not proven, or is invalid, took the whole limit.
        """
        found = [answer for answer in answers if answer.get("point") is not None]
        filled = [[np.nan if value is None else value for value in answer["point"]]
                  for answer in found]
        outputs = self.outputs(filled) if found else []
        for answer in answers:
            answer["valid"], answer["cost"] = None, None
        for answer, output in zip(found, outputs):
            query, point = self.queries[answer["row"]], answer["point"]
            answer["valid"] = self.meets(query, output) and self.allowed(query, point)
            answer["cost"] = self.cost(query, point, norm)
        for answer in answers:
            answer.pop("point", None)
            answer["group"] = self.queries[answer["row"]].get("group", "")
            answer["time"] = answer.get("seconds") or 0.0
            if not proven(answer):
                answer["time"] = max(answer["time"], limit)


def median_seconds(call):
    """Processor time of a call: the median of many, and the least of three such medians."""
    medians = []
    for _ in range(3):
        times = []
        for _ in range(PREDICTIONS):
            started = time.process_time()
            call()
            times.append(time.process_time() - started)
        medians.append(statistics.median(times))
    return min(medians)


def single_prediction(judge):
    """Processor time of the library's own prediction of one row, from Python, on one thread."""
    row = np.asarray([[np.nan if value is None else value for value in judge.queries[0]["point"]]],
                     dtype=np.float32)
    if judge.meta["library"] == "sklearn":
        return {"predict": median_seconds(lambda: judge.model.predict(row))}
    return {
        "predict": median_seconds(lambda: judge.model.predict(xgboost.DMatrix(row, nthread=1))),
        "inplace_predict": median_seconds(lambda: judge.model.inplace_predict(row)),
    }
