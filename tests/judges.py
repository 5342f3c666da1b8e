"""Linear rules against two solvers that know nothing of trees, and against treecf.

HiGHS solves the questions about continuous features as mixed-integer programs, CP-SAT those about
whole numbers, exactly. treecf proves questions to XGBoost models in which one feature must be at
most another, the only linear rules that it takes. Models have 20 to 100 trees. Run by
scripts/matrix.sh in an environment of its own, or

    python tests/judges.py --command build/dev/bin/boxwood [--cases 20] [--seed 1]
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

FEATURES = 6
HIGH = 20  # features range from 0 to this
UNIT = 1024  # leaves are whole multiples of 1 / UNIT


def make_tree(rng, whole):
    """A complete tree of depth 3; thresholds lie between whole numbers."""
    splits = 7
    nodes = {key: [] for key in ("kind", "feature", "threshold", "missing_left", "left", "right",
                                 "value")}
    for i in range(2 * splits + 1):
        split = i < splits
        threshold = rng.randrange(HIGH) + 0.5 if whole else rng.randrange(1, 16 * HIGH) / 16
        nodes["kind"].append("<" if split else "leaf")
        nodes["feature"].append(rng.randrange(FEATURES) if split else -1)
        nodes["threshold"].append(threshold if split else 0.0)
        nodes["missing_left"].append(False)
        nodes["left"].append(2 * i + 1 if split else -1)
        nodes["right"].append(2 * i + 2 if split else -1)
        nodes["value"].append(-1 if split else i - splits)
    values = [rng.randrange(-UNIT, UNIT + 1) / UNIT for _ in range(splits + 1)]
    return {"output": 0, "values": values, **nodes}


def make_model(rng, trees, whole):
    """A regression model in Boxwood's own format."""
    return {"boxwood_model": 1, "source": "judges", "objective": "regression",
            "task": "regression", "link": "identity", "input": "float64",
            "accumulator": "float64", "order": "base_first", "classes": [], "base": [0.0],
            "features": [{"name": f"f{d}", "kind": "integer" if whole else "continuous"}
                         for d in range(FEATURES)],
            "trees": [make_tree(rng, whole) for _ in range(trees)]}


def leaves_of(tree):
    """Yield for each leaf its value and its splits: (feature, threshold, is below)."""
    open_nodes = [(0, [])]
    while open_nodes:
        node, path = open_nodes.pop()
        if tree["kind"][node] == "leaf":
            yield tree["values"][tree["value"][node]], path
            continue
        split = (tree["feature"][node], tree["threshold"][node])
        open_nodes.append((tree["left"][node], path + [(*split, True)]))
        open_nodes.append((tree["right"][node], path + [(*split, False)]))


def predict(model, point):
    """The raw score of a point."""
    score = 0.0
    for tree in model["trees"]:
        node = 0
        while tree["kind"][node] != "leaf":
            below = point[tree["feature"][node]] < tree["threshold"][node]
            node = tree["left" if below else "right"][node]
        score += tree["values"][tree["value"][node]]
    return score


def make_rules(rng, point, whole):
    """Return linear rules with whole coefficients: (terms, lower, upper)."""
    rules = []
    for _ in range(rng.randrange(1, 4)):
        terms = [(d, rng.choice([-3, -2, -1, 1, 2, 3]))
                 for d in rng.sample(range(FEATURES), rng.randrange(2, 5))]
        now = sum(factor * point[d] for d, factor in terms)
        limit = now + rng.randrange(-10, 10) + (0 if whole else 0.37)
        rules.append((terms, -math.inf, limit) if rng.random() < 0.7 else
                     (terms, limit - 4, limit))
    return rules


def make_question(rng, model, whole):
    """Return a row, a wanted score that some other row has, weights and rules."""
    def row():
        return [float(rng.randrange(HIGH + 1)) if whole else rng.randrange(64 * HIGH) / 64
                for _ in range(FEATURES)]
    point = row()
    best = max(predict(model, row()) for _ in range(200))
    wanted = predict(model, point) + 0.7 * (best - predict(model, point))
    weights = [rng.randrange(1, 5) for _ in range(FEATURES)]
    return point, wanted, weights, make_rules(rng, point, whole)


def number(value):
    """Infinite numbers are words in a question file."""
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


def ask_boxwood(command, folder, model, question, whole):
    """Return the command's answer."""
    point, wanted, weights, rules = question
    asked = {"boxwood_question": 1, "point": point,
             "requirements": [{"score": 0, "range": [wanted, "inf", True, True]}],
             "features": [{"kind": "integer" if whole else "continuous", "weight": weight,
                           "range": [0, HIGH, True, True]} for weight in weights],
             "clauses": [[{"sum": [{"feature": d, "coefficient": factor} for d, factor in terms],
                           "range": [number(low), number(high), True, True]}]
                         for terms, low, high in rules],
             "cost": "l1"}
    (folder / "model.json").write_text(json.dumps(model))
    return ask_command(command, folder, "model.json", asked)


def ask_command(command, folder, model, asked):
    """Return the command's answer to a question about a file of the folder."""
    (folder / "question.json").write_text(json.dumps(asked))
    ran = subprocess.run([command, "explain", folder / model, "--question",
                          folder / "question.json", "--format", "json", "--time-limit", "120",
                          "--verify"], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"judges: {ran.stderr}{ran.stdout}")
    return json.loads(ran.stdout)[0]


def ask_highs(model, question):
    """Return the least cost by HiGHS, or None."""
    import highspy
    point, wanted, weights, rules = question
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("mip_rel_gap", 1e-8)
    highs.setOptionValue("mip_abs_gap", 1e-8)
    highs.setOptionValue("mip_feasibility_tolerance", 1e-9)
    x = [highs.addVariable(0, HIGH) for _ in range(FEATURES)]
    size = [highs.addVariable(0, HIGH) for _ in range(FEATURES)]
    for d in range(FEATURES):
        highs.addConstr(size[d] >= x[d] - point[d])
        highs.addConstr(size[d] >= point[d] - x[d])
    below = {}
    for d in range(FEATURES):
        ends = sorted({tree["threshold"][i] for tree in model["trees"]
                       for i, kind in enumerate(tree["kind"])
                       if kind != "leaf" and tree["feature"][i] == d})
        for end in ends:
            below[d, end] = highs.addBinary()
            highs.addConstr(x[d] <= end + (HIGH - end) * (1 - below[d, end]))
            highs.addConstr(x[d] >= end - end * below[d, end])
        for low, high in zip(ends, ends[1:]):
            highs.addConstr(below[d, low] <= below[d, high])
    score = None
    for tree in model["trees"]:
        taken = []
        for value, path in leaves_of(tree):
            leaf = highs.addVariable(0, 1)
            taken.append(leaf)
            for d, end, left in path:
                highs.addConstr(leaf <= (below[d, end] if left else 1 - below[d, end]))
            score = value * leaf if score is None else score + value * leaf
        highs.addConstr(sum(taken[1:], taken[0]) == 1)
    highs.addConstr(score >= wanted - 1e-9)
    for terms, low, high in rules:
        total = sum((factor * x[d] for d, factor in terms[1:]), terms[0][1] * x[terms[0][0]])
        highs.addConstr(total <= high)
        if math.isfinite(low):
            highs.addConstr(total >= low)
    highs.minimize(sum((weights[d] * size[d] for d in range(1, FEATURES)), weights[0] * size[0]))
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    assert status == highspy.HighsModelStatus.kOptimal, status
    return highs.getObjectiveValue()


def ask_cp_sat(model, question):
    """Return the least cost by CP-SAT in whole numbers, or None."""
    from ortools.sat.python import cp_model
    point, wanted, weights, rules = question
    problem = cp_model.CpModel()
    x = [problem.new_int_var(0, HIGH, f"x{d}") for d in range(FEATURES)]
    size = [problem.new_int_var(0, HIGH, f"s{d}") for d in range(FEATURES)]
    for d in range(FEATURES):
        problem.add_abs_equality(size[d], x[d] - int(point[d]))
    below = {}
    score = []
    for tree in model["trees"]:
        taken = []
        for value, path in leaves_of(tree):
            leaf = problem.new_bool_var("")
            taken.append(leaf)
            score.append(round(value * UNIT) * leaf)
            for d, end, left in path:
                if (d, end) not in below:
                    below[d, end] = problem.new_bool_var("")
                    problem.add(x[d] <= math.floor(end)).only_enforce_if(below[d, end])
                    problem.add(x[d] >= math.ceil(end)).only_enforce_if(below[d, end].negated())
                problem.add_implication(leaf, below[d, end] if left else below[d, end].negated())
        problem.add_exactly_one(taken)
    problem.add(sum(score) >= math.ceil(wanted * UNIT))
    for terms, low, high in rules:
        total = sum(factor * x[d] for d, factor in terms)
        problem.add(total <= math.floor(high))
        if math.isfinite(low):
            problem.add(total >= math.ceil(low))
    problem.minimize(sum(weights[d] * size[d] for d in range(FEATURES)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 2
    status = solver.solve(problem)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL, status
    return solver.objective_value


def compare_treecf(command, folder, seed, cases):
    """Ask both about XGBoost models with one order pair, and return (optima, without any)."""
    import numpy as np
    import treecf
    import xgboost
    from treecf.constraints.parser import constraint
    warnings.simplefilter("ignore", treecf.TreecfWarning)  # where the row breaks the rule
    found = infeasible = 0
    for case in range(cases):
        draw = np.random.default_rng([seed, case])
        rows = draw.integers(0, 4 * HIGH, (300, 4)).astype(np.float32) / 4
        labels = rows @ draw.normal(size=4) + 10 * draw.normal(size=300)
        data = xgboost.DMatrix(rows, label=labels > np.median(labels))
        model = xgboost.train({"objective": "binary:logistic", "max_depth": 3, "seed": case}, data, 20)
        model.feature_names = list("abcd")
        model.save_model(folder / "model.ubj")
        low, high = draw.choice(4, 2, replace=False)
        point = rows[draw.integers(300)].astype(float)
        wanted = int(model.inplace_predict(point[None].astype(np.float32), predict_type="margin")[0] <= 0)
        asked = {"boxwood_question": 1, "point": list(point),
                 "requirements": [{"class": wanted}], "features": [{"kind": "continuous"}] * 4,
                 "clauses": [[{"sum": [{"feature": int(low), "coefficient": 1},
                                       {"feature": int(high), "coefficient": -1}],
                               "range": ["-inf", 0, True, True]}]], "cost": "l1"}
        answer = ask_command(command, folder, "model.ubj", asked)
        span = (math.nextafter(0, 1), math.inf) if wanted else (-math.inf, 0.0)
        judged = treecf.Explainer(
            model, normalizers=np.ones(4), constraints=[constraint(f"{'abcd'[low]} <= {'abcd'[high]}")]
        ).explain(point, treecf.Target.raw(range=span), backend="exact", search="refine",
                  time_budget_s=60, node_budget=10**15, seed=1)
        has_point = isinstance(judged, treecf.Counterfactual)
        if judged.proof not in ("optimal", "certified"):
            sys.exit(f"judges: treecf does not prove case {case} of seed {seed}: {judged.proof}")
        cost = float(np.abs(np.array(judged.x_cf) - point).sum()) if has_point else None
        # treecf keeps a margin of its own to a threshold.
        same = answer["status"] == ("optimal" if has_point else "infeasible") and (
            not has_point or abs(answer["cost"] - cost) < 1e-4)
        if not same:
            sys.exit(f"judges: case {case} of seed {seed}: Boxwood says {answer['status']} "
                     f"{answer['cost']}, treecf {judged.proof} {cost}")
        found += has_point
        infeasible += not has_point
    return found, infeasible


def main():
    """Compare all cases; exit with 1 at the first difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", required=True)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judge", choices=["highs", "cp-sat", "treecf"])
    options = parser.parse_args()
    if not options.judge:  # one process each: two packages have a library of the same name inside
        again = [sys.executable, __file__, *sys.argv[1:], "--judge"]
        sys.exit(max(subprocess.run([*again, judge], check=False).returncode
                     for judge in ("highs", "cp-sat", "treecf")))
    whole = options.judge == "cp-sat"
    rng = random.Random(options.seed)
    found = infeasible = 0
    with tempfile.TemporaryDirectory() as name:
        if options.judge == "treecf":
            found, infeasible = compare_treecf(options.command, pathlib.Path(name), options.seed,
                                               options.cases)
        for case in range(options.cases if options.judge != "treecf" else 0):
            trees = rng.choice([20, 40, 100]) if whole else rng.choice([20, 30])
            model = make_model(rng, trees, whole)
            question = make_question(rng, model, whole)
            answer = ask_boxwood(options.command, pathlib.Path(name), model, question, whole)
            judged = ask_cp_sat(model, question) if whole else ask_highs(model, question)
            told = answer["cost"] if answer["status"] == "optimal" else None
            proven = answer["status"] in ("optimal", "infeasible")
            # A judge that takes an end of a cell for included is cheaper by a step of a double.
            same = told == judged or (told is not None and judged is not None and
                                      abs(told - judged) <= (0 if whole else 1e-5) * (1 + judged))
            if not proven or not same:
                sys.exit(f"judges: case {case} of seed {options.seed}: Boxwood says "
                         f"{answer['status']} {answer['cost']}, the judge {judged}")
            found += told is not None
            infeasible += told is None
    print(f"{options.judge} agrees: {found} optima, {infeasible} proofs that there is none")
    sys.exit(0 if found > options.cases // 3 else "judges: too few questions have an answer")


if __name__ == "__main__":
    main()
