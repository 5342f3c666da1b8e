"""
Boxwood's library: models, queries, searches. Use the package boxwood instead.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Interval:
    """Values between two ends, each in or out."""

    def __init__(self, lower: float = ..., upper: float = ..., lower_closed: bool = ..., upper_closed: bool = ...) -> None: ...

    @property
    def lower(self) -> float: ...

    @lower.setter
    def lower(self, arg: float, /) -> None: ...

    @property
    def upper(self) -> float: ...

    @upper.setter
    def upper(self, arg: float, /) -> None: ...

    @property
    def lower_closed(self) -> bool: ...

    @lower_closed.setter
    def lower_closed(self, arg: bool, /) -> None: ...

    @property
    def upper_closed(self) -> bool: ...

    @upper_closed.setter
    def upper_closed(self, arg: bool, /) -> None: ...

    @property
    def empty(self) -> bool: ...

    def __contains__(self, value: float) -> bool: ...

    def __eq__(self, other: object) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Status(enum.Enum):
    """What is proven about an answer."""

    optimal = 0

    feasible = 1

    infeasible = 2

    unknown = 3

class Stop(enum.Enum):
    """Why a search ended."""

    finished = 0

    time = 1

    nodes = 2

    memory = 3

    interrupt = 4

    visitor = 5

    precision = 6

class ChangeText:
    """A change as people see it."""

    @property
    def title(self) -> str: ...

    @property
    def now(self) -> str: ...

    @property
    def then(self) -> str: ...

    @property
    def anything(self) -> str: ...

    @property
    def feature(self) -> int: ...

class Solution:
    """A point and the box around it."""

    @property
    def point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def region(self) -> list[Interval]: ...

    @property
    def codes(self) -> list[list[int]]: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Statistics:
    """What a search did."""

    @property
    def nodes(self) -> int: ...

    @property
    def open_nodes(self) -> int: ...

    @property
    def peak_bytes(self) -> int: ...

    @property
    def threads(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Progress:
    """What a running search knows."""

    @property
    def best_cost(self) -> float: ...

    @property
    def lower_bound(self) -> float: ...

    @property
    def nodes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    def __repr__(self) -> str: ...

class Answer:
    """What a search found and what it proved."""

    @property
    def status(self) -> Status: ...

    @property
    def stop(self) -> Stop: ...

    @property
    def already_met(self) -> bool: ...

    @property
    def cost(self) -> float: ...

    @property
    def distance(self) -> float: ...

    @property
    def lower_bound(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def count(self) -> int: ...

    def solution(self, index: int = ...) -> Solution: ...

    @property
    def more_ties(self) -> bool: ...

    @property
    def output_before(self) -> list[list[float]]: ...

    @property
    def output_after(self) -> list[list[float]]: ...

    @property
    def statistics(self) -> Statistics: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Region:
    """A box in which every model is constant."""

    @property
    def nearest(self) -> Solution: ...

    @property
    def cost(self) -> float: ...

    @property
    def scores(self) -> list[list[float]]: ...

class FeatureKind(enum.Enum):
    """What the values of a feature mean."""

    continuous = 0

    integer = 1

    ordinal = 2

    categorical = 3

class ClassIs:
    """The classifier answers this class."""

    def __init__(self, target: int, probability: float | None = ..., margin: float | None = ...) -> None: ...

    @property
    def target(self) -> int: ...

    @property
    def probability(self) -> float | None: ...

    @property
    def margin(self) -> float | None: ...

class ClassIn:
    """The classifier answers one of these."""

    def __init__(self, targets: Sequence[int]) -> None: ...

    @property
    def targets(self) -> list[int]: ...

class OutputIn:
    """An output lies in a range."""

    def __init__(self, range: Interval, output: int = ...) -> None: ...

    @property
    def range(self) -> Interval: ...

    @property
    def output(self) -> int: ...

class ScoreIn:
    """A raw score, or its lead over another, lies in a range."""

    def __init__(self, range: Interval, output: int = ..., rival: int | None = ...) -> None: ...

    @property
    def range(self) -> Interval: ...

    @property
    def output(self) -> int: ...

    @property
    def rival(self) -> int | None: ...

class Requirement:
    """One requirement on the outcome of one model."""

    def __init__(self, outcome: ClassIs | ClassIn | OutputIn | ScoreIn, ensemble: int = ..., negated: bool = ..., counted: bool = ...) -> None: ...

    @property
    def outcome(self) -> ClassIs | ClassIn | OutputIn | ScoreIn: ...

    @property
    def ensemble(self) -> int: ...

    @property
    def negated(self) -> bool: ...

    @property
    def counted(self) -> bool: ...

class Direction(enum.Enum):
    """In which direction a feature may change."""

    both = 0

    up = 1

    down = 2

class FeatureRule:
    """What may happen to a feature and what it costs."""

    @property
    def kind(self) -> FeatureKind: ...

    @kind.setter
    def kind(self, arg: FeatureKind, /) -> None: ...

    @property
    def fixed(self) -> bool: ...

    @fixed.setter
    def fixed(self, arg: bool, /) -> None: ...

    @property
    def range(self) -> Interval: ...

    @range.setter
    def range(self, arg: Interval, /) -> None: ...

    @property
    def domain(self) -> Interval: ...

    @domain.setter
    def domain(self, arg: Interval, /) -> None: ...

    @property
    def allowed(self) -> list[float]: ...

    @allowed.setter
    def allowed(self, arg: Sequence[float], /) -> None: ...

    @property
    def step(self) -> float: ...

    @step.setter
    def step(self, arg: float, /) -> None: ...

    @property
    def missing_allowed(self) -> bool: ...

    @missing_allowed.setter
    def missing_allowed(self, arg: bool, /) -> None: ...

    @property
    def changes(self) -> list[list[float]]: ...

    @changes.setter
    def changes(self, arg: Sequence[Sequence[float]], /) -> None: ...

    @property
    def direction(self) -> Direction: ...

    @direction.setter
    def direction(self, arg: Direction, /) -> None: ...

    @property
    def least_change(self) -> float: ...

    @least_change.setter
    def least_change(self, arg: float, /) -> None: ...

    @property
    def most_change(self) -> float: ...

    @most_change.setter
    def most_change(self, arg: float, /) -> None: ...

    @property
    def robust(self) -> float: ...

    @robust.setter
    def robust(self, arg: float, /) -> None: ...

    @property
    def robust_codes(self) -> list[int]: ...

    @robust_codes.setter
    def robust_codes(self, arg: Sequence[int], /) -> None: ...

    @property
    def weight(self) -> float: ...

    @weight.setter
    def weight(self, arg: float, /) -> None: ...

    @property
    def up(self) -> float: ...

    @up.setter
    def up(self, arg: float, /) -> None: ...

    @property
    def down(self) -> float: ...

    @down.setter
    def down(self, arg: float, /) -> None: ...

    @property
    def scale(self) -> float: ...

    @scale.setter
    def scale(self, arg: float, /) -> None: ...

    @property
    def quantiles(self) -> list[float]: ...

    @quantiles.setter
    def quantiles(self, arg: Sequence[float], /) -> None: ...

class OneHot:
    """Columns of zeros with a single 1."""

    def __init__(self, columns: Sequence[int], weight: float = ..., none_allowed: bool = ...) -> None: ...

    @property
    def columns(self) -> list[int]: ...

    @property
    def weight(self) -> float: ...

    @property
    def none_allowed(self) -> bool: ...

    @property
    def robust(self) -> list[int]: ...

class Literal:
    """A statement about the value of a feature."""

    def __init__(self, feature: int, range: Interval = ..., inside: bool = ..., missing: bool = ..., codes: Sequence[int] = ...) -> None: ...

    @property
    def feature(self) -> int: ...

    @property
    def range(self) -> Interval: ...

    @property
    def inside(self) -> bool: ...

    @property
    def missing(self) -> bool: ...

    @property
    def codes(self) -> list[int]: ...

class Clause:
    """At least one of these holds in the answer."""

    def __init__(self, any_of: Sequence[Literal]) -> None: ...

    @property
    def any_of(self) -> list[Literal]: ...

class Norm(enum.Enum):
    """What the cost adds up."""

    squared_l2 = 0

    l1 = 1

    l0 = 2

    linf = 3

    mixture = 4

    custom = 5

class Mixture:
    """How much of each norm a mixture has."""

    def __init__(self, squared_l2: float = ..., l1: float = ..., l0: float = ...) -> None: ...

    @property
    def squared_l2(self) -> float: ...

    @property
    def l1(self) -> float: ...

    @property
    def l0(self) -> float: ...

class LiveRows:
    """The regions in which the rows of some data lie."""

    def __len__(self) -> int: ...

class Query:
    """From this point, what is wanted, allowed and paid."""

    @property
    def point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def requirements(self) -> list[Requirement]: ...

    @requirements.setter
    def requirements(self, arg: Sequence[Requirement], /) -> None: ...

    def __len__(self) -> int: ...

    def feature(self, index: int) -> FeatureRule: ...

    @property
    def groups(self) -> list[OneHot]: ...

    @groups.setter
    def groups(self, arg: Sequence[OneHot], /) -> None: ...

    @property
    def clauses(self) -> list[Clause]: ...

    @clauses.setter
    def clauses(self, arg: Sequence[Clause], /) -> None: ...

    @property
    def max_changes(self) -> int | None: ...

    @max_changes.setter
    def max_changes(self, value: int | None) -> None: ...

    @property
    def agree(self) -> int | None: ...

    @agree.setter
    def agree(self, value: int | None) -> None: ...

    @property
    def live(self) -> int: ...

    def set_live(self, least: int, rows: LiveRows) -> None:
        """The answer's region must hold at least so many of the rows."""

    @property
    def norm(self) -> Norm: ...

    @norm.setter
    def norm(self, arg: Norm, /) -> None: ...

    @property
    def mixture(self) -> Mixture: ...

    @mixture.setter
    def mixture(self, arg: Mixture, /) -> None: ...

    @property
    def term(self) -> Callable[[int, float, float], float]: ...

    @term.setter
    def term(self, arg: Callable[[int, float, float], float], /) -> None: ...

    @property
    def fewest_first(self) -> bool: ...

    @fewest_first.setter
    def fewest_first(self, arg: bool, /) -> None: ...

    def at(self, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Query:
        """The same question from another point."""

    def to_json(self) -> str:
        """The query as one line of JSON: the same for equivalent questions."""

    def question_text(self) -> str:
        """The text of a question file."""

    def total_cost(self, to: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

    def change_count(self, to: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def changes(self, feature: int) -> Literal: ...

    def stays(self, feature: int) -> Literal: ...

    def rises(self, feature: int) -> Literal: ...

    def falls(self, feature: int) -> Literal: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

def negated(literal: Literal) -> Literal:
    """The opposite statement."""

def distance(norm: Norm, cost: float) -> float: ...

def unify_missing(point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Gives all missing values of a point the same bits."""

class Task(enum.Enum):
    """What a model predicts."""

    regression = 0

    binary = 1

    multiclass = 2

class Library(enum.Enum):
    """The library that reads rows for a model."""

    other = 0

    xgboost = 1

    lightgbm = 2

    catboost = 3

    sklearn = 4

    onnx = 5

class Precision(enum.Enum):
    """A type of numbers."""

    float32 = 0

    float64 = 1

class SumOrder(enum.Enum):
    """When the base is added."""

    base_first = 0

    base_last = 1

class Link(enum.Enum):
    """From raw scores to outputs."""

    identity = 0

    sigmoid = 1

    exponential = 2

    softmax = 3

    winner = 4

    votes = 5

    square = 6

    softplus = 7

    isolation = 8

    composed = 9

class LinkForm(enum.Enum):
    """Whose formulas compute a link."""

    plain = 0

    onnxruntime = 1

    catboost = 2

class Decision(enum.Enum):
    """What a classifier compares."""

    output_above_half = 0

    score_above_zero = 1

    score_from_zero = 2

    score_above_half = 3

    largest_score = 4

class Category:
    """One value of a categorical feature."""

    def __init__(self, code: int, label: str = ..., others: bool = ..., hashed: bool = ...) -> None: ...

    @property
    def code(self) -> int: ...

    @property
    def label(self) -> str: ...

    @property
    def others(self) -> bool: ...

    @property
    def hashed(self) -> bool: ...

    def __reduce__(self) -> tuple: ...

class Feature:
    """A column of a model."""

    def __init__(self, name: str, kind: FeatureKind = FeatureKind.continuous, categories: Sequence[Category] = ...) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> FeatureKind: ...

    @property
    def categories(self) -> list[Category]: ...

    def __reduce__(self) -> tuple: ...

class Tree:
    """A tree as arrays with one entry a node; docs/formats.md."""

    def __init__(self, output: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Sequence[Sequence[int]] = ..., missing_at_zero: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = ..., zero_up: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = ..., width: int = ...) -> None: ...

class Ensemble:
    """A tree ensemble; it never changes."""

    def __init__(self, trees: list, source: str, library: Library, objective: str, features: Sequence[Feature], base: Sequence[float], notes: Sequence[str] = ..., input: Precision = Precision.float32, accumulator: Precision = Precision.float32, order: SumOrder = SumOrder.base_first, factor: float = ..., divisor: float = ..., link: Link = Link.identity, link_form: LinkForm = LinkForm.plain, steepness: float = ..., task: Task = Task.regression, decision: Decision = Decision.output_above_half, classes: Sequence[str] = ..., composition: str = ...) -> None:
        """Makes an ensemble of trees, which are taken out of their objects."""

    @property
    def source(self) -> str: ...

    @property
    def library(self) -> Library: ...

    @property
    def objective(self) -> str: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def features(self) -> list[Feature]: ...

    @property
    def task(self) -> Task: ...

    @property
    def classes(self) -> list[str]: ...

    @property
    def single(self) -> bool: ...

    def of_float32(self) -> Ensemble:
        """The same model of values that are rounded to float32 first."""

    @property
    def output_count(self) -> int: ...

    @property
    def class_count(self) -> int: ...

    @property
    def tree_count(self) -> int: ...

    @property
    def leaf_count(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def has_probabilities(self) -> bool: ...

    def class_name(self, index: int) -> str: ...

    def class_index(self, name: str) -> int: ...

    def fields(self) -> dict:
        """Everything but the trees, by the constructor's names."""

    def tree(self, index: int) -> dict:
        """The arrays of a tree, by the constructor's names."""

    @property
    def digest(self) -> str:
        """The hash of the model in certificates and records."""

    def to_json(self) -> str: ...

def read_bytes(content: bytes, place: str = ..., rounds: str | int | None = ...) -> Ensemble:
    """Reads a model file's content."""

def read_file(path: str, rounds: str | int | None = ...) -> Ensemble:
    """Reads a model file."""

def check_same_columns(ensembles: Sequence[Ensemble], names: Sequence[str]) -> None:
    """Raises an Error unless all models mean the same by every column."""

class Spread(enum.Enum):
    """How far the values of a feature spread."""

    range = 0

    deviation = 1

    median_deviation = 2

    quantiles = 3

def known_labels(ensemble: Ensemble) -> list[list[str]]:
    """
    By feature the labels of codes 0, 1, …; none where the model lacks one.
    """

def measure(kinds: Sequence[FeatureKind], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], spread: Spread) -> list[tuple[float, list[float]]]:
    """By feature the scale and the quantiles of data."""

class Statements(enum.Enum):
    """Which statements a text may hold."""

    all = 0

    wants = 1

    rules = 2

class Model:
    """Models that are asked together, made ready once."""

    def __init__(self, ensembles: Sequence[Ensemble], schema: str = ..., names: Sequence[str] = ...) -> None: ...

    @property
    def deciding_models(self) -> list[int]:
        """The indices of all models but isolation forests beside others."""

    def __len__(self) -> int: ...

    def ensemble(self, index: int = ...) -> Ensemble: ...

    def scores(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: int = ...) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Raw scores, a row for each point."""

    def outputs(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: int = ...) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """What the library's link makes of the scores."""

    def probabilities(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: int = ...) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The probability of each class."""

    def classes(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: int = ...) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """The index of the class that the library answers."""

    def query(self, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Query:
        """A query at this point with the schema's rules and no requirement."""

    def require_above(self, other: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], output: int = ..., index: int = ...) -> Requirement:
        """To rank above another point."""

    def add_text(self, query: Query, texts: Sequence[tuple[str, str, Statements]]) -> None:
        """
        Adds what the schema's rules and (text, place, statements) say to a query.
        """

    def validate(self, query: Query) -> None: ...

    def live_rows(self, rows: Sequence[Sequence[float]]) -> LiveRows:
        """The regions in which these rows lie."""

    def rows_around(self, query: Query, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """How many rows of `live_regions` are in the region of a point."""

    def agreeing(self, query: Query, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """How many counted requirements hold in a point."""

    def meets(self, query: Query, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool: ...

    def verify(self, query: Query, answer: Answer, samples: int = ..., seed: int = ...) -> tuple[list[str], int]:
        """
        What an independent check finds wrong, and how many points it looked at.
        """

    def value_text(self, feature: int, value: float) -> str: ...

    def rule_text(self, query: Query, rule: Rule) -> str: ...

    def changes_in_words(self, query: Query, solution: Solution) -> list[ChangeText]: ...

    def wide_text(self, query: Query, wide: WideRegion, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: int) -> str: ...

    def interval_text(self, feature: int, interval: Interval, now: float | None = ...) -> str: ...

class Engine(enum.Enum):
    """Both give the same answers."""

    fast = 0

    paper = 1

class Options:
    """Engine, threads, ties, limits and callbacks."""

    def __init__(self) -> None: ...

    @property
    def engine(self) -> Engine: ...

    @engine.setter
    def engine(self, arg: Engine, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def ties(self) -> int: ...

    @ties.setter
    def ties(self, arg: int, /) -> None: ...

    @property
    def seconds(self) -> float: ...

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

    @property
    def nodes(self) -> int: ...

    @nodes.setter
    def nodes(self, arg: int, /) -> None: ...

    @property
    def bytes(self) -> int: ...

    @bytes.setter
    def bytes(self, arg: int, /) -> None: ...

    @property
    def examples(self) -> list[list[float]]: ...

    @examples.setter
    def examples(self, arg: Sequence[Sequence[float]], /) -> None: ...

    @property
    def progress(self) -> object: ...

    @progress.setter
    def progress(self, value: object | None) -> None: ...

def explain(model: Model, query: Query, options: Options) -> Answer:
    """The cheapest admissible point with the outcome."""

def prove(model: Model, query: Query, answer: Answer) -> str:
    """The certificate of an answer."""

def visit_regions(model: Model, query: Query, radius: float, visit: object, options: Options) -> Stop:
    """
    Calls visit(region) for each pure box within the radius, until it returns False.
    """

class Apart(enum.Enum):
    """How the answers of a menu differ."""

    regions = 0

    features = 1

    distance = 2

class Menu:
    """Several alternative answers, cheapest first."""

    @property
    def answers(self) -> list[Answer]: ...

    @property
    def complete(self) -> bool: ...

    @property
    def stop(self) -> Stop: ...

class WideRegion:
    """A box in which everything has the outcome."""

    @property
    def region(self) -> list[Interval]: ...

    @property
    def values(self) -> list[list[float]]: ...

    @property
    def maximal(self) -> bool: ...

    @property
    def stop(self) -> Stop: ...

class Rule:
    """One rule of a query that can be lifted."""

    def __init__(self, kind: Rule.Kind, index: int = ...) -> None: ...

    class Kind(enum.Enum):
        fixed = 0

        range_lower = 1

        range_upper = 2

        allowed = 3

        step = 4

        direction = 5

        least_change = 6

        most_change = 7

        missing = 8

        clause = 9

        max_changes = 10

    @property
    def kind(self) -> Rule.Kind: ...

    @property
    def index(self) -> int: ...

class Blocker:
    """A rule that blocks, and the answer without it."""

    @property
    def rule(self) -> Rule: ...

    @property
    def without(self) -> Answer: ...

class WhyNot:
    """Why there is no answer."""

    @property
    def answer(self) -> Answer: ...

    @property
    def blockers(self) -> list[Blocker]: ...

    @property
    def smallest(self) -> bool: ...

    @property
    def impossible(self) -> bool: ...

    @property
    def stop(self) -> Stop: ...

class PathStep:
    """One change of an answer."""

    @property
    def features(self) -> list[int]: ...

    @property
    def point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def outputs(self) -> list[list[float]]: ...

    @property
    def without(self) -> Answer | None: ...

class SweepPoint:
    """The answer for one level."""

    @property
    def level(self) -> float: ...

    @property
    def answer(self) -> Answer: ...

class Best:
    """The most that a budget brings."""

    @property
    def status(self) -> Status: ...

    @property
    def stop(self) -> Stop: ...

    @property
    def before(self) -> float: ...

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float: ...

    @property
    def answer(self) -> Answer: ...

class BestStep:
    """One step of the curve of cost against output."""

    @property
    def value(self) -> float: ...

    @property
    def answer(self) -> Answer: ...

class BestCurve:
    """The most for every cost up to a budget."""

    def __init__(self, best: Best) -> None:
        """The most for a budget, without its curve."""

    @property
    def best(self) -> Best: ...

    @property
    def steps(self) -> list[BestStep]: ...

    @property
    def complete(self) -> bool: ...

    @property
    def stop(self) -> Stop: ...

class Reason:
    """What one feature contributes to an answer."""

    @property
    def features(self) -> list[int]: ...

    @property
    def changes(self) -> bool: ...

    @property
    def without(self) -> Answer: ...

    @property
    def alone(self) -> Answer: ...

    @property
    def most(self) -> Best | None: ...

    @property
    def sufficiency(self) -> float: ...

    @property
    def gain(self) -> float: ...

class Reasons:
    """What each feature contributes to an answer."""

    @property
    def answer(self) -> Answer: ...

    @property
    def reasons(self) -> list[Reason]: ...

    def necessity(self, reason: Reason) -> float: ...

    @property
    def stop(self) -> Stop: ...

class Map:
    """The exact decision regions over two features."""

    @property
    def x_view(self) -> Interval: ...

    @property
    def y_view(self) -> Interval: ...

    @property
    def stop(self) -> Stop: ...

    def __len__(self) -> int: ...

    @property
    def bounds(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def meets(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def costs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def outputs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

def find_menu(model: Model, query: Query, count: int, apart: Apart, distance: float, options: Options) -> Menu: ...

def find_wide_region(model: Model, query: Query, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Sequence[int], options: Options) -> WideRegion: ...

def rules_of(query: Query) -> list[Rule]:
    """Every rule that can be lifted."""

def lifted(query: Query, rules: Sequence[Rule]) -> Query:
    """The query without these rules."""

def find_why_not(model: Model, query: Query, liftable: Sequence[Rule], options: Options) -> WhyNot: ...

def find_path(model: Model, query: Query, to: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], resolve: bool, options: Options) -> list[PathStep]: ...

def find_sweep(model: Model, query: Query, levels: Sequence[float], options: Options) -> list[SweepPoint]: ...

def find_robust_sweep(model: Model, query: Query, multiples: Sequence[float], options: Options) -> list[SweepPoint]: ...

def with_distances(query: Query, multiple: float) -> Query:
    """The query with multiplied robust distances."""

def holding(query: Query, features: Sequence[int], others: bool) -> Query:
    """The query in which these features must stay, or all others."""

def find_reasons(model: Model, query: Query, options: Options) -> Reasons: ...

def find_best(model: Model, query: Query, budget: float, curve: bool, options: Options) -> BestCurve: ...

def best_query(model: Model, query: Query, value: float) -> Query:
    """The query for what reaches this value."""

def find_robustness(model: Model, query: Query, tolerance: float, options: Options) -> Answer: ...

def other_outcome(model: Model, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float = ...) -> Requirement:
    """The requirement that anything else comes out than at this point."""

def standing(model: Model, requirement: Requirement, scores: Sequence[float]) -> float: ...

def find_map(model: Model, query: Query, x: int, y: int, x_view: Interval, y_view: Interval, radius: float | None, most_cells: int, options: Options) -> Map: ...

def find_rounded(model: Model, query: Query, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def explain_many(model: Model, queries: Sequence[Query], options: Options, done: object | None = ...) -> tuple[list, bool]:
    """
    For each query an Answer, an exception, or None where it was not finished; and whether the batch was interrupted. Calls done(count) as queries are finished.
    """

class Swept(enum.Enum):
    """What varies from one answer of a sweep to the next."""

    levels = 0

    distances = 1

class Axis:
    """An axis of a picture."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...

    @property
    def ticks(self) -> list[tuple[float, str]]: ...

    @property
    def title(self) -> str: ...

    @property
    def scale(self) -> str: ...

class LegendEntry:
    """A colour or a mark, and its meaning."""

    @property
    def kind(self) -> str: ...

    @property
    def colour(self) -> str: ...

    @property
    def words(self) -> str: ...

class MapPicture:
    """What the picture of a map shows."""

    @property
    def title(self) -> str: ...

    @property
    def x(self) -> Axis: ...

    @property
    def y(self) -> Axis: ...

    @property
    def colours_title(self) -> str: ...

    @property
    def colours(self) -> list[LegendEntry]: ...

    @property
    def is_scale(self) -> bool: ...

    @property
    def tiles(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Left, right, bottom, top and the index of the colour."""

    @property
    def borders(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]:
        """Lines from one point to another."""

    @property
    def now(self) -> tuple[float, float] | None: ...

    @property
    def then(self) -> tuple[float, float] | None: ...

    @property
    def path(self) -> list[tuple[float, float]]: ...

    @property
    def marks(self) -> list[LegendEntry]: ...

    @property
    def notes(self) -> list[str]: ...

class SweepMark:
    """One answer of a sweep."""

    @property
    def level(self) -> float: ...

    @property
    def cost(self) -> float: ...

    @property
    def lower_bound(self) -> float: ...

    @property
    def is_proven(self) -> bool: ...

    @property
    def is_repeated(self) -> bool: ...

class SweepPicture:
    """What the picture of a sweep shows."""

    @property
    def title(self) -> str: ...

    @property
    def subtitle(self) -> str: ...

    @property
    def x(self) -> Axis: ...

    @property
    def y(self) -> Axis: ...

    @property
    def marks(self) -> list[SweepMark]: ...

    @property
    def known(self) -> list[tuple[float, float, float, float]]: ...

    @property
    def between(self) -> list[tuple[float, float, float, float]]: ...

    @property
    def impossible(self) -> Interval | None: ...

    @property
    def legend(self) -> list[LegendEntry]: ...

def map_picture(model: Model, query: Query, map: Map, x: int, y: int, radius: float | None, answer: Answer | None, path: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> MapPicture: ...

def sweep_picture(model: Model, query: Query, levels: Sequence[float], answers: Sequence[Answer], swept: Swept) -> SweepPicture: ...

def round_ticks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    """Ticks at round numbers, with their labels."""

class Claim:
    """What is proven about an answer, for its very question."""

    @property
    def status(self) -> Status: ...

    @property
    def stop(self) -> Stop: ...

    @property
    def already_met(self) -> bool: ...

    @property
    def fewest_first(self) -> bool: ...

    @property
    def cost_name(self) -> str: ...

    @property
    def cost(self) -> float: ...

    @property
    def changes(self) -> int: ...

    @property
    def least_changes(self) -> int: ...

    @property
    def lower_bound(self) -> float: ...

    @property
    def among_changes(self) -> int | None: ...

    @property
    def gap(self) -> float: ...

    @property
    def limited(self) -> bool: ...

    @property
    def earlier_alternatives(self) -> int: ...

    @property
    def robust(self) -> bool: ...

    @property
    def certain(self) -> bool: ...

    @property
    def badge(self) -> tuple[str, str]: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def claim_of(model: Model, query: Query, answer: Answer, earlier_alternatives: int = ...) -> Claim:
    """What is proven about an answer."""

def wanted_text(model: Model, query: Query) -> str: ...

def cost_name(query: Query) -> str: ...

def sentences(model: Model, query: Query, answer: Answer, row: int | str = ..., earlier_alternatives: int = ...) -> list[str]: ...

def answer_table(model: Model, query: Query, answer: Answer, row: int | str = ..., earlier_alternatives: int = ...) -> str: ...

def answer_html(model: Model, query: Query, answer: Answer, row: int | str = ..., earlier_alternatives: int = ...) -> str: ...

def answer_json(model: Model, query: Query, answer: Answer, row: int | str = ..., earlier_alternatives: int = ...) -> str: ...

def robustness_text(model: Model, query: Query, answer: Answer, row: int | str = ...) -> str: ...

def robustness_html(model: Model, query: Query, answer: Answer, row: int | str = ...) -> str: ...

def robustness_radius(model: Model, query: Query, answer: Answer) -> float: ...

def menu_table(model: Model, query: Query, answers: Sequence[Answer], complete: bool, stop: Stop, apart: Apart, distance: float, row: int | str = ...) -> str: ...

def menu_html(model: Model, query: Query, answers: Sequence[Answer], complete: bool, stop: Stop, apart: Apart, distance: float, row: int | str = ...) -> str: ...

def sweep_table(model: Model, query: Query, levels: Sequence[float], answers: Sequence[Answer], row: int | str, swept: Swept) -> str: ...

def sweep_html(model: Model, query: Query, levels: Sequence[float], answers: Sequence[Answer], row: int | str, swept: Swept) -> str: ...

def at_level(query: Query, level: float) -> Query:
    """The query at one level of a sweep."""

def best_table(model: Model, query: Query, found: BestCurve, budget: float, row: int | str) -> str: ...

def best_html(model: Model, query: Query, found: BestCurve, budget: float, row: int | str) -> str: ...

def best_levels(model: Model, query: Query, found: BestCurve) -> list[tuple[float, Answer]]:
    """The steps as levels of a sweep, for pictures."""

def reasons_in_words(model: Model, query: Query, found: Reasons) -> tuple[str, list[list[str]], str]:
    """A sentence, a table with its header, and a sentence."""

def reasons_table(model: Model, query: Query, found: Reasons, row: int | str) -> str: ...

def reasons_html(model: Model, query: Query, found: Reasons, row: int | str) -> str: ...

def why_not_table(model: Model, query: Query, why: WhyNot, row: int | str = ...) -> str: ...

def why_not_html(model: Model, query: Query, why: WhyNot, row: int | str = ...) -> str: ...

def regions_table(model: Model, query: Query, regions: Sequence[Region]) -> str: ...

def regions_html(model: Model, query: Query, regions: Sequence[Region]) -> str: ...

def map_svg(model: Model, query: Query, map: Map, x: int, y: int, radius: float | None, row: int | str) -> str: ...

def rounded_answer(model: Model, query: Query, answer: Answer, tolerance: float) -> Answer:
    """The answer with rounder numbers that cost at most this share more."""

def html_table(title: Sequence[str], lines: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """
    Paragraphs, a table whose first line is the header, and less conspicuous paragraphs.
    """

def fill_page(page: str, title: str, model: str, data: str, schema: str, row: int, question: str) -> str:
    """The page for browsers with these texts of files inside."""

def record_columns(model: Model, questions: Sequence[Query], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], answers: Sequence[Answer]) -> dict:
    """
    The facts of answers by name, one entry a row. Rows may share a question.
    """

def question_texts(questions: Sequence[Query], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> list[str | None]:
    """
    The question file of each row; None where the cost is a function, and with `live`.
    """

def query_from_json(text: str, place: str = ...) -> Query:
    """Reads the text of a question file."""

def solution_of(point: Sequence[float], region: Sequence[Interval], codes: Sequence[Sequence[int]]) -> Solution:
    """A solution, as a record states it."""

def answer_of(status: Status, stop: Stop, already_met: bool, cost: float, distance: float, lower_bound: float, least_changes: int, solution: Solution | None, output_before: Sequence[Sequence[float]], output_after: Sequence[Sequence[float]]) -> Answer:
    """An answer, as a record states it."""
