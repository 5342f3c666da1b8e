"""The cases of PMML for support_live_test.py: files of sklearn2pmml and files as R writes them.

JPMML's evaluator says what they predict. Of classifiers that end in a regression model, the raw score is
what it says of the sum of trees alone.
"""

import pathlib
import re
import tempfile

import numpy as np
from support_recorded import case, neighbours, rows_around

FAMILY, LIBRARY, FOLDER = "pmml", "jpmml_evaluator", "pmml"
TITLE = "PMML (JPMML)"
RECORDED = True
OF_R = pathlib.Path(__file__).resolve().parent / "data" / "r"  # written by R itself (r_files.R)
SMALL = {"max_depth": 2, "random_state": 1}
TARGETS = {
    "two": '<DataField name="y" optype="categorical" dataType="string"><Value value="no"/>'
           '<Value value="yes"/></DataField>',
    "number": '<DataField name="y" optype="continuous" dataType="double"/>'}
FIELDS = ('<DataField name="a" optype="continuous" dataType="double"/><DataField name="t" '
          'optype="categorical" dataType="string"><Value value="Ulm"/><Value value="Bonn"/>'
          '<Value value="Bad Orb"/></DataField>')
ACTIVE = '<MiningField name="a"/><MiningField name="t"/>'


def written(text):
    path = pathlib.Path(tempfile.mkdtemp()) / "model.pmml"
    path.write_text(text, encoding="utf-8")
    return path


def document(model, target):
    return written(f'<?xml version="1.0"?><PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><Header/>'
                   f"<DataDictionary>{TARGETS[target]}{FIELDS}</DataDictionary>{model}</PMML>")


def tree(threshold, left, right, kind, how=""):
    """A tree of one split, by a number or by categories, as R's exporter writes it."""
    tests = [f'<SimplePredicate field="a" operator="{operator}" value="{threshold}"/>'
             for operator in ("lessOrEqual", "greaterThan")] if threshold is not None else [
        f'<SimpleSetPredicate field="t" booleanOperator="isIn"><Array type="string">{words}</Array>'
        "</SimpleSetPredicate>" for words in ('"Bad Orb" "Ulm"', '"Bonn"')]
    return (f'<TreeModel functionName="{kind}" splitCharacteristic="binarySplit" {how}><MiningSchema>'
            f'{ACTIVE}</MiningSchema><Node id="1" score="{left}" defaultChild="3"><True/><Node id="2" '
            f'score="{left}">{tests[0]}</Node><Node id="3" score="{right}">{tests[1]}</Node></Node></TreeModel>')


def forest(method, trees, kind, target):
    segments = "".join(f'<Segment id="{i}"><True/>{one}</Segment>' for i, one in enumerate(trees))
    return document(f'<MiningModel functionName="{kind}"><MiningSchema><MiningField name="y" '
                    f'usageType="target"/>{ACTIVE}</MiningSchema><Segmentation multipleModelMethod="{method}">'
                    f"{segments}</Segmentation></MiningModel>", target)


def of_numbers(how="", method="average"):
    return lambda: forest(method, [tree(at, left, right, "regression", how) for at, left, right in (
        (0.5, 0.1, 0.7), (1.5, 3, 0.3), (None, 0.2, 0.9))], "regression", "number")


def of_votes():
    return forest("majorityVote", [tree(at, left, right, "classification") for at, left, right in (
        (0.5, "no", "yes"), (1.5, "yes", "no"), (None, "no", "yes"), (-1, "yes", "no"))],
        "classification", "two")


def converted(kind, label, **more):
    def path():
        import pandas
        import sklearn.ensemble
        import sklearn.tree
        from sklearn2pmml import sklearn2pmml
        from sklearn2pmml.pipeline import PMMLPipeline
        rng = np.random.default_rng(8)
        x = pandas.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"])
        own = getattr(sklearn.ensemble, kind, None) or getattr(sklearn.tree, kind)
        model = PMMLPipeline([("model", own(**SMALL | more))]).fit(x, label(x["a"] - x["b"]))
        made = pathlib.Path(tempfile.mkdtemp()) / "model.pmml"
        sklearn2pmml(model, str(made))
        return made
    return path


def said(path, rows, names):
    import pandas
    from jpmml_evaluator import make_evaluator
    out = make_evaluator(str(path)).evaluateAll(pandas.DataFrame(rows, columns=names))
    shares = [name for name in out.columns if str(name).startswith("probability")]
    return out[shares or list(out.columns[:1])].to_numpy(dtype=np.float64)


def parts(path):
    """The sums inside a chain, as documents of their own; the document itself where there is none."""
    text = path.read_text(encoding="utf-8")
    if "modelChain" not in text:
        return [path]
    head = text[:text.index("<MiningModel")]
    inside = re.findall(r'<MiningModel functionName="regression".*?</MiningModel>', text, re.DOTALL)
    return [written(f"{head}{one}</PMML>") for one in inside]


def tried(make, missing=False):
    def live():
        path = make()
        text = path.read_text(encoding="utf-8")
        single = 'dataType="float"' in text
        names = [name for name in ("a", "b", "t") if f'<DataField name="{name}"' in text]
        columns = []
        for name in names:
            found = [float(value) for value in re.findall(
                rf'field="{name}" operator="\w+" value="([-\d.E]+)"', text)]
            columns.append(["Ulm", "Bonn", "Bad Orb"] if name == "t" else neighbours(found or [0.0], single))
            columns[-1] = [*columns[-1], None] if missing else columns[-1]
        rows = rows_around(columns, 40)
        scores = np.hstack([said(part, rows, names) for part in parts(path)])
        return path, names, rows, scores
    return live


def votes_live():
    """What JPMML says of a vote; the first tree counts a millionth more, which decides ties."""
    import pandas
    from jpmml_evaluator import make_evaluator
    path = of_votes()
    rows = rows_around([neighbours([-1, 0.5, 1.5]), ["Ulm", "Bonn", "Bad Orb"]], 40)
    scores = np.zeros((len(rows), 2))
    for row, score in zip(rows, scores, strict=True):
        number, town = row
        ballots = ["no" if number <= 0.5 else "yes", "yes" if number <= 1.5 else "no",
                   "yes" if town == "Bonn" else "no", "yes" if number <= -1 else "no"]
        for place, ballot in enumerate(ballots):
            score[int(ballot == "yes")] += 1.0 + (2.0**-20 if place == 0 else 0.0)
    says = make_evaluator(str(path)).evaluateAll(pandas.DataFrame(rows, columns=["a", "t"]))["y"]
    if list(says) != ["yes" if score[1] > score[0] else "no" for score in scores]:
        raise AssertionError("JPMML decides ties otherwise")
    return path, ["a", "t"], rows, scores


def words(score):
    return np.array(["low", "middle", "high"])[np.digitize(score, [-1, 1])]


def up(score):
    return np.where(score > 0, "yes", "no")


def refused(text, target="number"):
    return lambda: (document(text, target), [], [], [])


CASES = [
    case(FAMILY, "sklearn2pmml", "DecisionTreeClassifier", tried(converted("DecisionTreeClassifier", words))),
    case(FAMILY, "sklearn2pmml", "DecisionTreeRegressor",
         tried(converted("DecisionTreeRegressor", lambda s: s))),
    case(FAMILY, "sklearn2pmml", "RandomForestClassifier",
         tried(converted("RandomForestClassifier", words, n_estimators=3))),
    case(FAMILY, "sklearn2pmml", "RandomForestRegressor",
         tried(converted("RandomForestRegressor", lambda s: s, n_estimators=3))),
    case(FAMILY, "sklearn2pmml", "GradientBoostingClassifier",
         tried(converted("GradientBoostingClassifier", up, n_estimators=3))),
    case(FAMILY, "sklearn2pmml", "GradientBoostingClassifier, several classes",
         tried(converted("GradientBoostingClassifier", words, n_estimators=2))),
    case(FAMILY, "sklearn2pmml", "GradientBoostingRegressor",
         tried(converted("GradientBoostingRegressor", lambda s: s, n_estimators=3))),
    case(FAMILY, "as R writes them", "average", tried(of_numbers())),
    case(FAMILY, "as R writes them", "majority vote of two classes", votes_live),
    case(FAMILY, "as R writes them", "randomForest", tried(lambda: OF_R / "pmml_forest.pmml")),
    case(FAMILY, "as R writes them", "rpart with surrogates", tried(lambda: OF_R / "pmml_tree.pmml", True)),
    *(case(FAMILY, "missing values", strategy, tried(of_numbers(
        f'missingValueStrategy="{strategy}" noTrueChildStrategy="returnLastPrediction"', "sum"), True))
      for strategy in ("none", "defaultChild", "lastPrediction")),
    case(FAMILY, "missing values", "weightedConfidence",
         lambda: (of_numbers('missingValueStrategy="weightedConfidence"')(), [], [], []),
         message="treats missing values by weightedConfidence, which is not supported"),
    case(FAMILY, "others", "models without trees",
         refused('<RegressionModel functionName="regression"/>'),
         message="this PMML file holds RegressionModel, not trees"),
    case(FAMILY, "others", "weighted medians and other methods",
         lambda: (of_numbers(method="median")(), [], [], []),
         message="this PMML file combines models by median, which is not supported"),
]
