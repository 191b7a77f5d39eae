"""What the card and the record say of Simple Pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.dataset.record import TermsRecord
from merge_snli.pairs.output import PairConfig, PairsTexts
from merge_snli.pairs.pair_templates import KINDS, NUMBERS
from merge_snli.schema import TEST, DataColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.pairs.output import Row

COMMAND = "pairs simple"
TRAIN = "train"

TEXTS = PairsTexts(
    command=COMMAND,
    title="Simple Pair",
    load_name="simple_pair",
    summary=(
        "Pairs of simple sentences for natural language inference (NLI), made from templates and word lists as in Luo "
        "et al.\n(2022), section 2.2.1. The hypothesis changes a word of the premise, or combines its words in another "
        "way, so the label\nof every test pair is neutral. Config `augmentation` has pairs of all labels to train on."
    ),
    notes=(
        "The words are this project's own, in the numbers of the paper. The data set is not a copy of the paper's.",
        "Words that make each other more or less likely never meet in a pair, such as *ripe* and *soft*.",
        "A pair is neutral if the sentences are read as statements without further context. A reader who takes them to "
        "describe one event may call some a contradiction, as the paper's annotators did in 2 to 6 of 100 pairs "
        "(appendix table 2).",
        "No premise of config `augmentation` is a premise of another config.",
    ),
    terms=TermsRecord("apache-2.0", "Words and templates were written for the MERGE software."),
)

DESCRIPTIONS = {
    "simple": "one sentence each: N is A, and subject, verb, object",
    "relevance": "the hypotheses of `simple`, joined with the premise or with another sentence",
    "conjunction": "premises of two clauses, whose words the hypothesis combines in another way",
    "augmentation": "entailment, neutral and contradiction for each premise, to train on",
}
"""The configs in their order."""

SLOTS = {"n": "noun", "a": "adjective", "s": "subject", "v": "verb in the past", "o": "object"}
GENERAL_COLUMNS = (
    DataColumn("family", "string", "n_is_a or svo"),
    DataColumn("category", "string", "category of the nouns; for svo, those of the first subject and object"),
)
RELEVANCE_COLUMNS = (
    DataColumn("relevance", "string", "relevant: joined with the premise; irrelevant: joined with another sentence"),
    DataColumn("order", "string", "added first, or hypothesis first"),
    DataColumn("joined_by", "string", "and, or full stop"),
)


def pair_config(name: str, rows: Sequence[Row]) -> PairConfig:
    """Return the rows of a config with its columns: a slot has one if a row of the config fills it.

    Args:
        name: A key of `DESCRIPTIONS`.
        rows: The rows.
    """
    own = RELEVANCE_COLUMNS if name == "relevance" else ()
    slots = [f"{kind}{number}" for kinds in KINDS.values() for number in NUMBERS for kind in kinds]
    filled = {key for row in rows for key in row}
    of_slots = tuple(
        DataColumn(slot, "string", f"{SLOTS[slot[0]]} {slot[1]}, or empty") for slot in slots if slot in filled
    )
    return PairConfig(
        DESCRIPTIONS[name], rows, GENERAL_COLUMNS + own + of_slots, TRAIN if name == "augmentation" else TEST
    )
