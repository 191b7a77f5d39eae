"""Plot the pattern accuracy curve of a result in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from merge_snli.scoring.results.scores import Curve


def plot_curve(curve: Curve, thresholds: Sequence[float], *, name: str, marked: float, ax: Axes | None) -> Axes:
    """Plot mean pattern accuracy at each threshold, with a band over the subsamples and a dot at one threshold.

    Args:
        curve: The curve. It has a value at every threshold.
        thresholds: Thresholds from 0 to 1.
        name: Label of the line in the legend.
        marked: Threshold of the dot, usually the quality threshold.
        ax: The axes to draw on; None for new ones.

    Returns:
        The axes, in percent.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
        ax.set(xlabel="threshold (%)", ylabel="pattern accuracy (%)", xlim=(0, 100), ylim=(0, 100))
    across = [100 * threshold for threshold in thresholds]
    mean = [float("nan") if value is None else 100 * value for value in curve.mean]
    [line] = ax.plot(across, mean, label=name)
    drawn = [[100 * value for value in row if value is not None] for row in curve.each]
    of_subsamples = [row for row in drawn if row]
    if len(of_subsamples) > 1:
        low, high = ([edge(column) for column in zip(*of_subsamples, strict=True)] for edge in (min, max))
        ax.fill_between(across, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    place = list(thresholds).index(marked)
    ax.plot(across[place], mean[place], "o", color=line.get_color())
    ax.legend()
    return ax
