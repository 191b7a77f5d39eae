"""The variants as annotators see them: the columns of a sheet, and texts in which the replaced words are marked."""

from collections.abc import Sequence
from typing import TypeAlias

import pyarrow as pa

from merge_snli.base.errors import InputError
from merge_snli.dataset.judgments import SCORES
from merge_snli.dataset.texts import NLI_TEXTS, TextNames
from merge_snli.dataset.variants import replaced_words

COMMENT = "comment"

# The character before and after a marked word.
MARK = "*"

VARIANT_ID = "variant_id"
TEXT_COLUMNS = (VARIANT_ID, "seed_premise", "seed_hypothesis", "premise", "hypothesis", "label")
# The columns of a sheet.
COLUMNS = (*TEXT_COLUMNS, *SCORES, COMMENT)

# A sampled variant as annotators see it, with the replaced word marked: a text for each of `TEXT_COLUMNS`.
SheetRow: TypeAlias = dict[str, str]


def headings(texts: TextNames) -> dict[str, str]:
    """Return the heading of each column of a sheet: its name, with what the texts are called.

    Examples:
        >>> [*headings(TextNames("question", "sentence")).values()][1:5]
        ['seed_question', 'seed_sentence', 'question', 'sentence']
    """
    first, second = texts if {*COLUMNS}.difference(NLI_TEXTS).isdisjoint(texts) else NLI_TEXTS
    named = {"seed_premise": f"seed_{first}", "seed_hypothesis": f"seed_{second}", "premise": first}
    return dict(zip(COLUMNS, COLUMNS, strict=True)) | named | {"hypothesis": second}


def mark(seed: str, variant: str, starts: Sequence[int], original: str, replacement: str) -> tuple[str, str]:
    """Mark every occurrence of the word that was replaced.

    Args:
        seed: The seed's sentence.
        variant: The variant's sentence.
        starts: The offsets at which the replacement starts in `variant`.
        original: The word that was replaced. An occurrence may have another case.
        replacement: The word that replaces it, in the case pattern of `original`.

    Returns:
        The seed's sentence and the variant's, with `MARK` around the words.

    Raises:
        InputError: If the variant's sentence is not the seed's with the word replaced.

    Examples:
        >>> mark("A cat and a cat.", "A dog and a dog.", [2, 12], "cat", "dog")
        ('A *cat* and a *cat*.', 'A *dog* and a *dog*.')
    """
    spans = replaced_words(seed, variant, starts, original, replacement)
    if not spans:
        raise InputError(
            f"{variant!r} is not {seed!r} with {original!r} replaced by {replacement!r}: check the data set with "
            "merge-snli validate"
        )
    for word in reversed(spans):
        seed = _marked(seed, *word.seed)
        variant = _marked(variant, *word.variant)
    return seed, variant


def _marked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{MARK}{text[start:end]}{MARK}{text[end:]}"


def rows_of(table: pa.Table, names: Sequence[str]) -> list[SheetRow]:
    """Return variants as annotators see them.

    Args:
        table: The variants.
        names: The names of the labels.
    """
    rows = []
    for row in table.to_pylist():
        texts = {VARIANT_ID: row[VARIANT_ID]}
        for side in ("premise", "hypothesis"):
            seed = row[f"seed_{side}"]
            starts = row[f"{side}_offsets"]
            texts[f"seed_{side}"], texts[side] = mark(seed, row[side], starts, row["original"], row["replacement"])
        texts["label"] = names[row["label"]]
        rows.append({name: texts[name] for name in TEXT_COLUMNS})
    return rows
