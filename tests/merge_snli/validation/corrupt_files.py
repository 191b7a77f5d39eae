"""Corrupt files: their bytes, names and types, the card and the record."""

import json
import os
import random
from pathlib import Path
from typing import Any

from tests.merge_snli.validation.corrupt_tables import Change, any_file, other_letter, tables
from tests.merge_snli.validation.digests import read_run, write_record


def flip_a_bit(path: Path, rng: random.Random) -> str:
    content = bytearray(path.read_bytes())
    offset = rng.randrange(len(content))
    content[offset] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    return f"{path.name}, byte {offset}"


def truncate(path: Path, rng: random.Random) -> str:
    content = path.read_bytes()
    kept = rng.choice((0, 1, len(content) // 2, len(content) - 1, rng.randrange(len(content))))
    path.write_bytes(content[:kept])
    return f"{path.name} after {kept} bytes"


def overwrite_bytes(path: Path, rng: random.Random) -> str:
    content = bytearray(path.read_bytes())
    start = rng.randrange(len(content))
    content[start : start + 16] = rng.randbytes(min(16, len(content) - start))
    path.write_bytes(content)
    return f"{path.name} from byte {start}"


def append_bytes(path: Path, rng: random.Random) -> str:
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.randint(1, 40)))
    return path.name


def swap_two_files(folder: Path, rng: random.Random) -> str:
    one = rng.choice(tables(folder))
    first = one.read_bytes()
    other = rng.choice([path for path in tables(folder) if path.read_bytes() != first])
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)
    return f"{one.parent.name}/{one.name} and {other.parent.name}/{other.name}"


def delete_a_file(folder: Path, rng: random.Random) -> str:
    path = any_file(folder, rng)
    path.unlink()
    return path.name


def add_a_file(folder: Path, rng: random.Random) -> str:
    name = rng.choice(
        (
            "data/all/rows.pkl",
            "merge_snli.py",
            "data/noun/train.parquet",
            ".hidden",
            "data/evil/x",
            "run.json.bak",
            "é.txt" if os.name == "nt" else "é\n.txt",
        )
    )
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(rng.randbytes(20))
    return name


def replace_by_link(folder: Path, rng: random.Random) -> str:
    path = any_file(folder, rng)
    moved = folder.with_name(f"{folder.name}-elsewhere")
    moved.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(rng.choice((moved, Path("/dev/null"), Path("/nowhere"), folder)))
    return path.name


def letter_in_card(folder: Path, rng: random.Random) -> str:
    path = folder / "README.md"
    path.write_text(other_letter(path.read_text(encoding="utf-8"), rng), encoding="utf-8")
    return path.name


def number_in_card(folder: Path, rng: random.Random) -> str:
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8")
    offset = rng.choice([index for index, character in enumerate(text) if character.isdecimal()])
    path.write_text(text[:offset] + str((int(text[offset]) + 1) % 10) + text[offset + 1 :], encoding="utf-8")
    return f"character {offset}"


def card_metadata(folder: Path, rng: random.Random) -> str:
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8")
    change = rng.choice(
        (
            ("data/all/test.parquet", "../../etc/passwd"),
            ("dtype: float32", "dtype: float64"),
            ("'0': entailment\n          '1': neutral", "'0': neutral\n          '1': entailment"),
            ("default: true", "default: false"),
            ("version: 1.0.", "version: 1.1."),
            ("config_name: all", "config_name: every"),
            ("---\n", ""),
            ("configs:", "configs: ["),
            ("language:", "language: &a [*a]\nlanguages:"),
            ("language:", "when: 2020-99-99\nlanguage:"),
            ("license:", "licence:"),
        )
    )
    assert change[0] in text, change
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    return change[1]


def with_new_digest(change: Change) -> Change:
    """Change the card, and its digest in the record."""

    def apply(folder: Path, rng: random.Random) -> str:
        where = change(folder, rng)
        write_record(folder, read_run(folder))
        return where

    return apply


def value_in_record(folder: Path, rng: random.Random) -> str:
    """Change or drop one value anywhere in the record."""
    path = folder / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    where, parent, key = rng.choice(list(leaves(run)))
    others: list[Any] = [other_value(parent[key]), None, [], {}, ""]
    parent[key] = rng.choice([other for other in others if other != parent[key]])
    if rng.random() < 0.2 and isinstance(parent, dict):
        del parent[key]
    path.write_text(json.dumps(run), encoding="utf-8")
    return where


def leaves(value: Any, where: str = "") -> list[tuple[str, Any, Any]]:  # noqa: ANN401 - any JSON value
    items = value.items() if isinstance(value, dict) else enumerate(value)
    listed: list[tuple[str, Any, Any]] = []
    for key, child in items:
        here = f"{where}.{key}"
        listed += leaves(child, here) if isinstance(child, dict | list) and child else [(here, value, key)]
    return listed


def other_value(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[::-1] + "x"
    return 7


def forged_option(folder: Path, rng: random.Random) -> str:
    """Record other options than those of the run, and update the digests."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    options = run["options"]
    changes: list[tuple[dict[str, Any], str, Any]] = [
        (options, "random_seed", options["random_seed"] + 1),
        (options, "inflation", options["inflation"] + 1),
        (options, "inflation", 10**9),
        (options, "subsamples", options["subsamples"] + 1),
        (options, "subsamples", 10**9),
        (options, "classes", options["classes"][1:]),
        (options, "classes", ["adv", *options["classes"]]),
        (options, "mlm", options["mlm"][1:]),
        (options, "scramble", "yes"),
        (options, "unknown_option", True),
        (run, "label_names", ["yes", "no", "maybe"]),
        (run, "label_names", run["label_names"][:2]),
        (run, "subsamples", run["subsamples"] + 1),
        (run, "has_seeds", False),
        (run, "group_column", "premise"),
        (run["generation"]["masked_lms"][0], "name", "another"),
        (run["configs"]["all"], "groups", run["configs"]["all"]["groups"] + 1),
        (run["configs"]["all"], "group_labels", None),
        (run["configs"]["all"], "columns", run["configs"]["all"]["columns"][:-1]),
        (run, "configs", {}),
        (run["configs"]["all"]["splits"], "test", 0),
        (run["data"]["files"], "../secret.parquet", "0" * 64),
    ]
    parent, key, value = rng.choice(changes)
    parent[key] = value
    write_record(folder, run)
    return f"{key}={str(value)[:40]}"


def malformed_record(folder: Path, rng: random.Random) -> str:
    content = rng.choice(
        (b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"options": NaN}', b'{"a": "\\ud800"}')
    )
    (folder / "run.json").write_bytes(content)
    return repr(content[:20])
