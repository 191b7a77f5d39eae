"""Corrupt files: their bytes, names and types, the card and the record."""

import os
import random
from pathlib import Path
from typing import Any

from tests.merge_snli.validation.corrupt_tables import any_file, other_letter, tables
from tests.merge_snli.validation.digests import read_run, write_json, write_record


def truncate(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.choice((0, 1, len(content) - 1, rng.randrange(len(content))))])


def overwrite_bytes(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    start = rng.randrange(len(content))
    path.write_bytes(content[:start] + rng.randbytes(16) + content[start + 16 :])


def swap_two_files(folder: Path, rng: random.Random) -> None:
    one = rng.choice(tables(folder))
    first = one.read_bytes()
    other = rng.choice([path for path in tables(folder) if path.read_bytes() != first])
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)


def delete_a_file(folder: Path, rng: random.Random) -> None:
    any_file(folder, rng).unlink()


NAMES = ("data/all/rows.pkl", "merge_snli.py", "data/noun/train.parquet", ".hidden", "data/evil/x", "run.json.bak")


def add_a_file(folder: Path, rng: random.Random) -> None:
    path = folder / rng.choice((*NAMES, "é.txt" if os.name == "nt" else "é\n.txt"))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(rng.randbytes(20))


def replace_by_link(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    moved = path.replace(folder.with_name(f"{folder.name}-elsewhere"))
    path.symlink_to(rng.choice((moved, Path("/dev/null"), Path("/nowhere"), folder)))


def letter_in_card(folder: Path, rng: random.Random) -> None:
    """Change a letter of the card, and the card's digest in the record."""
    path = folder / "README.md"
    path.write_text(other_letter(path.read_text(encoding="utf-8"), rng), encoding="utf-8")
    write_record(folder, read_run(folder))


def value_in_record(folder: Path, rng: random.Random) -> None:
    """Change one value anywhere in the record."""
    run = parent = read_run(folder)
    key: Any = rng.choice(list(parent))
    while parent[key] and isinstance(parent[key], dict | list):
        parent = parent[key]
        key = rng.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
    parent[key] = rng.choice((None, [], {}, "", -1))
    write_json(folder / "run.json", run)


FORGED: tuple[tuple[str, Any], ...] = (
    ("options.random_seed", 12_345),
    ("options.inflation", 10**9),
    ("options.subsamples", 10**9),
    ("options.classes", []),
    ("options.mlm", []),
    ("options.scramble", "yes"),
    ("options.unknown_option", True),
    ("label_names", ["yes", "no", "maybe"]),
    ("label_names", ["entailment", "neutral"]),
    ("subsamples", 99),
    ("has_seeds", False),
    ("group_column", "premise"),
    ("generation.masked_lms", []),
    ("configs.all.groups", 99),
    ("configs.all.group_labels", None),
    ("configs.all.columns", []),
    ("configs", {}),
    ("configs.all.splits.test", 0),
    ("data.files", {"../secret.parquet": "0" * 64}),
)


def forged_record(folder: Path, rng: random.Random) -> None:
    """Record other options or contents than those of the run, and update the digests."""
    run = parent = read_run(folder)
    path, value = rng.choice(FORGED)
    *parents, key = path.split(".")
    for name in parents:
        parent = parent[name]
    parent[key] = value
    write_record(folder, run)


MALFORMED = (b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"options": NaN}', b'{"a": "\\ud800"}')


def malformed_record(folder: Path, rng: random.Random) -> None:
    (folder / "run.json").write_bytes(rng.choice(MALFORMED))


OF_BYTES = (truncate, overwrite_bytes)
OF_FOLDER = (
    swap_two_files,
    delete_a_file,
    add_a_file,
    replace_by_link,
    letter_in_card,
    value_in_record,
    forged_record,
    malformed_record,
)
