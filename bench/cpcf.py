"""Boxwood and OCEAN (CP-SAT, MaxSAT) on the CPCF protocol (arXiv 2605.06561).

    PYTHONPATH=build/release/python .venv/bin/python bench/cpcf.py --data FOLDER
        [--seeds 2,31,73,127,179] [--queries 50] [--parts l1,l0,l2,isolation] [--minutes 25]
        [--ocean PYTHON --peer-queries 2 --peer-minutes 20] [--again] [--open 900]
        [--write docs/cpcf.md]

The full run is the default. Every answer is appended to build/bench/cpcf/answers.jsonl, which begins
with the answers of bench/cpcf_answers.csv.gz. A question that has an answer there is not asked again,
so that a run can be continued or extended. --again asks anew what another commit of Boxwood answered.
--open 900 asks Boxwood once more what it did not prove, with 900 s; the tables keep the first answer,
and the table of such questions shows both. --shuffle asks the cells in a random order, so that a run
that ends early has seen a fair sample of them. The peers' sample is stratified: from each kind of
model, size and cost one random cell, then from each a second one, and so on.
PYTHON is that of an environment with bench/peers/ocean_requirements.txt and the scikit-learn and
XGBoost of this one. Times and limits are processor time of one thread (MaxSAT's limit: the clock).
"""

import argparse
import itertools
import json
import math
import pickle
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import boxwood
import cpcf_page
import cpcf_problem as protocol
from cpcf_page import LONGER
from tools import Lines

HERE = Path(__file__).resolve().parent
COSTS = {"l1": "l1", "l0": "l0", "l2": "l2", "isolation": "l1"}
# The last commit that changed the library: answers of one engine can be told from those of another.
ENGINE = subprocess.run(["git", "-C", HERE, "log", "-1", "--format=%h", "--", "../src", "../include"],
                        capture_output=True, text=True, check=False).stdout.strip() or None
KEY = ("set", "model", "trees", "depth", "seed", "part", "query", "tool")


class Store:
    """The answers of this and earlier runs; of two answers to a question the later one counts."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self.known: dict[tuple, dict] = {}
        if file.is_file():
            answers = [json.loads(line) for line in file.read_text().splitlines()]
        else:
            kept = HERE / "cpcf_answers.csv.gz"
            answers = cpcf_page.read(kept) if kept.is_file() else []
            file.write_text("".join(json.dumps(one) + "\n" for one in answers))
        for one in answers:
            self.known[tuple(one[key] for key in KEY)] = one

    @property
    def answers(self) -> list[dict]:
        return list(self.known.values())

    def add(self, **answer: object) -> None:
        self.known[tuple(answer[key] for key in KEY)] = answer
        with self.file.open("a") as stream:
            stream.write(json.dumps(answer) + "\n")

    def missing(self, case: dict, queries: int, tool: str) -> list[int]:
        asked = [{**case, "query": i, "tool": tool} for i in range(queries)]
        return [one["query"] for one in asked
                if tuple(one[key] for key in KEY) not in self.known]

    def cells(self, tool: str, chosen: Callable) -> list[tuple[dict, list[int]]]:
        """The chosen answers of a tool: each cell with its queries."""
        found: dict[tuple, list[int]] = {}
        for one in self.answers:
            if one["tool"] == tool and chosen(one):
                found.setdefault(tuple(one[key] for key in KEY[:-2]), []).append(one["query"])
        return [(dict(zip(KEY, cell)), queries) for cell, queries in found.items()]


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

    def ask(self, store: Store, tool: str, queries: list[int], seconds: float) -> None:
        """Ask Boxwood; as "boxwood_whole" with any whole number in D features, as the peers do."""
        whole = tool == "boxwood_whole"
        explainers = {}
        for i in queries:
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

            def goes_on(_: object, end: float = begin + seconds) -> bool:
                return time.process_time() < end

            # The library's own limit is one of the clock. Short searches never report.
            answer = explainers[name].explain(self.rows[i], target, cost=self.norm, threads=1,
                                              ties=1, progress=goes_on)
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
                      limit=seconds, engine=ENGINE)

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
                     "part": part} for trees, depth in cells
                    if not given.sizes or f"{trees}x{depth}" in given.sizes.split(",")]
    return out


def stratified(found: list[dict], most: float = math.inf) -> list[dict]:
    """The cells in a random order in which every kind of model, size and cost comes equally early.

    At most so many cells of each kind.
    """
    found = list(found)
    random.Random(0).shuffle(found)
    rounds: dict[tuple, int] = {}
    order = []
    for case in found:
        kind = tuple(case[key] for key in ("model", "trees", "depth", "part"))
        rounds[kind] = rounds.get(kind, 0) + 1
        order.append((rounds[kind], case))
    return [case for place, case in sorted(order, key=lambda pair: pair[0]) if place <= most]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the CSV files")
    parser.add_argument("--work", type=Path, default=Path("build/bench/cpcf"))
    parser.add_argument("--sets", default=",".join(protocol.SETS))
    parser.add_argument("--models", default=",".join(protocol.MODELS))
    parser.add_argument("--sizes", help="100x5,10x5: of the trees; all by default")
    parser.add_argument("--seeds", default=",".join(map(str, protocol.SEEDS)))
    parser.add_argument("--parts", default=",".join(COSTS))
    parser.add_argument("--shuffle", action="store_true", help="the cells in a random order")
    parser.add_argument("--queries", type=int, default=protocol.QUERIES)
    parser.add_argument("--seconds", type=float, default=60, help="limit of a question")
    parser.add_argument("--minutes", type=float, default=1e9, help="of the clock, for Boxwood")
    parser.add_argument("--again", action="store_true",
                        help="ask Boxwood anew what another engine of it answered")
    parser.add_argument("--open", type=float, metavar="SECONDS",
                        help="ask Boxwood what it did not prove once more, with this limit")
    parser.add_argument("--ocean", help="the Python of an environment with oceanpy")
    parser.add_argument("--peers", default="cpsat,maxsat")
    parser.add_argument("--peer-queries", type=int, default=2, help="of each cell and first seed")
    parser.add_argument("--peer-cells", type=float, default=math.inf,
                        help="of each kind of model, size and cost")
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

    def ask(case: dict, tool: str, queries: list[int], seconds: float = given.seconds) -> None:
        if queries:
            cell(case).ask(store, tool, queries, seconds)

    if given.data:
        ends = time.monotonic() + 60 * given.minutes
        chosen = cases(given)
        for tool in ("boxwood", "boxwood_whole") if given.again else ():
            for case, queries in store.cells(tool, lambda one: one.get("engine") != ENGINE):
                if case in chosen and time.monotonic() < ends:
                    ask(case, tool, queries)
        for case in stratified(chosen) if given.shuffle else chosen:
            if time.monotonic() < ends and store.missing(case, given.queries, "boxwood"):
                ask(case, "boxwood", store.missing(case, given.queries, "boxwood"))
                print(cpcf_page.line_of(case, store.answers), flush=True)
    if given.data and given.open:
        longer = {tuple(one[key] for key in KEY[:-1]) for one in store.answers
                  if one["tool"] == LONGER and one["engine"] == ENGINE}
        for case, queries in store.cells("boxwood", lambda one: not cpcf_page.proven(one) and tuple(
                one[key] for key in KEY[:-1]) not in longer):
            if case in chosen:
                ask(case, LONGER, queries, given.open)
    if given.data and given.ocean:
        ends = time.monotonic() + 60 * given.peer_minutes
        first = int(given.seeds.split(",")[0])
        for case in stratified([case for case in cases(given) if case["seed"] == first],
                               given.peer_cells):
            for tool in given.peers.split(","):
                if tool == "maxsat" and case["part"] != "l1":
                    continue  # MaxSAT has neither other norms nor isolation in the protocol
                if time.monotonic() < ends and store.missing(case, given.peer_queries, tool):
                    for own in ("boxwood", "boxwood_whole"):
                        ask(case, own, store.missing(case, given.peer_queries, own))
                    cell(case).ask_peer(store, given.peer_queries, given.seconds, tool,
                                        given.ocean, given.work)
    if given.write:
        cpcf_page.write(store.answers, given.write)


if __name__ == "__main__":
    main()
