"""Define a figure or table of the report, and the phrases in its texts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from matplotlib.figure import Figure

from merge_snli.base.table import Table, count

# Draws a figure; the arguments are whether it is for the width of a phone, and its title.
Draw: TypeAlias = Callable[[bool, str], Figure]

CLASS_PLURALS = {"noun": "nouns", "verb": "verbs", "adj": "adjectives", "adv": "adverbs"}

PREDICTORS = {
    "log_odds": "log-odds of the replacement",
    "masked_lms": "number of masked LMs",
    "sentence_length": "sentence length",
    "log_count": "log count of the replacement",
}


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A figure, tables, or a figure with its values as tables.

    Attributes:
        name: Stem of its files, such as `figure-5-word-classes`.
        paper: The figure or table of the paper, such as "Figure 5", or the section.
        title: What it shows, also for readers who do not see it; drawn above a figure.
        caption: One sentence on how to read it, the same in every report.
        finding: What was found, with its test; of several artifacts of a section, the first one answers its heading.
        basis: The number of seeds and models behind it.
        draw: Draws the figure; None if there is none.
        tables: The values.
        folded: Index of the table that is folded below the figure.
        not_drawn: Which values the figure leaves out, and why.
    """

    name: str
    paper: str
    title: str
    caption: str
    basis: str
    finding: str = ""
    draw: Draw | None = None
    tables: tuple[Table, ...] = ()
    folded: int = 0
    not_drawn: str = ""


def predictor_name(name: str, reference: str | None) -> str:
    """Return the display name of a predictor of the regression.

    Examples:
        >>> predictor_name("label: neutral", "entailment"), predictor_name("sentence_length", None)
        ('neutral (against entailment)', 'sentence length')
    """
    level = name.partition(": ")[2]
    return f"{level} (against {reference})" if level else PREDICTORS[name]


def basis(seeds: int, models: int) -> str:
    """Return the number of seeds and models that a figure or table is computed from.

    Examples:
        >>> basis(2222, 1)
        '2,222 seeds, 1 model'
    """
    return f"{count(seeds, 'seed')}, {count(models, 'model')}"
