"""Results: what a shard of tagged problems gives, from the stored answers to its rows, kept until they are merged."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.replacements.finding import FilterCounts, Found, MaskedLMAnswers, find_replacements
from generation.replacements.standalone import count_standalone
from generation.sentences.tagged_shards import forms_of_shard, read_tagged
from generation.sentences.whole_words import METHOD_VERSION
from generation.variants.rows import draw_all, seed_rows, variant_rows
from generation.variants.variant import Variant
from generation.work.shards import find_shard, key_of, read_shard, write_shard
from merge_snli import __version__
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from generation.answers.store import Store
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.replacements.relations import WordNet
    from generation.seeds_from import Seeds
    from generation.sentences.tags_in_place import InPlaceTagger

FOLDERS = VARIANTS_FOLDER, SEEDS_FOLDER, STANDALONE_FOLDER = "variants", "seeds", "standalone_filters"
COUNTS = b"counts"
"""Where the counts of a shard stand in the metadata of its seeds' file."""

OF_THE_SOURCE = frozenset(
    {"problems", "config", "split", "limit", "id_column", "label_names", "tagger", "mlm", "device", "license"}
    | {f"{role}_column" for role in ("premise", "hypothesis", "label")}
    | {"seeds_from"}
)
"""Options that a shard's rows depend on only through the shard itself and the answers."""


@dataclass(frozen=True)
class Method:
    """All that turns tagged problems and answers into rows.

    Attributes:
        options: The run's choices.
        label_names: Names of the labels in the order of their numbers.
        stores: The answers, by masked LM.
        vocabularies: What they stand for, by masked LM.
        tagger: Tags suggestions in their place.
        wordnet: What tells related words, where these are dropped.
        seeds: The seeds that are given variants, where these are another data set's.
    """

    options: Options
    label_names: tuple[str, ...]
    stores: Mapping[str, Store]
    vocabularies: Mapping[str, Vocabulary]
    tagger: InPlaceTagger
    wordnet: WordNet | None = None
    seeds: Seeds | None = None


@dataclass(frozen=True)
class Result:
    """What came of a shard.

    Attributes:
        variants: The file of its rows of config `all`.
        seeds: The file of its rows of config `seed`, and of what each filter did, for `read_filters`.
        standalone: The file of what each filter drops by itself, for `read_standalone`.
        most: By word class, the most variants that a problem has, the words of a class pooled.
        of_seeds: By seed id and word class, how many variants each of another data set's seeds has.
    """

    variants: Path
    seeds: Path
    standalone: Path
    most: Counter[str]
    of_seeds: dict[tuple[str, str], int]


def make_result(shard: Path, method: Method, work: Path) -> Result:
    """Make the rows of a shard: filters, set operations, variants, draws; or take what is kept of them.

    Args:
        shard: A tagged shard all of whose forms have been answered.
        method: How.
        work: The work folder.

    Raises:
        InputError: Where an answer is gone, or the work folder cannot be written.
    """
    asked = cache(partial(_asked, shard, method))
    key = _key(shard, method)
    variants, seeds = find_shard(work / VARIANTS_FOLDER, key), find_shard(work / SEEDS_FOLDER, key)
    if variants is None or seeds is None:
        problems = read_tagged(shard, method.options.classes)
        found, filters = find_replacements(problems, asked(), method.tagger, method.options, wordnet=method.wordnet)
        variant_table, seed_table = _rows(found, method)
        counts = {COUNTS: _counts_text(filters, _variants_of_seeds(found), method)}
        seed_table = seed_table.replace_schema_metadata({**(seed_table.schema.metadata or {}), **counts})
        variants = write_shard(work / VARIANTS_FOLDER, key, variant_table)
        seeds = write_shard(work / SEEDS_FOLDER, key, seed_table)
    return Result(variants, seeds, standalone=_standalone(shard, method, work, asked), **_read_counts(seeds))


def _standalone(shard: Path, method: Method, work: Path, asked: Callable[[], Mapping[str, MaskedLMAnswers]]) -> Path:
    """Count what each filter drops by itself, or take what is kept of it: it depends on no filter that is chosen."""
    options = {name: getattr(method.options, name) for name in ("classes", "mask")}
    key = _digest(shard, options, method)
    there = find_shard(work / STANDALONE_FOLDER, key)
    if there is None:
        problems = read_tagged(shard, method.options.classes)
        counts = count_standalone(problems, asked(), method.tagger, mask=method.options.mask)
        table = pa.table({"counts": [json.dumps(_count_rows(counts))]})
        there = write_shard(work / STANDALONE_FOLDER, key, table)
    return there


def _key(shard: Path, method: Method) -> str:
    options = {name: value for name, value in method.options.as_dict().items() if name not in OF_THE_SOURCE}
    digests = [None if each is None else each.digest for each in (method.seeds, method.wordnet)]
    return _digest(shard, [options, method.label_names, digests], method)


def _digest(shard: Path, options: object, method: Method) -> str:
    """Return the key of what was made from a shard and the answers to its forms in some way."""
    answers = [(name, store.folder.name) for name, store in method.stores.items()]
    return sha256_of_json([key_of(shard), options, answers, METHOD_VERSION, __version__])[:32]


def _asked(shard: Path, method: Method) -> dict[str, MaskedLMAnswers]:
    forms = forms_of_shard(shard, method.options)
    asked = {}
    for name, store in method.stores.items():
        answers = store.load(forms)
        if len(answers) < len(forms):
            raise InputError(f"{store.folder} has lost answers that it had: run again, and they are asked again")
        asked[name] = MaskedLMAnswers(answers, method.vocabularies[name])
    return asked


def read_filters(seeds: Path) -> FilterCounts:
    """Read what each filter did to a shard."""
    return _counts(_read_metadata(seeds)["filters"])


def read_standalone(path: Path) -> FilterCounts:
    """Read what each filter drops by itself of a shard."""
    return _counts(json.loads(read_shard(path)["counts"][0].as_py()))


def _rows(found: Sequence[Found], method: Method) -> tuple[pa.Table, pa.Table]:
    variants = [
        Variant(each.tagged.problem, each.word, word)
        for each in found
        if method.seeds is None or method.seeds.has(each.tagged.problem.id, each.word.word_class)
        for word in each.replacements
    ]
    drawn = draw_all(variants, method.options)
    return (
        variant_rows(drawn, method.options, method.label_names),
        seed_rows(drawn, found, method.options, method.label_names),
    )


def _variants_of_seeds(found: Sequence[Found]) -> Counter[tuple[str, str]]:
    """Count variants by problem and class, the words of a class pooled."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in found:
        counts[each.tagged.problem.id, each.word.word_class] += len(each.replacements)
    return counts


def _counts_text(filters: FilterCounts, variants: Mapping[tuple[str, str], int], method: Method) -> str:
    most: Counter[str] = Counter()
    for (_, name), count in variants.items():
        most[name] = max(most[name], count)
    of_seeds = (
        [] if method.seeds is None else [[*pair, count] for pair, count in variants.items() if method.seeds.has(*pair)]
    )
    return json.dumps({"filters": _count_rows(filters), "most": most, "of_seeds": of_seeds})


def _read_metadata(seeds: Path) -> dict[str, Any]:
    counts: dict[str, Any] = json.loads(pq.read_schema(seeds).metadata[COUNTS])
    return counts


def _read_counts(seeds: Path) -> dict[str, Any]:
    counts = _read_metadata(seeds)
    return {
        "most": Counter(counts["most"]),
        "of_seeds": {(seed_id, word_class): count for seed_id, word_class, count in counts["of_seeds"]},
    }


def _count_rows(counts: FilterCounts) -> list[list[Any]]:
    return [[*key, count] for key, count in counts.items()]


def _counts(rows: Sequence[Sequence[Any]]) -> FilterCounts:
    return {(word_class, mlm, side): Counter(count) for word_class, mlm, side, count in rows}
