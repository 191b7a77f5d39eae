"""Warnings for the card: how the options of a run differ from the paper's method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Options = dict[str, Any]

DEPARTURES: tuple[tuple[Callable[[Options], bool], str], ...] = (
    (
        lambda options: any(name.startswith("demo:") for name in options["mlm"]),
        "**Bundled masked LMs**: they have two to four layers and were trained on about twenty thousand sentences, so "
        "variants can read badly. This data set shows how the method works; it is not a benchmark.",
    ),
    (
        lambda options: options["scramble"],
        "**Scrambled**: the letters of every replacement are shuffled, so most are not words. This data set shows how "
        "much a score depends on real words. It is not a test of inference.",
    ),
    (
        lambda options: "prob" not in options["filters"],
        "**Without the probability filter**: a replacement may be less probable than the original word, so many "
        "variants read badly.",
    ),
    (
        lambda options: "pos" not in options["filters"],
        "**Without the word class filter**: a replacement may have another word class, which can make a sentence "
        "ungrammatical or change the label.",
    ),
    (
        lambda options: options["sides"] == "union",
        "**Union of premise and hypothesis**: a replacement needs to be validated in only one of the two sentences, so "
        "it may not fit the other.",
    ),
    (
        lambda options: options["seeds_from"] is not None,
        "**Seeds of another data set**: only the seeds and word classes of that data set have variants here.",
    ),
    (
        lambda options: options["mask"] == "all",
        "**All occurrences masked at once**: if a word occurs twice in a sentence, the masked LMs saw neither.",
    ),
    (
        lambda options: options["split_words"],
        "**Split words included**: words that a masked LM's tokenizer splits into pieces were replaced as well.",
    ),
    (
        lambda options: options["no_relations"],
        "**No WordNet relations**: suggestions related to another word of the problem were dropped.",
    ),
    (
        lambda options: options.get("min_mlms", 1) > 1,
        "**Several masked LMs**: a replacement needs to be validated by several masked LMs in each sentence.",
    ),
    (
        lambda options: options.get("same_tag", False),
        "**Same tag**: a replacement has the Penn tag of the original word, not only its word class.",
    ),
    (
        lambda options: options.get("articles", False),
        "**Articles**: replacements that do not fit the *a* or *an* before them were dropped.",
    ),
    (
        lambda options: options.get("min_log_odds") is not None,
        "**A margin of probability**: a replacement needs larger log-odds than the paper's 0.",
    ),
    (
        lambda options: options.get("max_rank") is not None,
        "**A maximum rank**: only the most probable suggestions of each form were used.",
    ),
    (
        lambda options: options["ignore_case"],
        "**Case ignored**: premise and hypothesis may share a word in different case.",
    ),
    (
        lambda options: options["dtype"] == "bfloat16",
        "**bfloat16**: the masked LMs ran with lower precision, which changes some suggestions.",
    ),
    (
        lambda options: options["inflation"] != 20,
        "**Another degree of inflation** than the paper's 20: pattern accuracies cannot be compared with the paper's.",
    ),
    (
        lambda options: options["top_k"] != 200,
        "**Another number of suggestions per form** than the paper's 200.",
    ),
    (
        lambda options: options["limit"] is not None,
        "**A part of the problems**: only the first ones were read.",
    ),
)
"""Conditions on the options, each with the sentence that the card shows if it holds."""


def departures(options: Options) -> tuple[str, ...]:
    """Return a sentence for each difference from the paper's method.

    Args:
        options: The options as recorded by the run.
    """
    return tuple(sentence for applies, sentence in DEPARTURES if applies(options))
