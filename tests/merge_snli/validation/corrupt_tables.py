"""Corrupt tables: rows, columns, types and features, in one file or in every file that has a row."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.output.write_data import REPEATED_COLUMNS
from merge_snli.dataset.parquet_files import parquet_writer
from merge_snli.schema import ALL, SEED, features

Row = dict[str, Any]
Rows = list[Row]
Change = Callable[[Path, random.Random], str]
"""Changes a folder or file and returns what was changed."""

ChangeOfRows = Callable[[Rows, random.Random], str]
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
    with parquet_writer(path, table.schema, dictionaries=REPEATED_COLUMNS) as writer:
        writer.write_table(table.combine_chunks())


def read(path: Path) -> pa.Table:
    return pq.read_table(path, partitioning=None)


def own_schema(path: Path) -> pa.Schema:
    """Return the schema of a file as a run writes it; pyarrow reads list items under another name."""
    run = json.loads((path.parents[2] / "run.json").read_text(encoding="utf-8"))
    classes, kept = run["options"]["classes"], run["options"].get("keep_column", ())
    return features(path.parent.name, run["label_names"], classes, kept).arrow_schema


def read_rows(path: Path) -> Rows:
    rows: Rows = read(path).to_pylist()
    return rows


def write_rows(path: Path, rows: Rows) -> None:
    rewrite(path, pa.Table.from_pylist(rows, own_schema(path)))


def on_rows(change: ChangeOfRows, *, seeds: bool = False) -> Change:
    """Change the rows of one file of variants or seeds."""

    def apply(folder: Path, rng: random.Random) -> str:
        path = rng.choice([path for path in tables(folder) if (path.parent.name == SEED) == seeds])
        rows = read_rows(path)
        where = change(rows, rng)
        write_rows(path, rows)
        return f"{path.parent.name}/{path.name}: {where}"

    return apply


def put_in_every_file(folder: Path, before: Row, after: Rows) -> None:
    """Put rows in the place of one row, in every file that has it."""
    for path in tables(folder):
        rows = read_rows(path)
        if before in rows:
            write_rows(path, [new for row in rows for new in (after if row == before else [row])])


def everywhere(change: ChangeOfRow) -> Change:
    """Change one variant in every file that has it."""

    def apply(folder: Path, rng: random.Random) -> str:
        before = rng.choice(read_rows(folder / "data" / ALL / "test.parquet"))
        after = json.loads(json.dumps(before))
        change(after, rng)
        put_in_every_file(folder, before, [after])
        changed = next((name for name in before if repr(before[name]) != repr(after[name])), "nothing")
        return f"{before['variant_id']}: {changed}"

    return apply


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
    put_in_every_file(folder, dropped, [])
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
    drawn = row["subsamples"]
    missing = [number for number in range(4) if number not in drawn]
    others = [drawn[1:], [*drawn, 99], [-1, *drawn], [*drawn, *drawn], missing]
    row["subsamples"] = rng.choice([other for other in others if other != drawn])


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
    row["word_class"] = rng.choice(
        [name for name in ("noun", "verb", "adj", "adv", "nouns") if name != row["word_class"]]
    )
    row["variant_id"] = variant_id(row)


def seed_counts(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if name.endswith("_variants") and value])
    changed = rng.randrange(len(row[column]))
    row[column] = [count + (index == changed) for index, count in enumerate(row[column])]


def seed_words(row: Row, rng: random.Random) -> None:
    column = rng.choice([name for name, value in row.items() if name.endswith("_words") and value])
    row[column] = rng.choice(
        (row[column][1:], [*row[column], "word"], [other_letter(row[column][0], rng), *row[column][1:]])
    )


def rename_a_column(path: Path, rng: random.Random) -> str:
    table = read(path)
    name = rng.choice(table.column_names)
    rewrite(
        path,
        table.rename_columns([other_letter(other, rng) if other == name else other for other in table.column_names]),
    )
    return str(name)


def drop_a_column(path: Path, rng: random.Random) -> str:
    table = read(path)
    name = rng.choice(table.column_names)
    rewrite(path, table.drop_columns([name]))
    return str(name)


def swap_columns(path: Path, rng: random.Random) -> str:
    table = read(path)
    one, other = rng.sample(range(table.num_columns), 2)
    order = list(range(table.num_columns))
    order[one], order[other] = order[other], order[one]
    rewrite(path, table.select(order))
    return f"columns {one} and {other}"


def other_type(path: Path, rng: random.Random) -> str:
    table = read(path)
    index = rng.randrange(table.num_columns)
    field = table.schema.field(index)
    kinds = {pa.string(): pa.large_string(), pa.int64(): pa.int32(), pa.float32(): pa.float64()}
    kind = kinds.get(field.type) or pa.large_list(field.type.value_type)
    rewrite(path, table.set_column(index, pa.field(field.name, kind), table.column(index).cast(kind)))
    return str(field.name)


def null_value(path: Path, rng: random.Random) -> str:
    table = read(path)
    index = rng.randrange(table.num_columns)
    values = table.column(index).to_pylist()
    values[rng.randrange(len(values))] = None
    rewrite(path, table.set_column(index, table.field(index), pa.array(values, table.field(index).type)))
    return str(table.column_names[index])


def other_features(path: Path, rng: random.Random) -> str:
    table = read(path)
    metadata = json.loads(table.schema.metadata[b"huggingface"])
    names = metadata["info"]["features"]["label"]["names"]
    names[0], names[1] = names[1], names[0]
    kept = rng.choice((None, {b"huggingface": json.dumps(metadata).encode()}, {b"huggingface": b"{"}))
    rewrite(path, table.replace_schema_metadata(kept))
    return f"{path.name}: {'no' if kept is None else 'other'} features"
