"""Corrupt rows of variants and seeds."""

from __future__ import annotations

import random
from pathlib import Path

from merge_snli.schema import ALL
from tests.merge_snli.validation.targets import ChangeOfRow, ChangeOfRows, Row, Rows, read_rows, write_rows


def drop_a_row(rows: Rows, rng: random.Random) -> str:
    index = rng.randrange(len(rows))
    del rows[index]
    return f"row {index}"


def duplicate_a_row(rows: Rows, rng: random.Random) -> str:
    index = rng.randrange(len(rows))
    rows.insert(rng.choice((index, len(rows))), rows[index])
    return f"row {index}"


def swap_two_rows(rows: Rows, rng: random.Random) -> str:
    one = rng.randrange(len(rows))
    other = (one + rng.randrange(1, max(2, len(rows)))) % len(rows)
    rows[one], rows[other] = rows[other], rows[one]
    if len(rows) == 1:
        rows.append(rows[0])
    return f"rows {one} and {other}"


def drop_everywhere(folder: Path, rng: random.Random) -> str:
    dropped = rng.choice(read_rows(folder / "data" / ALL / "test.parquet"))
    for path in sorted(folder.glob("data/*/*.parquet")):
        rows = read_rows(path)
        if dropped in rows:
            write_rows(path, [row for row in rows if row != dropped])
    return str(dropped["variant_id"])


def one_value(change: ChangeOfRow) -> ChangeOfRows:
    def apply(rows: Rows, rng: random.Random) -> str:
        index = rng.randrange(len(rows))
        rows[index] = dict(rows[index])
        change(rows[index], rng)
        return f"row {index}"

    return apply


def other_letter(text: str, rng: random.Random) -> str:
    offset = rng.randrange(len(text)) if text else 0
    letter = rng.choice([character for character in "abcxyzABC é." if character != text[offset : offset + 1]])
    return text[:offset] + letter + text[offset + 1 :]


def letter_in_text(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if isinstance(value, str) and value])
    row[column] = other_letter(row[column], rng)


def other_label(row: Row, rng: random.Random) -> None:
    row["label"] = rng.choice([label for label in (-1, 0, 1, 2, 3) if label != row["label"]])


def bad_log_odds(row: Row, rng: random.Random) -> None:
    row["log_odds"] = rng.choice((float("nan"), float("inf"), -float("inf"), -0.5, 0.0))


def bad_masked_lms(row: Row, rng: random.Random) -> None:
    names = row[column := rng.choice(("premise_mlms", "hypothesis_mlms"))]
    row[column] = rng.choice(([], [*names, names[0]], [*names, "unknown-bert"], [other_letter(names[0], rng)]))


def other_draws(row: Row, rng: random.Random) -> None:
    subsamples = row["subsamples"]
    changed = [
        subsamples[1:],
        [*subsamples, 99],
        [-1, *subsamples],
        [*subsamples, *subsamples],
        [number for number in range(4) if number not in subsamples],
    ]
    row["subsamples"] = rng.choice([other for other in changed if other != subsamples])


def other_replacement(row: Row, rng: random.Random) -> None:
    """Replace by another word, in the sentences too: a variant that the run did not generate."""
    word = rng.choice(("of", "n't", "Xylophones", "not", row["original"], "two words", ""))
    for side in ("premise", "hypothesis"):
        row[side] = row[side].replace(row["replacement"], word)
    row["replacement"] = word
    row["variant_id"] = ":".join(row[name] for name in ("seed_id", "word_class", "original", "replacement"))


def other_class(row: Row, rng: random.Random) -> None:
    row["word_class"] = rng.choice(
        [name for name in ("noun", "verb", "adj", "adv", "nouns") if name != row["word_class"]]
    )
    row["variant_id"] = ":".join(row[name] for name in ("seed_id", "word_class", "original", "replacement"))


def seed_counts(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if name.endswith("_variants") and value])
    changed = rng.randrange(len(row[column]))
    row[column] = [count + (index == changed) for index, count in enumerate(row[column])]


def seed_words(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if name.endswith("_words") and value])
    row[column] = rng.choice(
        (row[column][1:], [*row[column], "word"], [other_letter(row[column][0], rng), *row[column][1:]])
    )
