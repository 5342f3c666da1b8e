"""Boxwood and OCEAN (CP-SAT, MaxSAT) on the CPCF protocol (arXiv 2605.06561).

    PYTHONPATH=build/release/python .venv/bin/python bench/cpcf.py --data FOLDER
        [--seeds 2,31,73,127,179] [--queries 50] [--parts l1,l0,l2,isolation] [--minutes 25]
        [--ocean PYTHON --peer-queries 2 --peer-minutes 20] [--write docs/cpcf.md]

The full run is the default. Every answer is appended to build/bench/cpcf/answers.jsonl, which begins
with the answers of bench/cpcf_answers.csv.gz. A question that has an answer there is not asked again,
so that a run can be continued or extended. --shuffle asks the cells in a random order, so that a run
that ends early has seen a fair sample of them. The peers' sample is stratified: from each kind of
model, size and cost one random cell, then from each a second one, and so on.
PYTHON is that of an environment with bench/peers/ocean_requirements.txt and the scikit-learn and
XGBoost of this one. Times and limits are processor time of one thread (MaxSAT's limit: the clock).
"""

import argparse
import itertools
import json
import pickle
import random
import subprocess
import time
from pathlib import Path

import boxwood
import cpcf_page
import cpcf_problem as protocol
from tools import Lines

HERE = Path(__file__).resolve().parent
COSTS = {"l1": "l1", "l0": "l0", "l2": "l2", "isolation": "l1"}
KEY = ("set", "model", "trees", "depth", "seed", "part", "query", "tool")


class Store:
    """The answers of this and earlier runs."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_file():
            self.answers = [json.loads(line) for line in file.read_text().splitlines()]
        else:
            kept = HERE / "cpcf_answers.csv.gz"
            self.answers = cpcf_page.read(kept) if kept.is_file() else []
            file.write_text("".join(json.dumps(one) + "\n" for one in self.answers))
        self.known = {tuple(one[key] for key in KEY) for one in self.answers}

    def add(self, **answer: object) -> None:
        self.answers.append(answer)
        self.known.add(tuple(answer[key] for key in KEY))
        with self.file.open("a") as stream:
            stream.write(json.dumps(answer) + "\n")

    def missing(self, case: dict, queries: int, tool: str) -> list[int]:
        asked = [{**case, "query": i, "tool": tool} for i in range(queries)]
        return [one["query"] for one in asked
                if tuple(one[key] for key in KEY) not in self.known]


class Cell:
    """A model of the protocol with its questions."""

    def __init__(self, case: dict, data: tuple, work: Path) -> None:
        self.case, self.norm = case, COSTS[case["part"]]
        self.x, self.y, self.features = data
        self.columns = list(self.x.columns)
        self.model = protocol.trained(work, case["set"], self.x, self.y, case["model"],
                                      case["trees"], case["depth"], case["seed"])
        self.rows, self.targets = protocol.questions(self.x, self.model, case["seed"])
        self.forests = {}
        if case["part"] == "isolation":
            self.forests = {target: protocol.isolation(self.x, self.y, target, case["seed"])
                            for target in sorted(set(self.targets))}

    def judge(self, query: int, point: list | None, whole: bool) -> tuple[float | None, bool]:
        """The cost of a point, added up here, and whether library and protocol accept it."""
        if point is None:
            return None, True
        row, target = self.rows[query], self.targets[query]
        fine = protocol.admissible(self.features, self.columns, row, point, whole)
        fine &= protocol.says(self.model, self.columns, point) == target
        if self.forests:
            fine &= protocol.says(self.forests[target], self.columns, point) == 1
        return protocol.cost_of(self.features, self.columns, row, point, self.norm), bool(fine)

    def ask(self, store: Store, queries: int, seconds: float, clock: float,
            whole: bool = False) -> None:
        """Ask Boxwood what is missing; `clock`: seconds of the clock for one of processor time."""
        tool = "boxwood_whole" if whole else "boxwood"
        missing = store.missing(self.case, queries, tool)
        explainers = {}
        for i in missing:
            target = self.targets[i]
            name = target if self.forests else None
            if name not in explainers:
                begin = time.process_time()
                explainers[name] = boxwood.Explainer(
                    self.model, scale=None, schema=protocol.schema(self.features, whole),
                    plausible=self.forests.get(target))
                # The first question prepares the model for all of them.
                explainers[name].explain(self.rows[i], target, cost=self.norm, threads=1,
                                         node_limit=1)
                setup = time.process_time() - begin
            begin = time.process_time()
            # The library's own limit is one of the clock.
            answer = explainers[name].explain(self.rows[i], target, cost=self.norm, threads=1,
                                              ties=1, time_limit=clock * seconds)
            spent = time.process_time() - begin
            point = list(map(float, answer.array)) if answer.found else None
            cost, valid = self.judge(i, point, whole)
            if cost is not None and abs(cost - answer.cost) > 1e-6 * (1 + cost):
                valid = False
            status = str(answer.status)
            if spent > seconds and answer.proven:  # a proof past the limit does not count
                status = "late"
            store.add(**self.case, query=i, tool=tool, status=status, cost=cost,
                      bound=answer.lower_bound, seconds=spent, setup=setup, valid=valid,
                      limit=seconds)

    def ask_peer(self, store: Store, queries: int, seconds: float, tool: str, python: str,
                 work: Path) -> None:
        """Ask OCEAN what is missing, in a process of its own that may take a limited time."""
        missing = store.missing(self.case, queries, tool)
        if not missing:
            return
        file = work / "question.pickle"
        file.write_bytes(pickle.dumps({
            "model": self.model, "hard": self.case["model"] == "hard", "columns": self.columns,
            "features": [vars(one) for one in self.features], "forests": self.forests,
            "rows": [self.rows[i] for i in missing], "targets": [self.targets[i] for i in missing],
            "norm": int(self.norm[1]), "seconds": seconds, "tool": tool,
            "seed": self.case["seed"]}))
        lines, found, fault = Lines([python, HERE / "peers" / "ocean_cpcf.py", file],
                                    subprocess.DEVNULL, 1), [], None
        try:
            for _ in missing:
                found.append(lines.next(120 + 2 * seconds))  # of processor time, set-up included
        except (TimeoutError, EOFError) as error:
            fault = type(error).__name__
        finally:
            lines.stop()
        for place, i in enumerate(missing):
            one = found[place] if place < len(found) else {
                "status": "error", "error": fault, "point": None, "seconds": None}
            cost, valid = self.judge(i, one.pop("point"), whole=True)
            store.add(**self.case, query=i, tool=tool, cost=cost, valid=valid, limit=seconds,
                      **{"bound": None, "setup": None, **one})


def cases(given: argparse.Namespace) -> list[dict]:
    """Everything that is asked, one seed after the other."""
    sets, models = given.sets.split(","), given.models.split(",")
    out = []
    for seed, part in itertools.product(map(int, given.seeds.split(",")), given.parts.split(",")):
        for name, model in itertools.product(sets, models):
            cells = protocol.CELLS if part == "l1" else (protocol.PLAIN,)
            if part != "l1" and model == "xgb":
                continue  # the protocol has other norms and isolation for forests only
            out += [{"set": name, "model": model, "trees": trees, "depth": depth, "seed": seed,
                     "part": part} for trees, depth in cells]
    return out


def stratified(found: list[dict]) -> list[dict]:
    """The cells in a random order in which every kind of model, size and cost comes equally early."""
    found = list(found)
    random.Random(0).shuffle(found)
    rounds: dict[tuple, int] = {}
    order = []
    for case in found:
        kind = tuple(case[key] for key in ("model", "trees", "depth", "part"))
        rounds[kind] = rounds.get(kind, 0) + 1
        order.append((rounds[kind], case))
    return [case for _, case in sorted(order, key=lambda pair: pair[0])]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the CSV files")
    parser.add_argument("--work", type=Path, default=Path("build/bench/cpcf"))
    parser.add_argument("--sets", default=",".join(protocol.SETS))
    parser.add_argument("--models", default=",".join(protocol.MODELS))
    parser.add_argument("--seeds", default=",".join(map(str, protocol.SEEDS)))
    parser.add_argument("--parts", default=",".join(COSTS))
    parser.add_argument("--shuffle", action="store_true", help="the cells in a random order")
    parser.add_argument("--queries", type=int, default=protocol.QUERIES)
    parser.add_argument("--seconds", type=float, default=60, help="limit of a question")
    parser.add_argument("--clock", type=float, default=10,
                        help="a question to Boxwood ends after so many times its limit by the clock")
    parser.add_argument("--minutes", type=float, default=1e9, help="of the clock, for Boxwood")
    parser.add_argument("--ocean", help="the Python of an environment with oceanpy")
    parser.add_argument("--peers", default="cpsat,maxsat")
    parser.add_argument("--peer-queries", type=int, default=2, help="of each cell and first seed")
    parser.add_argument("--peer-minutes", type=float, default=20, help="of the clock")
    parser.add_argument("--write", type=Path, help="replace tables and picture of this page")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    store = Store(given.work / "answers.jsonl")
    data = {}

    def cell(case: dict) -> Cell:
        if case["set"] not in data:
            data[case["set"]] = protocol.read(given.data, case["set"])
        return Cell(case, data[case["set"]], given.work)

    if given.data:
        ends = time.monotonic() + 60 * given.minutes
        for case in stratified(cases(given)) if given.shuffle else cases(given):
            if time.monotonic() < ends and store.missing(case, given.queries, "boxwood"):
                cell(case).ask(store, given.queries, given.seconds, given.clock)
                print(cpcf_page.line_of(case, store.answers), flush=True)
    if given.data and given.ocean:
        ends = time.monotonic() + 60 * given.peer_minutes
        first = int(given.seeds.split(",")[0])
        for case in stratified([case for case in cases(given) if case["seed"] == first]):
            for tool in given.peers.split(","):
                if tool == "maxsat" and case["part"] != "l1":
                    continue  # MaxSAT has neither other norms nor isolation in the protocol
                if time.monotonic() < ends and store.missing(case, given.peer_queries, tool):
                    one = cell(case)
                    one.ask(store, given.peer_queries, given.seconds, given.clock)
                    one.ask(store, given.peer_queries, given.seconds, given.clock, whole=True)
                    one.ask_peer(store, given.peer_queries, given.seconds, tool, given.ocean,
                                 given.work)
    if given.write:
        cpcf_page.write(store.answers, given.write)


if __name__ == "__main__":
    main()
