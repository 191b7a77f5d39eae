"""Variants: problems with a shared word replaced, subsamples, and rows with the columns of `merge_snli.schema`."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from generation.options import Options
from generation.replacements.combine import Replacement
from generation.replacements.finding import FilteredWord
from generation.replacements.judged import variant_id
from generation.sentences.forms import SIDES, replace_occurrences
from generation.sentences.words import SharedWord
from merge_snli.base.batches import grouped
from merge_snli.problems.problem import Problem
from merge_snli.schema import ALL, SEED, WORD_CLASSES, features

ROWS_PER_BATCH = 5_000

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant ⟨P_ij, H_ij, l⟩ = ⟨P[w_i/v_ij], H[w_i/v_ij], l⟩ of a seed problem.

    Attributes:
        seed: The problem that it was made from.
        word: The shared word that was replaced.
        replacement: The word that replaces it.
        subsamples: The numbers of the subsamples that have it.
    """

    seed: Problem
    word: SharedWord
    replacement: Replacement
    subsamples: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        """The seed's id, word class, original and replacement, joined by colons."""
        return variant_id(self.seed.id, self.word, self.replacement.word)

    def in_text(self, side: str) -> tuple[str, tuple[int, ...]]:
        """Return a text with every occurrence replaced in its own case, and the offsets of the replacements."""
        text = getattr(self.seed, side)
        starts = getattr(self.word, side)
        return replace_occurrences(text, starts, self.word.text, self.replacement.word)


def subsample(group: Iterable[Variant], options: Options) -> dict[str, tuple[int, ...]]:
    """Select W^{d=m} from the variants of one seed and class, `subsamples` times.

    A subsample has the variants with the smallest sha256 of a list, see `_content`. So it depends only on the content
    of the group.

    Args:
        group: The variants of one seed and class, at least `inflation` of them.
        options: `inflation`, `subsamples` and `random_seed` are read.

    Returns:
        By variant id, the numbers of the subsamples that have it.
    """
    contents = {variant.id: _content(variant) for variant in group}
    numbers: dict[str, tuple[int, ...]] = dict.fromkeys(contents, ())
    for number in range(options.subsamples):
        start = f"[{options.random_seed},{number},".encode()
        ranks = {identity: hashlib.sha256(start + content).digest() for identity, content in contents.items()}
        for identity in sorted(ranks, key=ranks.__getitem__)[: options.inflation]:
            numbers[identity] += (number,)
    return numbers


def _content(variant: Variant) -> bytes:
    """Return the end of the JSON list [random seed, subsample, seed id, class, original, replacement] in UTF-8."""
    content = [variant.seed.id, variant.word.word_class, variant.word.text, variant.replacement.word]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))[1:].encode()


def subsample_all(variants: Iterable[Variant], options: Options) -> tuple[Variant, ...]:
    """Select the seeds and classes with enough variants, and the variants of their subsamples.

    Args:
        variants: All variants of some problems.
        options: `inflation`, `subsamples` and `random_seed` are read.

    Returns:
        The variants ordered by seed id, word class, offset of the word in the premise, and replacement.
    """
    selected = []
    groups = grouped(((variant.seed.id, variant.word.word_class), variant) for variant in variants)
    for group in groups.values():
        if len(group) >= options.inflation:
            numbers = subsample(group, options)
            selected += [replace(variant, subsamples=numbers[variant.id]) for variant in group]
    return tuple(sorted(selected, key=_order))


def _order(variant: Variant) -> tuple[str, int, tuple[int, ...], str]:
    word = variant.word
    return variant.seed.id, WORD_CLASSES.index(word.word_class), word.premise, variant.replacement.word


def variant_rows(variants: Sequence[Variant], options: Options, label_names: Sequence[str]) -> pa.Table:
    """Return the rows of config `all`.

    Args:
        variants: The variants, from `subsample_all`; the rows have their order.
        options: `classes` and `keep_column` are read.
        label_names: Label names in the order of their numbers.
    """
    schema = features(ALL, label_names, options.classes, options.keep_column).arrow_schema
    rows = (variant_row(variant, options) for variant in variants)
    # In batches, because rows take several times as much memory as Python objects.
    batches = iter(lambda: list(islice(rows, ROWS_PER_BATCH)), [])
    return pa.concat_tables([schema.empty_table(), *(pa.Table.from_pylist(batch, schema) for batch in batches)])


def seed_rows(
    variants: Sequence[Variant], words: Sequence[FilteredWord], options: Options, label_names: Sequence[str]
) -> pa.Table:
    """Return the rows of config `seed`, one per seed, ordered by id, with their shared words in the premise's order.

    Args:
        variants: The variants, from `subsample_all`.
        words: The shared words of the same problems, with their replacements.
        options: `classes` and `keep_column` are read.
        label_names: Label names in the order of their numbers.
    """
    seeds = {variant.seed.id: variant.seed for variant in variants}
    of_class: dict[tuple[str, str], list[FilteredWord]] = defaultdict(list)
    for word in sorted(words, key=lambda word: word.word.premise):
        of_class[word.group].append(word)
    rows = []
    for identity, seed in seeds.items():
        row: Row = {"seed_id": identity, "premise": seed.premise, "hypothesis": seed.hypothesis, "label": seed.label}
        for name in options.classes:
            shared = of_class[identity, name]
            row[f"{name}_words"] = [word.word.text for word in shared]
            row[f"{name}_variants"] = [len(word.replacements) for word in shared]
        rows.append(row | dict(zip(options.keep_column, seed.extra, strict=True)))
    return pa.Table.from_pylist(rows, features(SEED, label_names, options.classes, options.keep_column).arrow_schema)


def variant_row(variant: Variant, options: Options) -> Row:
    """Return the row of a variant in config `all`.

    Args:
        variant: The variant, with its subsamples.
        options: `keep_column` is read.
    """
    seed = variant.seed
    word = variant.word
    replacement = variant.replacement
    (premise, premise_offsets), (hypothesis, hypothesis_offsets) = map(variant.in_text, SIDES)
    return {
        "variant_id": variant.id,
        "seed_id": seed.id,
        "premise": premise,
        "hypothesis": hypothesis,
        "label": seed.label,
        "seed_premise": seed.premise,
        "seed_hypothesis": seed.hypothesis,
        "word_class": word.word_class,
        "original": word.text,
        "replacement": replacement.word,
        "premise_offsets": premise_offsets,
        "hypothesis_offsets": hypothesis_offsets,
        "premise_mlms": replacement.premise_mlms,
        "hypothesis_mlms": replacement.hypothesis_mlms,
        "log_odds": replacement.log_odds,
        "subsamples": variant.subsamples,
        **dict(zip(options.keep_column, seed.extra, strict=True)),
    }
