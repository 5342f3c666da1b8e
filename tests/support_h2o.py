"""The cases of H2O's tree models for support_live_test.py: MOJO files, and what H2O's own scorer says.

The scorer is in H2O's jar; it is called in this process (jpype), because its command prints outputs
only, not the scores before the link.
"""

import functools
import pathlib
import tempfile
import zipfile

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY = LIBRARY = FOLDER = "h2o"
TITLE = "H2O"
RECORDED = True
NAMES = ["income", "debt", "town", "kind"]
SMALL = {"ntrees": 4, "max_depth": 3, "seed": 1, "min_rows": 2}
TOWNS = [f"town {i:02d}" for i in range(40)]  # more than the 32 of a short bit set
KINDS = ["new", "old", "none"]


@functools.cache
def frame():
    import h2o
    import pandas
    h2o.init(nthreads=1, max_mem_size="1G", verbose=False)
    h2o.no_progress()
    rng = np.random.default_rng(0)
    made = pandas.DataFrame({
        "income": rng.normal(size=300), "debt": rng.normal(size=300),
        "town": rng.choice(TOWNS, 300), "kind": rng.choice(KINDS, 300)})
    made.loc[rng.random(300) < 0.2, "debt"] = np.nan
    made.loc[rng.random(300) < 0.1, "kind"] = None
    score = (made.income - made.debt.fillna(1) + made.kind.eq("new")
             + made.town.isin(TOWNS[3:38:5]) * 2 + made.kind.isna())
    made["two"] = np.where(score > 0, "yes", "no")
    made["three"] = np.array(["a", "b", "c"])[np.digitize(score, [-0.5, 1])]
    made["number"], made["positive"] = score, np.exp(np.clip(score, -2, 2))
    return h2o.H2OFrame(made, column_types={name: "enum" for name in ("town", "kind", "two", "three")})


def saved(estimator, label, **settings):
    import h2o
    model = getattr(h2o.estimators, estimator)(**SMALL | settings)
    model.train(x=NAMES, y=label, training_frame=frame())
    whole = pathlib.Path(model.save_mojo(tempfile.mkdtemp(), force=True))
    # Without what scoring does not need, to keep the records small.
    short = whole.with_suffix(".short.zip")
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(short, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.infolist():
            if not one.filename.startswith("experimental/"):
                new.writestr(one.filename, old.read(one))
    return short


@functools.cache
def java():
    import h2o
    import jpype
    jar = pathlib.Path(h2o.__file__).parent / "backend" / "bin" / "h2o.jar"
    jpype.startJVM(classpath=[str(jar)])
    return jpype


def said(path, rows):
    """The sums of the trees, by H2O's scorer, with the intercept or the division that follow."""
    jpype = java()
    model = jpype.JClass("hex.genmodel.MojoModel").load(str(path))
    domains = [list(map(str, domain)) if domain is not None else None
               for domain in model.getDomainValues()]
    numbers = jpype.JArray(jpype.JDouble)
    groups, each = int(model.getNTreeGroups()), int(model.getNTreesPerGroup())
    scores = []
    for row in rows:
        codes = [np.nan if cell is None else domain.index(cell) if domain else cell
                 for cell, domain in zip(row, domains, strict=False)]
        sums = numbers(max(int(model.getPredsSize()), 1))
        model.scoreTreeRange(numbers(codes), 0, groups, sums)
        found = [float(value) for value in sums]
        first = 1 if int(model.nclasses()) > 1 else 0
        if str(model.getClass().getSimpleName()) == "GbmMojoModel":
            base = float(model._init_f)
            scores.append(found[1:] if each > 1 else [found[first] + base])
        elif each > 1:
            scores.append(found[1:])
        else:
            scores.append([found[first] / groups])
    return scores


def live(estimator, label, **settings):
    def made():
        from boxwood.models import h2o as reader
        path = saved(estimator, label, **settings)
        trees = reader.read(path.read_bytes()).trees

        def around(feature):
            thresholds = [tree.threshold[(tree.feature == feature) & (tree.kind == 1)] for tree in trees]
            return [*neighbours(np.concatenate([*thresholds, [0.0]])), np.inf, -np.inf, None]
        rows = rows_around([around(0), around(1), [*TOWNS, None], [*KINDS, None]], 80)
        return path, NAMES, rows, said(path, rows)
    return made


def refused(estimator, label, **settings):
    return lambda: (saved(estimator, label, **settings), NAMES, [], [])


GBM, DRF = "H2OGradientBoostingEstimator", "H2ORandomForestEstimator"
CASES = [
    case(FAMILY, "GBM", "two classes", live(GBM, "two")),
    case(FAMILY, "GBM", "several classes", live(GBM, "three")),
    *(case(FAMILY, "GBM", name, live(GBM, label, distribution=name))
      for name, label in (("gaussian", "number"), ("laplace", "number"), ("quantile", "number"),
                          ("huber", "number"), ("poisson", "positive"), ("gamma", "positive"),
                          ("tweedie", "positive"))),
    case(FAMILY, "GBM", "balance_classes", refused(GBM, "two", balance_classes=True),
         message="trained with balance_classes, which corrects its probabilities"),
    case(FAMILY, "GBM", "categories as several columns",
         refused(GBM, "two", categorical_encoding="one_hot_explicit"),
         message='has categorical_encoding="OneHotExplicit", which is not supported'),
    case(FAMILY, "DRF", "two classes", live(DRF, "two", max_depth=5)),
    case(FAMILY, "DRF", "several classes", live(DRF, "three", max_depth=5)),
    case(FAMILY, "DRF", "regression", live(DRF, "number", max_depth=5)),
    case(FAMILY, "DRF", "binomial_double_trees", refused(DRF, "two", binomial_double_trees=True),
         message="this DRF of H2O has binomial_double_trees, which is not supported"),
    case(FAMILY, "others", "IsolationForest", refused("H2OIsolationForestEstimator", None, min_rows=1),
         message="holds Isolation Forest, which is not supported"),
]
