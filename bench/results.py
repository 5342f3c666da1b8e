"""Questions to the raw results of a run: which answers, how fast, how good."""

import math
import statistics

PROVEN = ("optimal", "infeasible")
# Costs are in units of a feature's range. Below this, an optimum is a step or two of floats.
FLOAT_STEPS = 1e-6


def quantile(values, share):
    """The smallest value that at least this share does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def times(answers):
    """Seconds to the proof of each answer; the limit where there is none."""
    return [answer["time"] for answer in answers]


def median(answers):
    return statistics.median(times(answers))


def proven(answer):
    """Whether the tool claims a proof that the source library does not contradict."""
    return answer["status"] in PROVEN and answer["valid"] is not False


class Results:
    """The results of one run, by model, tool and norm."""

    def __init__(self, raw):
        self.raw = raw
        self.threads = raw["threads"]
        self.entries = {(entry["model"], entry["tool"], entry["norm"], entry["threads"]): entry
                        for entry in raw["asks"]}
        self.best = self._best()

    def _best(self):
        """The cheapest valid cost that any tool found, for every (model, norm, row)."""
        best = {}
        for (model, _, norm, _), entry in self.entries.items():
            for answer in entry["answers"]:
                if answer["valid"]:
                    key = (model, norm, answer["row"])
                    best[key] = min(best.get(key, math.inf), answer["cost"])
        return best

    def cross_check(self, entry):
        """(proofs that another tool's proof confirms, proofs that another tool refutes).

        A valid point cheaper than a claimed optimum refutes it, and so does any valid point where
        none is said to exist. Validity alone never catches a false proof.
        """
        confirmed = refuted = 0
        key = entry["model"], entry["norm"]
        others = [self.by_row(key[0], tool, key[1]) for tool in self.raw["tools"]
                  if tool != entry["tool"]]
        for answer in filter(proven, entry["answers"]):
            row = answer["row"]
            cost = math.inf if answer["cost"] is None else answer["cost"]
            best = self.best.get((*key, row), math.inf)
            if best < math.inf and cost > best * (1 + FLOAT_STEPS) + FLOAT_STEPS:
                refuted += 1
            elif any(row in other and proven(other[row]) for other in others):
                confirmed += 1
        return confirmed, refuted

    def models(self, *families, kinds=None, where=None):
        """Names of models of these families, in the order of the run."""
        return [name for name, meta in self.raw["models"].items()
                if (not families or meta["family"] in families)
                and (kinds is None or meta["kinds"] == kinds)
                and (where is None or where(name))]

    def entry(self, model, tool, norm, threads=None):
        return self.entries.get((model, tool, norm, threads or self.threads))

    def answers(self, model, tool, norm, threads=None):
        entry = self.entry(model, tool, norm, threads)
        return entry["answers"] if entry else []

    def by_row(self, model, tool, norm, threads=None):
        return {answer["row"]: answer for answer in self.answers(model, tool, norm, threads)}

    def common_rows(self, model, names, norm, threads=None):
        """Rows that every one of these tools was asked."""
        rows = [set(self.by_row(model, name, norm, threads)) for name in names]
        return sorted(set.intersection(*rows)) if rows else []

    def relative_cost(self, entry):
        """Geometric mean of cost over best known cost, so that one query whose optimum is next to
        nothing does not decide it; float steps count as nothing. None without a point."""
        ratios = [(answer["cost"] + FLOAT_STEPS)
                  / (self.best[entry["model"], entry["norm"], answer["row"]] + FLOAT_STEPS)
                  for answer in entry["answers"] if answer["valid"]]
        return statistics.geometric_mean(ratios) if ratios else None
