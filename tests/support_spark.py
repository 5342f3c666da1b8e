"""The cases of Spark ML's tree models for support_live_test.py: what Spark saves in folders."""

import functools
import pathlib
import tempfile

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY, LIBRARY, FOLDER = "spark", "pyspark", "spark"
TITLE = "Spark ML"
RECORDED = True
NAMES = ["f0", "f1", "f2"]
SMALL = {"maxDepth": 2, "seed": 1}
CODES = [0.0, 1.0, 2.0, 3.0, 4.0, 9.0, None]


@functools.cache
def session():
    from pyspark.sql import SparkSession
    made = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "1").getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def data():
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.normal(size=200), rng.normal(size=200), rng.integers(0, 4, 200)])
    score = x[:, 0] - x[:, 1] + np.isin(x[:, 2], [1, 3])
    return x, score


@functools.cache
def frame():
    """Vectors whose third number is a category, as the attributes of the column say."""
    from pyspark.ml.feature import VectorIndexer
    from pyspark.ml.linalg import Vectors
    session()
    x, score = data()
    rows = [(Vectors.dense(row.tolist()), float(s > 0), float(np.digitize(s, [-0.5, 1])), float(s))
            for row, s in zip(x, score, strict=True)]
    made = session().createDataFrame(rows, ["plain", "two", "three", "number"])
    return VectorIndexer(inputCol="plain", outputCol="features", maxCategories=4).fit(made).transform(made)


def saved(model):
    folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    model.write().overwrite().save(str(folder))
    return folder


def thresholds(model, feature):
    """All thresholds of a feature, from the text that Spark prints."""
    import re
    trees = getattr(model, "trees", [model])
    return [float(found) for tree in trees
            for found in re.findall(rf"feature {feature} <= ([-\d.E]+)\)", tree.toDebugString)]


def said(model, row):
    from pyspark.ml.linalg import Vectors
    vector = Vectors.dense([np.nan if value is None else value for value in row])
    if not hasattr(model, "predictRaw"):
        return [model.predict(vector)]
    raw = model.predictRaw(vector).toArray().tolist()
    return raw[1:] if type(model).__name__.startswith("GBT") else raw


def trained(module, name, label, **more):
    def live():
        import importlib
        table, kind = frame(), getattr(importlib.import_module(f"pyspark.ml.{module}"), name)
        model = kind(labelCol=label, **SMALL | more).fit(table)
        rows = rows_around([[*neighbours(thresholds(model, 0) or [0.0]), None],
                            [*neighbours(thresholds(model, 1) or [0.0]), None], CODES], 60)
        return saved(model), NAMES, rows, [said(model, row) for row in rows]
    return live


def with_thresholds():
    from pyspark.ml.classification import RandomForestClassifier
    table = frame()
    model = RandomForestClassifier(labelCol="two", numTrees=2, **SMALL).setThresholds([0.3, 0.7])
    return saved(model.fit(table)), NAMES, [], []


def piped(kinds=("StringIndexer", "VectorAssembler")):
    def live():
        from pyspark.ml import Pipeline, classification, feature
        session()
        x, score = data()
        rows = [(float(a), float(b), ["Ulm", "Bonn", "Kiel", "Hof"][int(c)], "yes" if s > 0 else "no")
                for (a, b, c), s in zip(x, score, strict=True)]
        table = session().createDataFrame(rows, ["income", "debt", "town", "answer"])
        stages = [
            feature.StringIndexer(inputCols=["town", "answer"], outputCols=["place", "label"]),
            feature.VectorAssembler(inputCols=["income", "debt", "place"], outputCol="together"),
            *([feature.PCA(k=2, inputCol="together", outputCol="features")] if "PCA" in kinds else []),
            classification.RandomForestClassifier(
                numTrees=3, featuresCol="features" if "PCA" in kinds else "together", **SMALL)]
        model = Pipeline(stages=stages).fit(table)
        forest, names = model.stages[-1], ["income", "debt", "town"]
        if "PCA" in kinds:
            return saved(model), names, [], []
        towns = list(model.stages[0].labelsArray[0])
        rows = rows_around([neighbours(thresholds(forest, 0) or [0.0]),
                            neighbours(thresholds(forest, 1) or [0.0]), towns], 40)
        scores = [said(forest, [*row[:2], float(towns.index(row[2]))]) for row in rows]
        return saved(model), names, rows, scores
    return live


def linear():
    from pyspark.ml.regression import LinearRegression
    table = frame()
    return saved(LinearRegression(labelCol="number").fit(table)), NAMES, [], []


CASES = [
    case(FAMILY, "classification", "GBTClassifier", trained("classification", "GBTClassifier", "two",
                                                            maxIter=12)),
    case(FAMILY, "classification", "RandomForestClassifier",
         trained("classification", "RandomForestClassifier", "three", numTrees=5)),
    case(FAMILY, "classification", "DecisionTreeClassifier",
         trained("classification", "DecisionTreeClassifier", "two", maxDepth=3)),
    case(FAMILY, "classification", "thresholds", with_thresholds,
         message="this RandomForestClassificationModel has thresholds, which are not supported"),
    case(FAMILY, "regression", "GBTRegressor", trained("regression", "GBTRegressor", "number", maxIter=12)),
    case(FAMILY, "regression", "RandomForestRegressor",
         trained("regression", "RandomForestRegressor", "number", numTrees=5)),
    case(FAMILY, "regression", "DecisionTreeRegressor",
         trained("regression", "DecisionTreeRegressor", "number", maxDepth=3)),
    case(FAMILY, "pipelines", "StringIndexer and VectorAssembler", piped()),
    case(FAMILY, "pipelines", "other steps", piped(("PCA",)),
         message="this PipelineModel of Spark has a PCAModel, which is not supported"),
    case(FAMILY, "others", "models without trees", linear,
         message="LinearRegressionModel of Spark is not a fitted tree model"),
]
