"""What the page of the MNIST experiment says of its tables: each sentence is made of the figures."""

import numpy as np

FAINT = 0.1  # a change of a pixel, of 0 to 1, that an eye hardly sees


def listed(words):
    words = list(words)
    return " and ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])


def on_pairs(which):
    """Where something holds: {pair: whether}."""
    there = [name for name, holds in which.items() if holds]
    if len(there) == len(which):
        return f"on all {len(which)} pairs" if len(which) > 1 else f"on {there[0]}"
    return f"on {len(there)} of {len(which)} pairs" + (f" ({listed(there)})" if there else "")


def span(values, digits=2):
    """Smallest and largest, as they are printed."""
    low, high = (f"{end:.{digits}f}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def certainty(distances, papers=True):
    """Of {pair: distances by level and digit}: does each step of certainty cost more?"""
    means = {name: bool((np.diff(far.mean(axis=1)) > 0).all()) for name, far in distances.items()}
    digits = sum(far.shape[1] for far in distances.values())
    never = sum(int((np.diff(far, axis=0) >= 0).all(axis=0).sum()) for far in distances.values())
    return (f"The mean distance grows with every step of certainty {on_pairs(means)}"
            f"{', as in the paper' if papers and all(means.values()) else ''}; it never falls for "
            f"{never} of {digits} digits.")


def faint(pixels, levels, until):
    """Of {pair: largest change of a pixel by level and digit}."""
    at = levels.index(until)
    largest = {name: float(rows[at].mean()) for name, rows in pixels.items()}
    words = (f"At ε {until:g} the largest change of any pixel (of 0 to 1) is "
             f"{span(largest.values(), 3)} in the mean of a pair")
    if max(largest.values()) <= FAINT:
        return (f"{words}, which an eye hardly sees: the exact counterfactual is the smallest change "
                "that convinces the *model*. So the images do not follow the distance as clearly as "
                "the paper's text has it.")
    return (f"{words}; more than {FAINT:g} {on_pairs({k: v > FAINT for k, v in largest.items()})}, "
            "which an eye can see.")


def against(ours, theirs):
    """Of {pair: facts by name} of Boxwood and of FOCUS, in means."""
    parts = []
    for key, what in (("l1", "L1"), ("l2", "L2"), ("changed", "number of changed components"),
                      ("visible", "number of visibly changed components")):
        less = {name: ours[name][key] < theirs[name][key] for name in ours}
        parts.append(f"the mean {what} is smaller {on_pairs(less)}")
    return f"Boxwood against FOCUS: {listed(parts)}."


def focus_differs(farther, paper_farther, changed, visible, paper_changed):
    """Why our FOCUS may differ from the paper's; each is a list of figures by pair."""
    nearer = sum(a < b for a, b in zip(farther, paper_farther, strict=True))
    more = sum(a > b for a, b in zip(changed, paper_changed, strict=True))
    between = sum(low <= paper <= high for low, paper, high in
                  zip(visible, paper_changed, changed, strict=True))
    count = len(farther)
    words = f"""
Our FOCUS is not the paper's. It goes {span(farther)} times as far as the exact method in L2, the
paper's {span(paper_farther)}: ours is nearer on {nearer} of {count} pairs. It changes
{span(changed)} components, the paper's {span(paper_changed)}: ours changes more on {more} of {count}.
The paper says only that it wrote FOCUS anew for XGBoost, neither how it was tuned nor which step was
taken, so that we can name possible reasons and not prove one. We keep the nearest valid point of all steps, as the
code that FOCUS's authors published does; the last step would be farther. We choose the setting on the
very digits that are explained, which flatters FOCUS. Adam divides the slope of each component by
its own size: its first step is about α in every component whose slope is not exactly 0, however
small, so that more of them move than have to, most by little. And we count every difference as a
change, where the paper may have left out small ones."""
    return words + (f" Counted from 1 % of the range on, ours changes {span(visible)}; the paper's figure "
                    f"lies between the two counts on {between} of {count} pairs.")


def stability(ours, theirs, papers=True):
    """Of {pair: figures by digit} of Boxwood and of FOCUS, around moved digits."""
    pairs = {name: (np.nanmean(ours[name]), np.nanmean(theirs[name])) for name in ours}
    ours, theirs = (np.concatenate(list(one.values())) for one in (ours, theirs))
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    focus = {name: b < a for name, (a, b) in pairs.items()}
    boxwood = {name: a < b for name, (a, b) in pairs.items()}
    first, which = (("FOCUS is more stable than Boxwood", focus)
                    if sum(focus.values()) >= sum(boxwood.values())
                    else ("Boxwood is more stable than FOCUS", boxwood))
    words = (f"Under moves of 1 % {first} {on_pairs(which)}, in the mean. By digit: FOCUS is more "
             f"stable for {int((theirs < ours)[both].sum())} of {int(both.sum())}, Boxwood for "
             f"{int((ours < theirs)[both].sum())}.")
    if sum(focus.values()) > sum(boxwood.values()):
        words += (f" This speaks against the exact method{', and is the opposite of the paper' * papers}"
                  ": the nearest point may jump from one way out to another, while Adam, which goes "
                  "downhill from the digit, may go a similar way each time.")
    return words


def far_apart(apart, moved, ratios, papers=None):
    """What stability among digits says: mean distances to the next digit and to the counterfactual,
    the ratios found, and the paper's for the exact method."""
    found = (f"The nearest other wrong digit is {apart:.1f} away in the mean, the counterfactual "
             f"{moved:.2f}")
    if apart > 10 * moved:
        found += (f": the ratio is near 1 whatever a tool does (here {span(ratios)}), and says "
                  "little")
    found += "."
    if papers and max(papers) < 1 and np.mean(np.asarray(ratios) < 1) < 0.5:
        found += (f" The paper's figures for the exact method, {span(papers)}, are all below 1, which "
                  "the largest of several ratios hardly ever is here; it may have taken one "
                  "neighbour, or a mean.")
    return found


def best_reading(rows, used, close=0.1):
    """Of rows (components, rate, unit, …, misfit), the least misfit first; `used` is the reading
    of the other tables, its first three cells."""
    basis, rate, unit = rows[0][:3]
    least = rows[0][-1]
    words = [f"The best fit is {basis} components in units of {unit}, with rate {rate}: "
             + f"misfit {least:.2f}."]
    ours = next(row for row in rows if tuple(row[:3]) == tuple(used))
    if ours is not rows[0]:
        words.append(
            f"The other tables of this page have {used[0]} components, {used[2]}, and rate {used[1]}, "
            f"misfit {ours[-1]:.2f}: the paper names no rate, and {used[1]} is XGBoost's default. "
            "FOCUS and the other tools were asked about those models only; what Boxwood finds with "
            "the other rate is in this table.")
    for other in dict.fromkeys(row[2] for row in rows if row[2] != unit):
        best = next(row for row in rows if row[2] == other)
        far = best[-1] - least
        words.append(f"In units of {other} the best misfit is {best[-1]:.2f}, "
                     + ("as good" if far <= close / 2 else "nearly as good" if far <= close else
                        "out of the question" if best[-1] > 2 * least + 0.69 else "worse")
                     + f", and with {basis} components and rate {rate} "
                     f"{next(r for r in rows if r[:3] == (basis, rate, other))[-1]:.2f}.")
    return " ".join(words)


def changes_more(rows, papers):
    """Of each reading the changed components by pair, against the paper's."""
    more = sum(a > b for row in rows for a, b in zip(row, papers, strict=True))
    count = sum(len(row) for row in rows)
    if 2 * more <= count:
        return f"Our points change more components than the paper's in {more} of {count} cells."
    return (f"Our points change more components than the paper's in {more} of {count} cells; it does "
            "not say from which size on a change counts, and many of ours are tiny (column "
            "*changed > 1%* above).")


def how_asked(tools, nodes, default):
    """In which way each of these tools is asked; `nodes` are treecf's, `default` its own choice."""
    words = []
    methods = [method for method in ("genetic", "random") if f"DiCE, {method}" in tools]
    if methods:
        words.append(f"DiCE is asked for one counterfactual by its {listed(methods)} method, with its "
                     "defaults.")
    rewards = [reward for reward in ("proximity", "sparsity") if f"NICE, {reward}" in tools]
    if rewards:
        words.append(f"NICE is asked with its rewards that need no autoencoder ({listed(rewards)}).")
    if "treecf" in tools:
        limit = "its own default" if nodes == default else f"its own default is {default:,}"
        words.append(f"treecf is asked for the L1 optimum, with at most {nodes:,} nodes a digit "
                     f"({limit}), no limit by the clock, and its warm start of at most 2 seconds.")
    return " ".join(words)


def sparsest(by_tool, l2, l1, fewest):
    """Of {tool: facts}: whose points change fewer components than Boxwood's, and what that costs."""
    mean = {tool: np.nanmean(facts["changed"]) for tool, facts in by_tool.items()
            if np.sum(facts["valid"])}
    fewer = [f"{tool} ({mean[tool]:.2f})" for tool in mean
             if tool not in (l2, l1, fewest) and mean[tool] < mean[l1]]
    words = (f"{l2} changes {mean[l2]:.2f} components in the mean and {mean[l1]:.2f} by L1; neither "
             "question asks for few. ")
    if fewer:
        words += f"Fewer than by L1 are changed by {listed(fewer)}. "
    words += f"The fewest possible, proven, are {mean[fewest]:.2f} in the mean"
    if (np.asarray(by_tool[fewest]["changed"]) == 1).all():
        words += ": one component is enough for every digit"
    return (f"{words}. They are {np.median(by_tool[fewest]['ratio']):.1f} times as far as the nearest "
            "points, in L2 and in the median.")


def rivals(by_tool, exact):
    """Of {tool: facts}: who found how many, and who is how far; `exact` are Boxwood's own."""
    words = []
    for tool, facts in by_tool.items():
        if tool in exact:
            continue
        good, count = int(sum(facts["valid"])), len(facts["valid"])
        if not good:
            words.append(f"{tool} has no valid point.")
            continue
        ratios = np.asarray(facts["ratio"], dtype=float)
        words.append(f"{tool}: {good} of {count} valid, {np.nanmedian(ratios):.1f} times the smallest "
                     f"L2 in the median, {int(sum(facts['best']))} at the L1 optimum.")
    return " ".join(words)
