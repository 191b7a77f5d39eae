"""Read what the data says of variants and seeds: masked LMs, the replaced occurrences, and labels of annotators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.dataset.label_names import names_in_order
from merge_snli.dataset.record import Record, generation_of

if TYPE_CHECKING:
    import pyarrow as pa

SIDES = ("premise_mlms", "hypothesis_mlms")

# The column of SNLI's and MultiNLI's own files, which `--keep-column` keeps: a JSON list of labels, empty where an
# annotator gave none.
ANNOTATOR_LABELS = "annotator_labels"


def masked_lm_names(record: Record) -> tuple[str, ...]:
    """Return the names of the masked LMs, in the order of the option `mlm`; raises as `generation_of`."""
    return tuple(mlm.name for mlm in generation_of(record).masked_lms)


def validated_by(table: pa.Table, record: Record | None) -> dict[str, Bools]:
    """Return the variants that each masked LM validated in the premise or the hypothesis, [n_variants] each.

    Args:
        table: Variants of a data set.
        record: The record of the data set; None for the masked LMs that the variants name.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if record is None:
        named = pa.chunked_array([pc.list_flatten(table[side].combine_chunks()) for side in SIDES])
        masked_lms = tuple(sorted(pc.unique(named).to_pylist()))
    else:
        masked_lms = masked_lm_names(record)
    matrix = np.zeros((table.num_rows, len(masked_lms)), dtype=np.bool_)
    for side in SIDES:
        lists = table[side].combine_chunks()
        rows = pc.list_parent_indices(lists).to_numpy()
        names = lists.flatten()
        indices = pc.index_in(names, pa.array(masked_lms))
        if indices.null_count:
            unknown = names.filter(indices.is_null())[0].as_py()
            raise InputError(
                f"a variant has the masked LM {unknown}, which is not in run.json: generate the data set again"
            )
        matrix[rows, indices.to_numpy()] = True
    return dict(zip(masked_lms, matrix.T, strict=True))


class ReplacedWord(NamedTuple):
    """An occurrence of the replaced word: start and end of the original and of its replacement."""

    seed: tuple[int, int]
    variant: tuple[int, int]


def replaced_words(
    seed: str, variant: str, starts: Sequence[int], original: str, replacement: str
) -> tuple[ReplacedWord, ...]:
    """Return every occurrence of the replaced word.

    Args:
        seed: A sentence of the seed.
        variant: The same sentence of the variant.
        starts: The offsets at which the replacement starts in `variant`, as the data has them.
        original: The word that was replaced. An occurrence may have another case.
        replacement: The word that replaces it, in the case pattern of `original`.

    Returns:
        The occurrences in their order; none if the variant's sentence is not the seed's with the word replaced there.

    Examples:
        >>> replaced_words("A cat and a cat.", "A bird and a bird.", [2, 13], "cat", "bird")
        (ReplacedWord(seed=(2, 5), variant=(2, 6)), ReplacedWord(seed=(12, 15), variant=(13, 17)))
    """
    words = []
    seed_end = variant_end = 0
    for start in starts:
        at = seed_end + start - variant_end
        written = next((word for word in _in_any_case(replacement) if variant.startswith(word, start)), None)
        is_same_before = start >= variant_end and seed[seed_end:at] == variant[variant_end:start]
        if written is None or not is_same_before or seed[at : at + len(original)].lower() != original.lower():
            return ()
        seed_end, variant_end = at + len(original), start + len(written)
        words.append(ReplacedWord((at, seed_end), (start, variant_end)))
    return tuple(words) if seed[seed_end:] == variant[variant_end:] else ()


def seed_offsets(row: JsonObject, side: str) -> tuple[int, ...]:
    """Return the offsets of the replaced word in a sentence of the seed.

    Args:
        row: A variant.
        side: `premise` or `hypothesis`.
    """
    words = replaced_words(row[f"seed_{side}"], row[side], row[f"{side}_offsets"], row["original"], row["replacement"])
    return tuple(start for (start, _), _ in words)


def _in_any_case(word: str) -> tuple[str, ...]:
    """Return the case patterns that a replacement can have."""
    return word, word.lower(), word.upper(), word[:1].upper() + word[1:].lower()


def label_counts(text: str | None, names: Sequence[str], seed_id: str) -> list[int]:
    """Return how many annotators gave each label.

    Args:
        text: The value of `ANNOTATOR_LABELS`; empty if there are no labels.
        names: The labels of the data set.
        seed_id: The problem, for the message.

    Examples:
        >>> label_counts('["neutral", "neutral", "entailment", ""]', ("entailment", "neutral", "contradiction"), "s1")
        [1, 2, 0]
    """
    labels = names_in_order(names)
    counts = dict.fromkeys(names, 0)
    try:
        given = json.loads(text or "[]")
        if not isinstance(given, list):
            raise TypeError(text)
        for label in given:
            if label not in (None, ""):
                counts[str(labels.of_text(label))] += 1
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(
            f"seed {seed_id}: {ANNOTATOR_LABELS} is {text!r:.60}, expected a JSON list of {', '.join(names)}: generate "
            "the data set from files that have it"
        ) from error
    return [*counts.values()]


def annotators_by_seed(table: pa.Table, names: Sequence[str]) -> Ints | None:
    """Return how many annotators gave each label to each seed, [n_seeds, n_labels]; None without their labels.

    Args:
        table: Rows with the column `seed_id`; seeds are in the order of their first row.
        names: The labels of the data set.
    """
    if ANNOTATOR_LABELS not in table.column_names:
        return None
    by_seed = dict(zip(table["seed_id"].to_pylist(), table[ANNOTATOR_LABELS].to_pylist(), strict=True))
    return np.array([label_counts(text, names, seed) for seed, text in by_seed.items()], dtype=np.int64)
