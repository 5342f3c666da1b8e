"""Pairs of digits for the MNIST experiment: images, their principal components, a model, its errors.

The full version reads MNIST, the small one the 8 x 8 digits of scikit-learn.
"""

import dataclasses

import boxwood
import common
import numpy as np
import xgboost
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split


@dataclasses.dataclass
class Images:
    """Rows of pixels from 0 to 1, with their labels."""

    train: np.ndarray
    labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


@dataclasses.dataclass
class Size:
    """How large the experiment is."""

    components: int
    trees: int
    depth: int


@dataclasses.dataclass
class Pair:
    """Two digits, a model of class 1 (the second digit), and the test digits that it gets wrong."""

    first: int
    second: int
    pca: PCA
    model: xgboost.XGBClassifier
    train: np.ndarray  # components, float32, as the model reads them
    labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray
    test_images: np.ndarray
    wrong: np.ndarray  # rows of the test digits

    @property
    def name(self):
        return f"{self.first} v {self.second}"

    @property
    def rows(self):
        return self.test[self.wrong]

    @property
    def now(self):
        """What the model says of the wrong ones: 0 or 1, the other one is true."""
        return 1 - self.test_labels[self.wrong]

    @property
    def right(self):
        return 1 - len(self.wrong) / len(self.test)

    def predict(self, rows):
        return (self.probability(rows) > 0.5).astype(int)

    def probability(self, rows):
        """XGBoost's own probability of the second digit."""
        return self.model.get_booster().inplace_predict(np.asarray(rows, dtype=np.float32))

    def pixels(self, rows):
        return self.pca.inverse_transform(np.asarray(rows, dtype=float))


def read_images(options):
    """(the images, how large the experiment is, the pairs)."""
    if options.small:
        values, labels = load_digits(return_X_y=True)
        parts = train_test_split(values / 16, labels, test_size=0.5, random_state=options.seed)
        return (Images(parts[0], parts[2], parts[1], parts[3]), Size(8, 20, 3), [(3, 8)])
    train, labels, test, test_labels = common.mnist(options)
    return (Images(train, labels, test, test_labels), Size(50, 200, 7),
            [(5, 6), (1, 7), (4, 9), (3, 8)])


def fit_pca(images, chosen, size):
    """Principal components of the training images of some digits, each of variance 1."""
    return PCA(size.components, whiten=True, svd_solver="covariance_eigh").fit(
        images.train[np.isin(images.labels, chosen)])


def make_pair(images, first, second, size, seed, pca=None, **parameters):
    """A trained pair; the components are those of its own digits unless others are given."""
    pca = pca or fit_pca(images, (first, second), size)
    train, test = (np.isin(labels, (first, second))
                   for labels in (images.labels, images.test_labels))
    inputs = pca.transform(images.train[train]).astype(np.float32)
    test_inputs = pca.transform(images.test[test]).astype(np.float32)
    labels = (images.labels[train] == second).astype(int)
    test_labels = (images.test_labels[test] == second).astype(int)
    # One thread: XGBoost's sums, and so its trees, may depend on the number.
    model = xgboost.XGBClassifier(n_estimators=size.trees, max_depth=size.depth, n_jobs=1,
                                  tree_method="hist", random_state=seed, **parameters)
    model.fit(inputs, labels)
    wrong = np.flatnonzero(model.predict(test_inputs) != test_labels)
    return Pair(first, second, pca, model, inputs, labels, test_inputs, test_labels,
                images.test[test], wrong)


def explainer(pair, units=None):
    """Boxwood on the components; `units` is what counts as one of each (1 without)."""
    plain = boxwood.Explainer(pair.model)
    if units is None:
        return plain
    for feature, unit in zip(plain.schema.features, units, strict=True):
        feature.scale = float(unit)
    return boxwood.Explainer(pair.model, schema=plain.schema)


def ask(explainer, rows, now, epsilon=0.5, **question):
    """(points, answers): the wrong class has at most the probability epsilon."""
    answers = [None] * len(rows)
    for wrong in (0, 1):
        places = np.flatnonzero(now == wrong)
        if len(places):
            sure = {} if epsilon == 0.5 else {"probability": 1 - epsilon}
            batch = explainer.explain_batch(rows[places], 1 - wrong, show_progress=False,
                                            on_error="raise", **sure, **question)
            for place, answer in zip(places, batch, strict=True):
                answers[place] = answer
    points = np.full(rows.shape, np.nan, dtype=np.float32)
    for place, answer in enumerate(answers):
        if answer.found:
            points[place] = answer.array
    return points, answers
