"""Boxwood behind the interface of DiCE, for code that calls `generate_counterfactuals`.

    explainer = boxwood.dice.Dice(model, X_train, outcome_name="credit")
    found = explainer.generate_counterfactuals(X_test[:2], total_CFs=3, desired_class="opposite")
    found.cf_examples_list[0].final_cfs_df

Differences from DiCE: counterfactuals are exact, come cheapest first, and are not random. None
changes all the features that an earlier one changes, so there may be fewer than asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boxwood.errors import Error, library
from boxwood.explainer import Explainer

__all__ = ["CounterfactualExamples", "CounterfactualExplanations", "Dice"]


@dataclass
class CounterfactualExamples:
    """The counterfactuals of one row.

    Parameters
    ----------
    test_instance_df : pandas.DataFrame
        The row, with its outcome.
    final_cfs_df : pandas.DataFrame or None
        The counterfactuals with their outcome, cheapest first; None where there is none.
    menu : Menu
        The answers with costs, regions and what is proven.
    """

    test_instance_df: Any
    final_cfs_df: Any
    menu: Any

    def visualize_as_dataframe(self, show_only_changes: bool = False) -> None:
        """Show the row and its counterfactuals.

        Parameters
        ----------
        show_only_changes : bool
            Write "-" for what stays as it is.
        """
        _show("Query instance", self.test_instance_df)
        if self.final_cfs_df is None:
            why = "proven" if self.menu.complete else self.menu.stop
            _show(f"No counterfactual: {why}", None)
            return
        shown = self.final_cfs_df
        if show_only_changes:
            start = self.test_instance_df.iloc[0]
            shown = shown.astype(object)
            for name in shown.columns:
                same = shown[name] == start[name]
                both_missing = shown[name].isna() & (start[name] != start[name])
                shown[name] = shown[name].mask(same | both_missing, "-")
        _show("Counterfactuals, cheapest first", shown)


def _show(title: str, frame: Any) -> None:
    # Like DiCE: tables in a notebook, text elsewhere.
    try:
        from IPython import get_ipython
        from IPython.display import display

        if get_ipython() is None:
            raise ImportError
    except ImportError:
        def display(what: Any) -> None:
            print(what.to_string() if hasattr(what, "to_string") else what)

    display(title)
    if frame is not None:
        display(frame)


@dataclass
class CounterfactualExplanations:
    """The counterfactuals of several rows.

    Parameters
    ----------
    cf_examples_list : list of CounterfactualExamples
        In the order of the rows.
    """

    cf_examples_list: list[CounterfactualExamples]

    def visualize_as_dataframe(self, show_only_changes: bool = False) -> None:
        """Show all rows and their counterfactuals.

        Parameters
        ----------
        show_only_changes : bool
            Write "-" for what stays as it is.
        """
        for examples in self.cf_examples_list:
            examples.visualize_as_dataframe(show_only_changes)


class Dice:
    """Boxwood with the methods of DiCE's explainers.

    Parameters
    ----------
    model : object
        As for `Explainer`; a model of DiCE's own class is unpacked.
    data : DataFrame
        Rows such as the model was trained on, without the outcome.
    outcome_name : str
        The name of the outcome's column in the returned frames.
    **options
        As for `Explainer`.
    """

    def __init__(self, model: Any, data: Any, *, outcome_name: str = "outcome",
                 **options: Any) -> None:
        if type(model).__module__.startswith("dice_ml."):
            model = model.model
        if not hasattr(data, "columns"):
            raise Error("data", "it is not a data frame", "Give pandas.DataFrame(data, columns=…)")
        if outcome_name in data.columns:
            data = data.drop(columns=outcome_name)
        self.explainer = Explainer(model, data, **options)
        self.outcome_name = outcome_name

    def generate_counterfactuals(
            self, query_instances: Any, total_CFs: int = 3,
            desired_class: Any = "opposite", desired_range: Sequence[float] | None = None,
            features_to_vary: str | Sequence[str] = "all",
            permitted_range: Mapping[str, Sequence[Any]] | None = None,
            **question: Any) -> CounterfactualExplanations:
        """Find several counterfactuals for each row.

        Parameters
        ----------
        query_instances : DataFrame
            The rows.
        total_CFs : int
            The most counterfactuals for each row.
        desired_class : object
            "opposite", or the label or number of a class.
        desired_range : sequence of float, optional
            Of a regression: the least and the largest output wanted.
        features_to_vary : "all" or sequence of str
            The features that may change.
        permitted_range : mapping, optional
            (lowest, highest) value by feature, or the list of permitted categories. It holds for
            every counterfactual, even if the row is outside it.
        **question
            As for `Explainer.explain`: costs, rules, limits.

        Returns
        -------
        CounterfactualExplanations
            With `cf_examples_list` and `visualize_as_dataframe`.
        """
        found = []
        if isinstance(features_to_vary, str):
            if features_to_vary != "all":
                raise Error("features_to_vary", f"unknown value {features_to_vary!r}",
                            'Give "all" or a list of features')
        else:
            question["only"] = list(features_to_vary)
        ranges = self._permitted(permitted_range or {})
        if ranges:
            question["ranges"] = {**question.get("ranges", {}), **ranges}
        if desired_range is not None:
            question["between"] = tuple(desired_range)
        rows = query_instances.drop(columns=self.outcome_name, errors="ignore")
        for at in range(len(rows)):
            row = rows.iloc[[at]]
            menu = self.explainer.menu(row, total_CFs, self._target(desired_class, desired_range),
                                       **question)
            found.append(self._examples(row, menu))
        return CounterfactualExplanations(found)

    def _target(self, desired: Any, span: Any) -> Any:
        if span is not None or (isinstance(desired, str) and desired == "opposite"):
            return None
        labels = self.explainer._labels(0)
        if desired not in labels and isinstance(desired, int) and 0 <= desired < len(labels):
            return labels[desired]
        return desired

    def _permitted(self, given: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        ranges: dict[str, Any] = {}
        for name, values in given.items():
            i = self.explainer.columns.index(name, "permitted_range")
            feature = self.explainer.schema.features[i]
            if feature.labels or feature.kind == "categorical":
                ranges[name] = set(values)
            elif len(values) != 2:
                raise Error("permitted_range", f'"{name}" needs two values, not {len(values)}',
                            "Give the least and the largest value")
            else:
                ranges[name] = tuple(values)
        return ranges

    def _examples(self, row: Any, menu: Any) -> CounterfactualExamples:
        pandas = library("pandas")

        before = row.copy()
        before[self.outcome_name] = self.explainer.predict(row)
        frames = [one.point_frame() for one in menu if one.found]
        if not frames:
            return CounterfactualExamples(before.reset_index(drop=True), None, menu)
        after = pandas.concat(frames, ignore_index=True)
        after[self.outcome_name] = self.explainer.predict(after)
        return CounterfactualExamples(before.reset_index(drop=True), after, menu)
