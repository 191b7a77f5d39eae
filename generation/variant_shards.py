"""Make the rows and counts of shards of tagged problems, and cache them in the work folder."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from generation.answers.store import MaskedLMAnswers, Store, load_answers
from generation.filters.definitions import applied_filters
from generation.filters.lexical import WordNet
from generation.masked_lms.vocabulary import Vocabulary
from generation.options import Options
from generation.replacements.finding import FilteredWord, count_standalone, counts_table, find_replacements
from generation.replacements.judged import GOOD_VARIANT, NOT_GOOD, NOT_JUDGED, drop_by_judgments, judged_variants
from generation.seeds_from import Seeds
from generation.sentences.tagged_shards import ProblemWords, distinct_forms, read_tagged
from generation.sentences.tagging import InPlaceTagger
from generation.variants import Variant, seed_rows, subsample_all, variant_rows
from generation.work import METHOD_VERSION, RESULT_FOLDERS, find_shard, key_of, read_shard, write_shard
from merge_snli.base import __version__
from merge_snli.base.errors import IncompleteError, InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.base.option import described
from merge_snli.dataset.judgments import VariantJudgments
from merge_snli.schema import ALL, SEED, columns

*ROWS, STANDALONE = RESULT_FOLDERS

OUTCOMES = (GOOD_VARIANT, NOT_GOOD, NOT_JUDGED)
VARIANT_COUNTS = pa.schema(
    [
        *(("seed_id", pa.string()), ("word_class", pa.string()), ("variants", pa.int64())),
        *((outcome, pa.list_(pa.string())) for outcome in OUTCOMES),
    ]
)


@dataclass(frozen=True)
class Method:
    """Everything that turns tagged problems and answers into rows.

    Attributes:
        options: The options of the run.
        label_names: Label names in the order of their numbers.
        stores: The answers, by masked LM.
        vocabularies: The vocabularies, by masked LM.
        tagger: Tags suggestions in place.
        wordnet: WordNet, to drop related suggestions; None to keep them.
        seeds: The only seeds to make variants of; None for all problems.
        judgments: The judgments that variants are filtered by; None to keep all.
    """

    options: Options
    label_names: tuple[str, ...]
    stores: Mapping[str, Store]
    vocabularies: Mapping[str, Vocabulary]
    tagger: InPlaceTagger
    wordnet: WordNet | None = None
    seeds: Seeds | None = None
    judgments: VariantJudgments | None = None


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


def make_variant_shard(tagged: Path, method: Method, work: Path) -> VariantShard:
    """Make the rows and counts of a shard, or find them in the work folder.

    Args:
        tagged: A shard of tagged problems whose forms have all been answered.
        method: How to make them.
        work: The work folder.
    """
    key = _key([tagged], method, _changes_rows(method))
    return VariantShard(*_shards(work, ROWS, key, lambda: make_rows(*read_answered([tagged], method), method)))


def make_standalone_counts(tagged: Sequence[Path], method: Method, work: Path) -> Path:
    """Count what each filter drops when it is the only one in some shards, or find the counts in the work folder.

    They do not depend on the filters of the run. Takes the arguments of `make_variant_shard`, with several shards.
    """

    def count() -> list[pa.Table]:
        return [counts_table(count_standalone(*read_answered(tagged, method), method.tagger, mask=method.options.mask))]

    of_forms = [getattr(method.options, name) for name in ("classes", "mask")]
    return _shards(work, [STANDALONE], _key(tagged, method, of_forms), count)[0]


def most_variants(shards: Iterable[VariantShard]) -> Counter[str]:
    """Return the largest number of variants that any problem has, by word class."""
    most: Counter[str] = Counter()
    for shard in shards:
        counts = read_shard(shard.variant_counts).group_by("word_class").aggregate([("variants", "max")])
        most |= Counter(dict(zip(counts["word_class"].to_pylist(), counts["variants_max"].to_pylist(), strict=True)))
    return most


def number_of_seeds(shards: Iterable[VariantShard], inflation: int) -> int:
    """Return how many problems have enough variants in any word class for a degree of inflation."""
    seeds = set()
    for shard in shards:
        for row in read_shard(shard.variant_counts).to_pylist():
            if row["variants"] >= inflation:
                seeds.add(row["seed_id"])
    return len(seeds)


def variants_of_seeds(shards: Iterable[VariantShard], seeds: Seeds) -> dict[tuple[str, str], int]:
    """Return the number of variants of each seed by its id and word class."""
    found = {}
    for shard in shards:
        for row in read_shard(shard.variant_counts).to_pylist():
            if seeds.has(row["seed_id"], row["word_class"]):
                found[row["seed_id"], row["word_class"]] = row["variants"]
    return found


def _shards(work: Path, folders: Sequence[str], key: str, make: Callable[[], Sequence[pa.Table]]) -> list[Path]:
    """Find the shards of a key, one per folder, or make them all."""
    stored = [find_shard(work / folder, key) for folder in folders]
    found = [path for path in stored if path is not None]
    if len(found) == len(folders):
        return found
    return [write_shard(work / folder, key, table) for folder, table in zip(folders, make(), strict=True)]


def _changes_rows(method: Method) -> list[Any]:
    """Return what the rows depend on, beside the problems and their answers."""
    changes_rows = {name for name, option in described(Options) if option.changes_rows}
    options = {name: value for name, value in method.options.as_dict().items() if name in changes_rows}
    digests = [None if source is None else source.digest for source in (method.seeds, method.wordnet)]
    libraries = (applied.filter.library for applied in applied_filters(method.options))
    versions = [version(name) for name in libraries if name is not None]
    names = [
        [column.name for column in columns(config, method.options.classes, method.options.keep_column)]
        for config in (ALL, SEED)
    ]
    judgments = [] if method.judgments is None else [method.judgments.digest]
    return [options, method.label_names, digests, names, *versions, *judgments]


def _key(tagged: Sequence[Path], method: Method, choices: object) -> str:
    """Return the key of what is made with some choices from tagged shards and the answers to their forms."""
    answers = [(name, store.folder.name) for name, store in method.stores.items()]
    return sha256_of_json([[*map(key_of, tagged)], choices, answers, METHOD_VERSION, __version__])[:32]


def read_answered(tagged: Sequence[Path], method: Method) -> tuple[ProblemWords, dict[str, MaskedLMAnswers]]:
    """Return the problems of shards, and the answers to their forms.

    Args:
        tagged: Shards of tagged problems whose forms have all been answered.
        method: Has the answers.
    """
    problems: ProblemWords = []
    for shard in tagged:
        problems += read_tagged(shard, method.options.classes)
    forms = distinct_forms(problems, method.options.mask)

    def missing(name: str, number: int) -> InputError:
        return IncompleteError(
            f"{method.stores[name].folder}: {number} of {len(forms)} answers of {name} were deleted during the run: "
            "run the same command again"
        )

    opened = {name: (store, method.vocabularies[name]) for name, store in method.stores.items()}
    return problems, load_answers(opened, forms, missing)


def make_rows(
    problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], method: Method
) -> tuple[pa.Table, pa.Table, pa.Table, pa.Table]:
    """Filter the fillers of problems, select the variants, and make their rows and counts.

    Args:
        problems: Tagged problems, each with the words to replace.
        answers: By masked LM, its answers to the forms of all these words.
        method: How to make them.

    Returns:
        The tables of the files of a `VariantShard`.
    """
    options, judgments = method.options, method.judgments
    judge = None
    if judgments is not None:
        judge = partial(drop_by_judgments, judgments=judgments, options=options, seeds=method.seeds)
    words, filter_counts = find_replacements(
        problems, answers, method.tagger, options, wordnet=method.wordnet, judge=judge
    )
    variants: list[Variant] = []
    for word in words:
        problem = word.tagged.problem
        if method.seeds is None or method.seeds.has(problem.id, word.word.word_class):
            variants += [Variant(problem, word.word, replacement) for replacement in word.replacements]
    selected = subsample_all(variants, method.options)
    return (
        variant_rows(selected, method.options, method.label_names),
        seed_rows(selected, words, method.options, method.label_names),
        _variant_counts(words),
        counts_table(filter_counts),
    )


def _variant_counts(words: Iterable[FilteredWord]) -> pa.Table:
    """Count the variants of each problem and word class, the words of a class pooled."""
    counts: dict[tuple[str, str], dict[str, Any]] = {}
    for word in words:
        seed_id, word_class = word.tagged.problem.id, word.word.word_class
        if (seed_id, word_class) not in counts:
            outcomes: dict[str, Any] = {outcome: [] for outcome in OUTCOMES}
            counts[seed_id, word_class] = {"seed_id": seed_id, "word_class": word_class, "variants": 0} | outcomes
        row = counts[seed_id, word_class]
        row["variants"] += len(word.replacements)
        for outcome, identity in judged_variants(word):
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
