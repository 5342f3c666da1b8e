"""Pictures of the MNIST experiment."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np


def _image(at, pixels, side, **options):
    shown = at.imshow(np.reshape(pixels, (side, side)), interpolation="nearest", **options)
    at.set_xticks([])
    at.set_yticks([])
    return shown


def strip(before, columns, words):
    """Images in a row, and below each its difference from the second one, `before`.

    `columns` are (title, pixels); the first is the scan itself. Each difference has its own scale,
    which is written below it.
    """
    side = round(len(before) ** 0.5)
    figure, axes = plt.subplots(2, len(columns), figsize=(1.55 * len(columns), 4.0),
                                layout="constrained")
    for place, (title, pixels) in enumerate(columns):
        _image(axes[0, place], pixels, side, cmap="gray", vmin=0, vmax=1)
        axes[0, place].set_title(title, fontsize=9)
        if place < 2:
            axes[1, place].set_axis_off()
            continue
        size = float(np.abs(pixels - before).max()) or 1.0
        _image(axes[1, place], pixels - before, side, cmap="RdBu_r", vmin=-size, vmax=size)
        axes[1, place].set_xlabel(f"−{size:.3f} to {size:.3f}", fontsize=8)
    # It reaches into the empty place beside it, which the layout is not to make wider.
    axes[1, 0].text(0, 0.5, words, transform=axes[1, 0].transAxes, fontsize=9,
                    va="center").set_in_layout(False)
    return figure


def certainty(levels, distances):
    """How far away more certainty is: median and quartiles by epsilon, a panel for each pair."""
    figure, axes = plt.subplots(1, len(distances), figsize=(2.6 * len(distances) + 0.6, 2.9),
                                sharey=True, squeeze=False, layout="constrained")
    for at, (name, values) in zip(axes[0], distances.items(), strict=True):
        low, middle, high = np.nanpercentile(values, (25, 50, 75), axis=1)
        at.fill_between(levels, low, high, alpha=0.25, linewidth=0, label="quartiles")
        at.plot(levels, middle, marker="o", label="median")
        at.set_title(name)
        at.set_xlabel("ε: probability left to the wrong digit", fontsize=8)
        at.set_xticks(levels)
        at.invert_xaxis()
        at.set_ylim(bottom=0)
    axes[0, 0].set_ylabel("distance (L2)")
    axes[0, -1].legend(fontsize=8, loc="upper left")
    return figure


def ratios(names, values):
    """L2 distance of other tools over the smallest possible one, digit by digit."""
    figure, at = plt.subplots(figsize=(7.2, 0.55 * len(names) + 1.2), layout="constrained")
    random = np.random.default_rng(0)
    for place, one in enumerate(values):
        at.scatter(one, place + random.uniform(-0.18, 0.18, len(one)), s=12, alpha=0.5)
        at.plot([np.median(one)] * 2, [place - 0.3, place + 0.3], color="black")
    at.axvline(1, color="gray", linewidth=1, linestyle=":")
    at.set_xscale("log")
    at.xaxis.set_major_formatter("{x:g}")
    at.set_yticks(range(len(names)), names)
    at.invert_yaxis()
    at.set_xlabel("L2 distance over the smallest possible (log scale; bar: median)")
    return figure
