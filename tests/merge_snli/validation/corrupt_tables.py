"""Corrupt tables: rows, columns, types and features, in one file or in every file that has a row."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.output.write_data import REPEATED_COLUMNS
from merge_snli.dataset.parquet_files import COMPRESSION_LEVEL
from merge_snli.dataset.record_file import read_record
from merge_snli.schema import ALL, SEED

Row = dict[str, Any]
Rows = list[Row]
Change = Callable[[Path, random.Random], None]
"""Changes a folder or file."""

ChangeOfRows = Callable[[Rows, random.Random], None]
ChangeOfRow = Callable[[Row, random.Random], None]


def any_file(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(path for path in folder.rglob("*") if path.is_file()))


def tables(folder: Path) -> list[Path]:
    return sorted(folder.glob("data/*/*.parquet"))


def in_any_file(change: Change) -> Change:
    return lambda folder, rng: change(any_file(folder, rng), rng)


def in_any_table(change: Change) -> Change:
    return lambda folder, rng: change(rng.choice(tables(folder)), rng)


def rewrite(path: Path, table: pa.Table) -> None:
    """Write a table as a run does, so that only its content differs."""
    schema = own_schema(path)
    if table.schema.equals(schema, check_metadata=True):
        table = table.cast(schema)
    names = [name for name in REPEATED_COLUMNS if name in table.column_names]
    level = COMPRESSION_LEVEL
    pq.write_table(table.combine_chunks(), path, compression="zstd", compression_level=level, use_dictionary=names)


def read(path: Path) -> pa.Table:
    return pq.read_table(path, partitioning=None)


def own_schema(path: Path) -> pa.Schema:
    """Return the schema of a file as a run writes it; pyarrow reads list items under another name."""
    return read_record(path.parents[2] / "run.json").features(path.parent.name).arrow_schema


def read_rows(path: Path) -> Rows:
    return list(read(path).to_pylist())


def write_rows(path: Path, rows: Rows) -> None:
    rewrite(path, pa.Table.from_pylist(rows, own_schema(path)))


def on_rows(change: ChangeOfRows, *, seeds: bool = False) -> Change:
    """Change the rows of one file of variants or seeds."""

    def apply(folder: Path, rng: random.Random) -> None:
        path = rng.choice([path for path in tables(folder) if (path.parent.name == SEED) == seeds])
        rows = read_rows(path)
        change(rows, rng)
        write_rows(path, rows)

    return apply


def put_in_every_file(folder: Path, before: Row, after: Rows) -> None:
    """Put rows in the place of one row, in every file that has it."""
    for path in tables(folder):
        rows = read_rows(path)
        if before in rows:
            at = rows.index(before)
            rows[at : at + 1] = after
            write_rows(path, rows)


def everywhere(change: ChangeOfRow) -> Change:
    """Change one variant in every file that has it."""

    def apply(folder: Path, rng: random.Random) -> None:
        before = rng.choice(read_rows(folder / "data" / ALL / "test.parquet"))
        after = dict(before)
        change(after, rng)
        put_in_every_file(folder, before, [after])

    return apply


def drop_everywhere(folder: Path, rng: random.Random) -> None:
    dropped = rng.choice(read_rows(folder / "data" / ALL / "test.parquet"))
    put_in_every_file(folder, dropped, [])


def drop_a_row(rows: Rows, rng: random.Random) -> None:
    del rows[rng.randrange(len(rows))]


def duplicate_a_row(rows: Rows, rng: random.Random) -> None:
    index = rng.randrange(len(rows))
    rows.insert(rng.choice((index, len(rows))), rows[index])


def move_a_row(rows: Rows, rng: random.Random) -> None:
    rows.insert(rng.randrange(len(rows)), rows.pop())


def in_a_row(change: ChangeOfRow) -> ChangeOfRows:
    return lambda rows, rng: change(rng.choice(rows), rng)


def other_letter(text: str, rng: random.Random) -> str:
    offset = rng.randrange(len(text)) if text else 0
    letter = rng.choice("abcxyzABC é.".replace(text[offset : offset + 1], ""))
    return text[:offset] + letter + text[offset + 1 :]


def letter_in_text(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if isinstance(value, str) and value])
    row[column] = other_letter(row[column], rng)


def null(row: Row, rng: random.Random) -> None:
    row[rng.choice(list(row))] = None


def other_label(row: Row, rng: random.Random) -> None:
    row["label"] = rng.choice([label for label in (-1, 0, 1, 2, 3) if label != row["label"]])


def bad_log_odds(row: Row, rng: random.Random) -> None:
    row["log_odds"] = rng.choice((float("nan"), float("inf"), -float("inf"), -0.5, 0.0))


def bad_masked_lms(row: Row, rng: random.Random) -> None:
    column = rng.choice(("premise_mlms", "hypothesis_mlms"))
    names = row[column]
    row[column] = rng.choice(([], [*names, names[0]], [*names, "unknown-bert"], [other_letter(names[0], rng)]))


def other_draws(row: Row, rng: random.Random) -> None:
    drawn = row["subsamples"]
    row["subsamples"] = rng.choice((drawn[1:], [*drawn, 99], [-1, *drawn], [*drawn, 0, 0]))


def variant_id(row: Row) -> str:
    return ":".join(row[name] for name in ("seed_id", "word_class", "original", "replacement"))


def other_replacement(row: Row, rng: random.Random) -> None:
    """Replace by another word, in the sentences too: a variant that the run did not generate."""
    word = rng.choice(("of", "n't", "Xylophones", "not", row["original"], "two words", ""))
    for side in ("premise", "hypothesis"):
        row[side] = row[side].replace(row["replacement"], word)
    row["replacement"] = word
    row["variant_id"] = variant_id(row)


def other_class(row: Row, rng: random.Random) -> None:
    row["word_class"] = rng.choice([name for name in ("noun", "verb", "adj", "nouns") if name != row["word_class"]])
    row["variant_id"] = variant_id(row)


def counts_of_a_seed(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if name.endswith("_variants") and value])
    # Of a class without variants, any number below the degree of inflation can be right.
    row[column][rng.randrange(len(row[column]))] += 1_000


def words_of_a_seed(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if name.endswith("_words") and value])
    first, *others = row[column]
    row[column] = rng.choice((others, [first, *others, "word"], [other_letter(first, rng), *others]))


def rename_a_column(path: Path, rng: random.Random) -> None:
    table = read(path)
    names = table.column_names
    index = rng.randrange(len(names))
    names[index] = other_letter(names[index], rng)
    rewrite(path, table.rename_columns(names))


def other_type(path: Path, rng: random.Random) -> None:
    table = read(path)
    name, kind = rng.choice((("seed_id", pa.large_string()), ("label", pa.int32())))
    rewrite(path, table.set_column(table.column_names.index(name), name, table[name].cast(kind)))


def other_features(path: Path, rng: random.Random) -> None:
    table = read(path)
    metadata = json.loads(table.schema.metadata[b"huggingface"])
    metadata["info"]["features"]["label"]["names"].reverse()
    kept = rng.choice((None, {b"huggingface": json.dumps(metadata).encode()}, {b"huggingface": b"{"}))
    rewrite(path, table.replace_schema_metadata(kept))


OF_ROWS = (drop_a_row, duplicate_a_row, move_a_row)
OF_ROW = (letter_in_text, null, other_label)
OF_VARIANT = (bad_log_odds, bad_masked_lms, other_draws, other_replacement, other_class)
OF_SEED = (counts_of_a_seed, words_of_a_seed)
OF_TABLE = (rename_a_column, other_type, other_features)
