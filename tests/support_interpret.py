"""The cases of interpret's explainable boosting machines for support_live_test.py."""

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY = LIBRARY = FOLDER = "interpret"
RECORDED = True
KEPT = ("bins_", "term_scores_", "term_features_", "intercept_", "feature_names_in_", "link_", "classes_")
SMALL = {"interactions": 2, "max_bins": 6, "max_interaction_bins": 4, "outer_bags": 1, "max_rounds": 40,
         "random_state": 1, "n_jobs": 1}


def table():
    import pandas
    rng = np.random.default_rng(5)
    x = pandas.DataFrame({"age": rng.normal(40, 12, 200), "rooms": rng.integers(1, 6, 200),
                          "town": np.array(["Bonn", "Köln", "Ulm"])[rng.integers(0, 3, 200)],
                          "debt": rng.normal(size=200)})
    x.loc[::9, "age"] = np.nan
    x.loc[::11, "town"] = None
    score = x["age"].fillna(40) / 12 - x["rooms"] / 2 + (x["town"] == "Ulm") + x["debt"] * (x["rooms"] - 3)
    return x, score - score.median()


def candidates(model):
    found = []
    for levels in model.bins_:
        if isinstance(levels[0], dict):
            found.append([*(key for level in levels for key in level), "(other)", None])
        else:
            found.append([*neighbours(np.concatenate(levels)), None])
    return found


def trained(kind, label, **more):
    def live():
        import pandas
        from interpret import glassbox
        x, score = table()
        model = getattr(glassbox, kind)(**SMALL | more).fit(x, label(score))
        rows = pandas.DataFrame(rows_around(candidates(model), 60), columns=x.columns)
        says = getattr(model, "decision_function", None) or model._predict_score
        return model, list(x.columns), rows, says(rows)
    return live


def words(score):
    return np.array(["low", "middle", "high"])[np.digitize(score, [-1.5, 1.5])]


def other(name):
    def live():
        from interpret import glassbox
        x, score = table()
        x = x[["rooms", "debt"]]
        return getattr(glassbox, name)().fit(x, score > 0), list(x.columns), [], []
    return live


def constant():
    from interpret import glassbox
    x, _ = table()
    return glassbox.ExplainableBoostingClassifier(**SMALL).fit(x, np.zeros(len(x))), [], [], []


CASES = [
    case(FAMILY, "classification", "two classes",
         trained("ExplainableBoostingClassifier", lambda s: s > 0), KEPT),
    case(FAMILY, "classification", "several classes",
         trained("ExplainableBoostingClassifier", words, interactions=1), KEPT),
    case(FAMILY, "classification", "a single class", constant, KEPT,
         "was fitted with a single class, so it has no other outcome"),
    case(FAMILY, "regression", "rmse", trained("ExplainableBoostingRegressor", lambda s: s), KEPT),
    case(FAMILY, "regression", "poisson_deviance",
         trained("ExplainableBoostingRegressor", np.exp, objective="poisson_deviance"), KEPT),
    case(FAMILY, "terms", "interactions of three features",
         trained("ExplainableBoostingClassifier", lambda s: s > 0, interactions=[(0, 1, 3), (0, 2)]), KEPT),
    case(FAMILY, "terms", "whole numbers as categories",
         trained("ExplainableBoostingClassifier", lambda s: s > 0,
                 feature_types=["continuous", "nominal", "nominal", "continuous"]), KEPT),
    case(FAMILY, "others", "ClassificationTree", other("ClassificationTree"), KEPT,
         "ClassificationTree of interpret is not an explainable boosting machine"),
]
