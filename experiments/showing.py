"""How the experiments on tables show answers: before and after side by side, as the paper does."""

import numpy as np


def before_after(blocks, heads, show="anything_in"):
    """Rows and columns of a table with one line for what is and one for each answer.

    `blocks` are (cells, answers by label): one case of the experiment each, with the cells that
    stand before its lines, under `heads`. A column stands for each feature that any answer
    changes, in the order in which they turn up; `show` names what a changed cell says.
    """
    titles = []
    for _, answers in blocks:
        for answer in answers.values():
            titles += [change.title for change in answer.changes if change.title not in titles]
    rows = []
    for cells, answers in blocks:
        now = {change.title: change.now for answer in answers.values() for change in answer.changes}
        rows.append([*cells, "now", *(now.get(title, "") for title in titles)])
        for label, answer in answers.items():
            if not answer.found:
                said = "none exists (proven)" if answer.proven else "none was found in time"
                rows.append([*[""] * len(cells), f"{label}: {said}", *[""] * len(titles)])
                continue
            to = {change.title: getattr(change, show) for change in answer.changes}
            rows.append([*[""] * len(cells), label, *(to.get(title, "") for title in titles)])
    return rows, [*heads, "", *titles]


def changes_text(answer, show="change_to"):
    """The changes of an answer in one line."""
    if not answer.found:
        return "none exists (proven)" if answer.proven else "none was found in time"
    return "; ".join(f"{change.title} {change.now} → {getattr(change, show)}"
                     for change in answer.changes)


def middle(values, digits=3):
    """The median, as a page shows it; a dash where there is nothing."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    return f"{float(f'{np.median(values):.{digits}g}'):.15g}"  # 1e+02 is 100


def share(some, all_of):
    """So many of so many, in words."""
    return f"{some} of {all_of}"


def percent(part):
    """A share of one, in percent."""
    return f"{100 * part:.0f} %"


def worse(explainer, answer, better):
    """Titles of the features that an answer moves against their better direction.

    `better` says of each feature whether "more" or "less" of it is better; others do not count.
    """
    found = []
    for change in answer.changes:
        wanted, labels = better.get(change.feature), explainer.schema[change.feature].labels
        before, after = (labels.index(str(value)) if labels else value
                         for value in (change.before, change.after))
        if wanted is not None and (after > before) != (wanted == "more"):
            found.append(change.title)
    return found


def price_curve(sweeps, places, across, up, title=None):
    """A figure of what rising levels cost, one line for each sweep; crosses: proven impossible.

    `places` are where the levels stand on the axis `across`.
    """
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.6, 3.7))
    most = max((answer.cost for sweep in sweeps.values() for answer in sweep.answers
                if answer.found), default=1.0)
    for k, (name, sweep) in enumerate(sweeps.items()):
        pairs = list(zip(places, sweep.answers, strict=True))
        there = [(place, answer.cost) for place, answer in pairs if answer.found]
        line, = ax.step(*zip(*there, strict=True) if there else ([], []), where="pre", marker="o",
                        ms=4, label=name)
        lost = [place for place, answer in pairs if answer.status == "infeasible"]
        ax.plot(lost, [most * (1.08 + 0.06 * k)] * len(lost), "x", color=line.get_color())
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.set_ylim(bottom=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(title=title, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
