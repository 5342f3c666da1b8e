"""Times models made of several against their members asked together.

    python bench/composed.py [--rows N]

For each composition and each row: the processor time of one answer, and of one question to the
members as separate models that must all predict the wanted class. Prints medians and the median
ratio.
"""

import argparse
import statistics
import time
import warnings

import boxwood
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn import calibration, datasets, ensemble, linear_model

warnings.filterwarnings("ignore")


def compositions(frame, labels):
    """By name the fitted model and its members."""
    def boosted(seed):
        return xgboost.XGBClassifier(n_estimators=40, max_depth=4, random_state=seed, subsample=0.7)

    def histogram(seed):
        return lightgbm.LGBMClassifier(n_estimators=40, num_leaves=15, random_state=seed,
                                       subsample=0.7, subsample_freq=1, verbosity=-1)

    forest = ensemble.RandomForestClassifier(20, max_depth=6, random_state=0)
    soft = ensemble.VotingClassifier([("x", boosted(1)), ("l", histogram(2)), ("f", forest)],
                                     voting="soft").fit(frame, labels)
    hard = ensemble.VotingClassifier([("x", boosted(1)), ("l", histogram(2)), ("y", boosted(3))],
                                     voting="hard").fit(frame, labels)
    found = {"soft voting": (soft, soft.estimators_), "hard voting": (hard, hard.estimators_)}
    for method in ("sigmoid", "isotonic"):
        model = calibration.CalibratedClassifierCV(boosted(1), method=method, cv=3).fit(frame, labels)
        found[f"calibrated, {method}"] = (
            model, [one.estimator for one in model.calibrated_classifiers_])
    stack = ensemble.StackingClassifier([("x", boosted(1)), ("l", histogram(2)), ("f", forest)],
                                        linear_model.LogisticRegression(), cv=2).fit(frame, labels)
    found["stack"] = (stack, stack.estimators_)
    three = labels + labels * (frame["c0"] * frame["c1"] > 0)
    several = ensemble.StackingClassifier([("x", boosted(1)), ("l", histogram(2)), ("f", forest)],
                                          linear_model.LogisticRegression(), cv=2).fit(frame, three)
    found["stack of three classes"] = (several, several.estimators_)
    bag = ensemble.BaggingClassifier(histogram(2), n_estimators=3, random_state=0).fit(
        frame.to_numpy(), labels)
    found["bag of boosting"] = (bag, bag.estimators_)
    nested = ensemble.VotingClassifier(
        [("c", calibration.CalibratedClassifierCV(boosted(1), cv=2)), ("l", histogram(2))],
        voting="soft").fit(frame, labels)
    first, second = nested.estimators_
    found["vote with a calibrated model"] = (
        nested, [*(one.estimator for one in first.calibrated_classifiers_), second])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20)
    rows = parser.parse_args().rows
    x, labels = datasets.make_classification(1500, 8, n_informative=5, random_state=3)
    columns = [f"c{i}" for i in range(8)]
    frame = pd.DataFrame(x.round(2).astype(np.float32), columns=columns)
    print("| model | members together, ms | composed, ms | ratio |\n|---|---|---|---|")
    for name, (model, members) in compositions(frame, labels).items():
        whole = boxwood.Explainer(model, frame)
        apart = boxwood.Explainer(list(members), frame)
        times = []
        for i in range(rows + 1):
            wanted = (int(model.predict(frame.iloc[[i]])[0]) + 1) % len(model.classes_)
            targets = [boxwood.Class(str(wanted), model=k) for k in range(len(members))]
            began = time.process_time()
            apart.explain(frame.iloc[i], targets[0], requirements=targets[1:], threads=1)
            middle = time.process_time()
            answer = whole.explain(frame.iloc[i], wanted, threads=1, time_limit=60)
            ended = time.process_time()
            assert answer.status == "optimal", answer.status
            if i > 0:  # the first question prepares the model
                times.append((middle - began, ended - middle))
        a, b = (statistics.median(part) * 1e3 for part in zip(*times, strict=True))
        ratio = np.median([one[1] / one[0] for one in times])
        print(f"| {name} | {a:.1f} | {b:.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
