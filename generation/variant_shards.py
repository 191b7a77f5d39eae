"""Make the rows and counts of shards of tagged problems, and cache them in the work folder."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from generation.answers.store import MaskedLMAnswers, Store, load_answers
from generation.filters.definitions import applied_filters
from generation.masked_lms.vocabulary import Vocabulary
from generation.options import Options
from generation.replacements.counts import counts_table
from generation.replacements.finding import FilteredWord, combine, count_filtered, filter_words
from generation.replacements.judged import GOOD_VARIANT, NOT_GOOD, NOT_JUDGED, drop_by_judgments
from generation.replacements.standalone import count_standalone
from generation.run_inputs import RunInputs
from generation.sentences.tagged_shards import ProblemWords, distinct_forms, read_tagged
from generation.variants import Variant, seed_rows, subsample_all, variant_rows
from generation.work import METHOD_VERSION, RESULT_FOLDERS, find_shard, key_of, read_shard, write_shard
from merge_snli.base import __version__
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.base.option import described
from merge_snli.schema import ALL, SEED, columns

*ROWS, STANDALONE = RESULT_FOLDERS

OUTCOMES = (GOOD_VARIANT, NOT_GOOD, NOT_JUDGED)
VARIANT_COUNTS = pa.schema(
    [
        *(("seed_id", pa.string()), ("word_class", pa.string()), ("variants", pa.int64())),
        *((outcome, pa.list_(pa.string())) for outcome in OUTCOMES),
    ]
)


# The answers and the vocabulary of each masked LM, by name.
Opened = Mapping[str, tuple[Store, Vocabulary]]


class VariantShard(NamedTuple):
    """The files made from one shard of tagged problems.

    Attributes:
        variants: Rows of config `all`.
        seeds: Rows of config `seed`.
        variant_counts: Number of variants by problem and word class, and the ids of those that were looked up in
            judgments, by what these say.
        filter_counts: Counts of the filters applied in their order.
    """

    variants: Path
    seeds: Path
    variant_counts: Path
    filter_counts: Path


def make_variant_shard(tagged: Path, inputs: RunInputs, opened: Opened, work: Path) -> VariantShard:
    """Make the rows and counts of a shard, or find them in the work folder.

    Args:
        tagged: A shard of tagged problems whose forms have all been answered.
        inputs: What the rows depend on beside the answers.
        opened: The answers.
        work: The work folder.
    """
    key = _key([tagged], opened, _changes_rows(inputs))
    answered = partial(read_answered, [tagged], inputs.options, opened)
    return VariantShard(*_shards(work, ROWS, key, lambda: make_rows(*answered(), inputs)))


def make_standalone_counts(tagged: Sequence[Path], inputs: RunInputs, opened: Opened, work: Path) -> Path:
    """Count what each filter drops when it is the only one in some shards, or find the counts in the work folder.

    They do not depend on the filters of the run. Takes the arguments of `make_variant_shard`, with several shards.
    """

    def count() -> list[pa.Table]:
        answered = read_answered(tagged, options, opened)
        return [counts_table(count_standalone(*answered, inputs.in_place_tagger, mask=options.mask))]

    options = inputs.options
    return _shards(work, [STANDALONE], _key(tagged, opened, [options.classes, options.mask]), count)[0]


def read_variant_counts(shards: Iterable[VariantShard]) -> pa.Table:
    """Return the number of variants of each problem and word class."""
    names = ["seed_id", "word_class", "variants"]
    return pa.concat_tables([read_shard(shard.variant_counts, names) for shard in shards])


def _shards(work: Path, folders: Sequence[str], key: str, make: Callable[[], Sequence[pa.Table]]) -> list[Path]:
    """Find the shards of a key, one per folder, or make them all."""
    stored = [find_shard(work / folder, key) for folder in folders]
    found = [path for path in stored if path is not None]
    if len(found) == len(folders):
        return found
    return [write_shard(work / folder, key, table) for folder, table in zip(folders, make(), strict=True)]


def _changes_rows(inputs: RunInputs) -> list[Any]:
    """Return what the rows depend on, beside the problems and their answers."""
    changes_rows = {name for name, option in described(Options) if option.changes_rows}
    options = {name: value for name, value in inputs.options.as_dict().items() if name in changes_rows}
    sources = inputs.seeds, inputs.wordnet
    digests = [None if source is None else source.digest for source in sources]
    libraries = (applied.filter.library for applied in applied_filters(inputs.options))
    versions = [version(name) for name in libraries if name is not None]
    names = [
        [column.name for column in columns(config, inputs.options.classes, inputs.options.keep_column)]
        for config in (ALL, SEED)
    ]
    judgments = inputs.judgments
    digest = [] if judgments is None else [judgments.digest]
    return [options, inputs.problems.label_names, digests, names, *versions, *digest]


def _key(tagged: Sequence[Path], opened: Opened, choices: object) -> str:
    """Return the key of what is made with some choices from tagged shards and the answers to their forms."""
    answers = [(name, store.folder.name) for name, (store, _) in opened.items()]
    return sha256_of_json([[*map(key_of, tagged)], choices, answers, METHOD_VERSION, __version__])[:32]


def read_answered(
    tagged: Sequence[Path], options: Options, opened: Opened
) -> tuple[ProblemWords, dict[str, MaskedLMAnswers]]:
    """Return the problems of shards, and the answers to their forms.

    Args:
        tagged: Shards of tagged problems whose forms have all been answered.
        options: `classes` and `mask` are read.
        opened: The answers.
    """
    problems: ProblemWords = []
    for shard in tagged:
        problems += read_tagged(shard, options.classes)
    advice = "they were deleted during the run; run the same command again"
    return problems, load_answers(opened, distinct_forms(problems, options.mask), advice)


def make_rows(
    problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], inputs: RunInputs
) -> tuple[pa.Table, pa.Table, pa.Table, pa.Table]:
    """Filter the fillers of problems, select the variants, and make their rows and counts.

    Args:
        problems: Tagged problems, each with the words to replace.
        answers: By masked LM, its answers to the forms of all these words.
        inputs: What the rows depend on beside the answers.

    Returns:
        The tables of the files of a `VariantShard`.
    """
    options = inputs.options
    seeds = inputs.seeds
    label_names = inputs.problems.label_names
    filtered = filter_words(problems, answers, inputs.in_place_tagger, options, wordnet=inputs.wordnet)
    words = [combine(word, options) for word in filtered]
    if inputs.judgments is not None:
        words = drop_by_judgments(words, inputs.judgments, options, seeds)
    variants = []
    for word in words:
        if seeds is None or seeds.has(*word.group):
            variants += [Variant(word.tagged.problem, word.word, replacement) for replacement in word.replacements]
    selected = subsample_all(variants, options)
    return (
        variant_rows(selected, options, label_names),
        seed_rows(selected, words, options, label_names),
        _variant_counts(words),
        counts_table(count_filtered(words)),
    )


def _variant_counts(words: Iterable[FilteredWord]) -> pa.Table:
    """Count the variants of each problem and word class, the words of a class pooled."""
    counts: dict[tuple[str, str], JsonObject] = {}
    for word in words:
        if word.group not in counts:
            seed_id, word_class = word.group
            counts[word.group] = {"seed_id": seed_id, "word_class": word_class, "variants": 0}
            for outcome in OUTCOMES:
                counts[word.group][outcome] = []
        row = counts[word.group]
        row["variants"] += len(word.replacements)
        for identity, outcome in word.judged.items():
            row[outcome].append(identity)
    return pa.Table.from_pylist([*counts.values()], VARIANT_COUNTS)


def judged_in(shards: Iterable[VariantShard]) -> dict[str, list[str]]:
    """Return the ids of the variants that were looked up in judgments, by what these say."""
    found: dict[str, list[str]] = {outcome: [] for outcome in OUTCOMES}
    for shard in shards:
        table = read_shard(shard.variant_counts, OUTCOMES)
        for outcome, identities in found.items():
            identities += pc.list_flatten(table[outcome]).to_pylist()
    return found
