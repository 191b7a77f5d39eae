"""Make Simple Pair: neutral pairs of simple sentences and conjunctions, and pairs of all labels to train on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.record import SourceRecord, TermsRecord
from merge_snli.dataset.stored import MergeDataset
from merge_snli.pairs.lexicon import MIN_WORDS, SHIPPED, Lexicon, read_lexicon
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.output import PairConfig, Row, check_folder, write_pairs
from merge_snli.pairs.pair_templates import KINDS, NUMBERS, read_templates
from merge_snli.pairs.simple_pair_rows import AUGMENTATION, RELEVANCE, simple_pair_rows
from merge_snli.schema import TEST, DataColumn

COMMAND = "pairs simple"
SUMMARY = (
    "Pairs of simple sentences for natural language inference (NLI), made from templates and word lists as in Luo "
    "et al.\n(2022), section 2.2.1. The hypothesis changes a word of the premise, or combines its words in another "
    "way, so the label\nof every test pair is neutral. Config `augmentation` has pairs of all labels to train on."
)
NOTES = (
    "The words are this project's own, in the numbers of the paper. The data set is not a copy of the paper's.",
    "Words that make each other more or less likely never meet in a pair, such as *ripe* and *soft*.",
    "A pair is neutral if the sentences are read as statements without further context. A reader who takes them to "
    "describe one event may call some a contradiction, as the paper's annotators did in 2 to 6 of 100 pairs "
    "(appendix table 2).",
    "No premise of config `augmentation` is a premise of another config.",
)

# The configs in their order.
DESCRIPTIONS = {
    "simple": "one sentence each: N is A, and subject, verb, object",
    "relevance": "a quarter of `simple`, with its hypotheses joined with the premise or with another sentence",
    "conjunction": "premises of two clauses, whose words the hypothesis combines in another way",
    "augmentation": "entailment, neutral and contradiction for each premise, to train on",
}

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


def make_simple_pair(
    out: str | Path, options: SimplePairOptions | None = None, *, overwrite: bool = False
) -> MergeDataset:
    """Make Simple Pair in a folder.

    Args:
        out: The folder. `load_dataset("simple_pair", CONFIG)` needs it to be named `simple_pair`.
        options: The options.
        overwrite: Replace a data set in the folder that was made with other options.

    Raises:
        InputError: If the folder has other content, words or templates are invalid, or there are too few words.
    """
    options = SimplePairOptions() if options is None else options
    folder = check_folder(out, COMMAND, options.as_dict(), overwrite=overwrite)
    configs, sources = simple_pair_configs(options)
    return write_pairs(
        folder,
        configs,
        command=COMMAND,
        options=options.as_dict(),
        sources=sources,
        title="Simple Pair",
        summary=SUMMARY,
        notes=NOTES,
        terms=TermsRecord("apache-2.0", "Words and templates were written for the MERGE software."),
    )


def simple_pair_configs(options: SimplePairOptions) -> tuple[dict[str, PairConfig], tuple[SourceRecord, ...]]:
    """Return the rows of every config, and what they were made from; raises as `make_simple_pair`."""
    folder = SHIPPED if options.lexicon is None else Path(options.lexicon)
    lexicon = read_lexicon(folder)
    templates, digest = read_templates(folder)
    tested, trained = _halves(lexicon, options.random_seed) if options.held_out_nouns else (lexicon, lexicon)
    rows = simple_pair_rows(templates, tested, trained, premises=options.premises, random_seed=options.random_seed)
    sources = (SourceRecord("lexicon", lexicon.digest), SourceRecord("templates", digest))
    return {name: _config(name, rows[name]) for name in DESCRIPTIONS}, sources


def _halves(lexicon: Lexicon, seed: int) -> tuple[Lexicon, Lexicon]:
    """Split the nouns of each category at random."""
    first, second = {}, {}
    for name, category in lexicon.categories.items():
        if len(category.nouns) < 2 * MIN_WORDS:
            raise InputError(
                f"{param('held_out_nouns')}: category {name} has {len(category.nouns)} nouns, needs {2 * MIN_WORDS}"
            )
        nouns = Random(f"{seed}:nouns:{name}").sample(category.nouns, len(category.nouns))
        half = len(nouns) // 2
        first[name] = category.model_copy(update={"nouns": tuple(nouns[:half])})
        second[name] = category.model_copy(update={"nouns": tuple(nouns[half:])})
    return replace(lexicon, categories=first), replace(lexicon, categories=second)


def _config(name: str, rows: Sequence[Row]) -> PairConfig:
    """Return the rows of a config with its columns: a slot has one if a row of the config fills it."""
    own = RELEVANCE_COLUMNS if name == RELEVANCE else ()
    slots = [f"{kind}{number}" for kinds in KINDS.values() for number in NUMBERS for kind in kinds]
    filled = {key for row in rows for key in row}
    of_slots = tuple(
        DataColumn(slot, "string", f"{SLOTS[slot[0]]} {slot[1]}, or empty") for slot in slots if slot in filled
    )
    split = "train" if name == AUGMENTATION else TEST
    return PairConfig(DESCRIPTIONS[name], rows, GENERAL_COLUMNS + own + of_slots, split)
