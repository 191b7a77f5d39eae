"""Variants: problems with a shared word replaced, draws, and rows with the columns of `merge_snli.schema`."""

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
from generation.replacements.finding import Found
from generation.sentences.forms import replace_occurrences
from generation.sentences.words import SharedWord
from merge_snli.problems.reading import Problem
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
        subsamples: The numbers of the draws that selected it.
    """

    seed: Problem
    word: SharedWord
    replacement: Replacement
    subsamples: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        """The seed's id, word class, original and replacement, joined by colons."""
        return f"{self.seed.id}:{self.word.word_class}:{self.word.text}:{self.replacement.word}"

    def in_premise(self) -> tuple[str, tuple[int, ...]]:
        """Return the premise with every occurrence replaced in its own case, and the offsets of the replacements."""
        return replace_occurrences(self.seed.premise, self.word.premise, self.word.text, self.replacement.word)

    def in_hypothesis(self) -> tuple[str, tuple[int, ...]]:
        """Return the same for the hypothesis."""
        return replace_occurrences(self.seed.hypothesis, self.word.hypothesis, self.word.text, self.replacement.word)


def inflated(variants: Iterable[Variant], inflation: int) -> list[tuple[Variant, ...]]:
    """Group variants by seed and word class, and return the groups of at least `inflation` variants.

    Args:
        variants: Variants of any number of seeds and classes. The words of a class are pooled.
        inflation: The degree of inflation d.

    Returns:
        One tuple per seed and class, in the order in which they first occur.
    """
    groups: dict[tuple[str, str], list[Variant]] = defaultdict(list)
    for variant in variants:
        groups[variant.seed.id, variant.word.word_class].append(variant)
    return [tuple(group) for group in groups.values() if len(group) >= inflation]


def draw(group: Sequence[Variant], *, inflation: int, subsamples: int, random_seed: int) -> dict[str, tuple[int, ...]]:
    """Draw W^{d=m} from the variants of one seed and class, `subsamples` times.

    A draw selects the variants with the smallest sha256 of a list, see `_content`. So it depends only on the content of
    the group.

    Args:
        group: The variants of one seed and class, at least `inflation` of them.
        inflation: Number of variants per draw.
        subsamples: Number of draws.
        random_seed: Changes the draws.

    Returns:
        By variant id, the numbers of the draws that selected it.
    """
    contents = {variant.id: _content(variant) for variant in group}
    draws: dict[str, tuple[int, ...]] = dict.fromkeys(contents, ())
    for subsample in range(subsamples):
        start = f"[{random_seed},{subsample},".encode()
        ranks = {identity: hashlib.sha256(start + content).digest() for identity, content in contents.items()}
        for identity in sorted(ranks, key=ranks.__getitem__)[:inflation]:
            draws[identity] += (subsample,)
    return draws


def _content(variant: Variant) -> bytes:
    """Return the end of the JSON list [random seed, subsample, seed id, class, original, replacement] in UTF-8."""
    content = [variant.seed.id, variant.word.word_class, variant.word.text, variant.replacement.word]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))[1:].encode()


def draw_all(variants: Iterable[Variant], options: Options) -> tuple[Variant, ...]:
    """Select the seeds and classes with enough variants, and draw their subsamples.

    Args:
        variants: All variants of some problems.
        options: `inflation`, `subsamples` and `random_seed` are read.

    Returns:
        The variants ordered by seed id, word class, offset of the word in the premise, and replacement.
    """
    drawn = []
    for group in inflated(variants, options.inflation):
        draws = draw(group, inflation=options.inflation, subsamples=options.subsamples, random_seed=options.random_seed)
        drawn += [replace(variant, subsamples=draws[variant.id]) for variant in group]
    return tuple(sorted(drawn, key=_order))


def _order(variant: Variant) -> tuple[str, int, tuple[int, ...], str]:
    word = variant.word
    return variant.seed.id, WORD_CLASSES.index(word.word_class), word.premise, variant.replacement.word


def variant_rows(drawn: Sequence[Variant], options: Options, label_names: Sequence[str]) -> pa.Table:
    """Return the rows of config `all`.

    Args:
        drawn: The variants, from `draw_all`; the rows have their order.
        options: `classes` and `keep_column` are read.
        label_names: Label names in the order of their numbers.
    """
    schema = features(ALL, label_names, options.classes, options.keep_column).arrow_schema
    rows = (variant_row(each, options) for each in drawn)
    # In batches, because rows take several times as much memory as Python objects.
    parts = iter(lambda: list(islice(rows, ROWS_PER_BATCH)), [])
    return pa.concat_tables([schema.empty_table(), *(pa.Table.from_pylist(part, schema) for part in parts)])


def seed_rows(
    drawn: Sequence[Variant], found: Sequence[Found], options: Options, label_names: Sequence[str]
) -> pa.Table:
    """Return the rows of config `seed`, one per seed, ordered by id, with their shared words in the premise's order.

    Args:
        drawn: The variants, from `draw_all`.
        found: The replacements of every shared word of the same problems.
        options: `classes` and `keep_column` are read.
        label_names: Label names in the order of their numbers.
    """
    seeds = {each.seed.id: each.seed for each in drawn}
    words: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for each in sorted(found, key=lambda each: each.word.premise):
        words[each.tagged.problem.id, each.word.word_class].append(each)
    rows = []
    for identity, seed in seeds.items():
        row: Row = {"seed_id": identity, "premise": seed.premise, "hypothesis": seed.hypothesis, "label": seed.label}
        for name in options.classes:
            row[f"{name}_words"] = [each.word.text for each in words[identity, name]]
            row[f"{name}_variants"] = [len(each.replacements) for each in words[identity, name]]
        rows.append(row | _extra(seed, options))
    return pa.Table.from_pylist(rows, features(SEED, label_names, options.classes, options.keep_column).arrow_schema)


def variant_row(variant: Variant, options: Options) -> Row:
    """Return the row of a variant in config `all`.

    Args:
        variant: The variant, with its draws.
        options: `keep_column` is read.
    """
    premise, premise_offsets = variant.in_premise()
    hypothesis, hypothesis_offsets = variant.in_hypothesis()
    return {
        "variant_id": variant.id,
        "seed_id": variant.seed.id,
        "premise": premise,
        "hypothesis": hypothesis,
        "label": variant.seed.label,
        "seed_premise": variant.seed.premise,
        "seed_hypothesis": variant.seed.hypothesis,
        "word_class": variant.word.word_class,
        "original": variant.word.text,
        "replacement": variant.replacement.word,
        "premise_offsets": premise_offsets,
        "hypothesis_offsets": hypothesis_offsets,
        "premise_mlms": variant.replacement.premise_mlms,
        "hypothesis_mlms": variant.replacement.hypothesis_mlms,
        "log_odds": variant.replacement.log_odds,
        "subsamples": variant.subsamples,
        **_extra(variant.seed, options),
    }


def _extra(seed: Problem, options: Options) -> Row:
    """Return the values of the columns of `keep_column`."""
    return dict(zip(options.keep_column, seed.extra, strict=True))
