"""What a run did otherwise than the paper, in sentences for those who would compare its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Options = dict[str, Any]

NO_PROBABILITY = (
    "**Without the probability filter**: a replacement may be less probable than the word that it replaces, so many "
    "variants read oddly."
)
NO_WORD_CLASS = (
    "**Without the word class filter**: a replacement may be of another word class, which can break a sentence or "
    "change the label."
)

DEPARTURES: tuple[tuple[Callable[[Options], bool], str], ...] = (
    (
        lambda options: any(name.startswith("demo:") for name in options["mlm"]),
        "**Embedded masked LMs**: two to four layers, trained on some twenty thousand sentences. Many variants do not "
        "read well. This set shows how the method works; it is no benchmark.",
    ),
    (
        lambda options: options.get("scramble", False),
        "**Scrambled**: the letters of every replacement are shuffled, so that most are no words. This set shows how "
        "much a score hangs on the words being words. It is no test of inference.",
    ),
    (
        lambda options: "prob" not in options.get("filters", ("prob", "pos")),
        NO_PROBABILITY,
    ),
    (
        lambda options: "pos" not in options.get("filters", ("prob", "pos")),
        NO_WORD_CLASS,
    ),
    (
        lambda options: options.get("sides") == "union",
        "**Union of premise and hypothesis**: a replacement that the masked LMs validated in one of the two sentences "
        "is enough, so it may fit the other badly.",
    ),
    (
        lambda options: options.get("seeds_from") is not None,
        "**Seeds of another data set**: exactly its seeds and word classes have variants here.",
    ),
    (
        lambda options: options.get("mask") == "all",
        "**All occurrences masked at once**: where a word stands twice in a sentence, the masked LMs saw neither.",
    ),
    (
        lambda options: options.get("split_words", False),
        "**Split words too**: words that a masked LM's tokenizer splits into pieces were replaced as well.",
    ),
    (
        lambda options: options.get("no_relations", False),
        "**No WordNet relations**: suggestions related to another word of the problem were dropped.",
    ),
    (
        lambda options: options.get("ignore_case", False),
        "**Case ignored**: a word counts as shared whatever its case in premise and hypothesis.",
    ),
    (
        lambda options: options.get("dtype") == "bfloat16",
        "**bfloat16**: the masked LMs computed with fewer digits, which changes some suggestions.",
    ),
    (
        lambda options: options["inflation"] != 20,
        "**Another degree of inflation** than the paper's 20: pattern accuracies cannot be compared with its own.",
    ),
    (
        lambda options: options["top_k"] != 200,
        "**Another number of fillers** than the paper's 200 was asked for.",
    ),
    (
        lambda options: options.get("limit") is not None,
        "**A part of the source**: only its first problems were read.",
    ),
)


def departures(options: Options) -> tuple[str, ...]:
    """Return a sentence for each way in which a run's options leave the paper's method.

    Args:
        options: The options as the run recorded them; those that it has not stand at their defaults.
    """
    return tuple(sentence for applies, sentence in DEPARTURES if applies(options))
