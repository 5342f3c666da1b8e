"""The cases of ngboost for support_live_test.py."""

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY = LIBRARY = FOLDER = "ngboost"
RECORDED = True
KEPT = ("base_models", "scalings", "col_idxs", "learning_rate", "init_params", "n_features", "Dist",
        "n_params", "tree_", "children_left", "children_right", "feature", "threshold", "value",
        "missing_go_to_left")
SMALL = {"n_estimators": 4, "verbose": False, "random_state": 1, "learning_rate": 0.3}


def trained(kind, distribution, label, **more):
    def live():
        import ngboost
        from ngboost import distns
        from sklearn.tree import DecisionTreeRegressor
        rng = np.random.default_rng(4)
        x = rng.normal(size=(120, 3))
        own = getattr(distns, distribution) if isinstance(distribution, str) else \
            distns.k_categorical(distribution)
        model = getattr(ngboost, kind)(
            Dist=own, Base=DecisionTreeRegressor(max_depth=2, random_state=1), **SMALL | more).fit(
            x, label(x[:, 0] - x[:, 1] + rng.normal(size=120) / 4))
        trees = [(tree.tree_, columns) for models, columns in zip(model.base_models, model.col_idxs,
                                                                  strict=True) for tree in models]
        own = [[number for tree, columns in trees for number, feature in zip(
            tree.threshold, tree.feature, strict=True) if feature >= 0 and columns[feature] == i] or [0.0]
            for i in range(3)]
        rows = rows_around([neighbours(several, single=True) for several in own], 40)
        scores = model.pred_param(np.array(rows))
        if kind == "NGBRegressor":
            scores = scores[:, :1]
        elif scores.shape[1] > 1:
            scores = np.column_stack([np.zeros(len(rows)), scores])
        return model, ["f0", "f1", "f2"], rows, scores
    return live


CASES = [
    case(FAMILY, "regression", "Normal", trained("NGBRegressor", "Normal", lambda s: s), KEPT),
    case(FAMILY, "regression", "Laplace", trained("NGBRegressor", "Laplace", lambda s: s), KEPT),
    case(FAMILY, "regression", "Exponential", trained("NGBRegressor", "Exponential", np.exp), KEPT),
    case(FAMILY, "regression", "Poisson",
         trained("NGBRegressor", "Poisson", lambda s: np.round(np.exp(s))), KEPT),
    case(FAMILY, "regression", "LogNormal", trained("NGBRegressor", "LogNormal", np.exp), KEPT,
         "predicts the mean of LogNormal, which is not a sum of trees"),
    case(FAMILY, "classification", "two classes",
         trained("NGBClassifier", 2, lambda s: (s > 0).astype(int), col_sample=0.7), KEPT),
    case(FAMILY, "classification", "several classes",
         trained("NGBClassifier", 3, lambda s: np.digitize(s, [-0.5, 0.5])), KEPT),
]
