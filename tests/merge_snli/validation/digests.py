"""Update digests, counts and card of a corrupted data set, so that only the rows show the corruption."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from merge_snli.base.files import read_json, sha256_of_file, sha256_of_json
from merge_snli.card import render_card
from merge_snli.dataset.record_file import decode_record


def update_digests(folder: Path) -> None:
    """Update the record's digests and counts, and the card, to match the data."""
    run = read_run(folder)
    for name in run["data"]["files"]:
        path = folder / name
        run["data"]["files"][name] = sha256_of_file(path)
        try:
            table = pq.read_table(path, partitioning=None)
            names = set(table.column_names)
        except (pa.ArrowException, OSError, ValueError):
            continue
        config = path.parent.name
        split = path.stem
        run["configs"][config]["splits"][split] = table.num_rows
        if split == "test" and {"seed_id", "label"} <= names:
            with contextlib.suppress(ValueError):  # texts that are not UTF-8
                run["configs"][config] |= _counts(table, run["label_names"])
    run["data"]["digest"] = sha256_of_json(run["data"]["files"])
    with contextlib.suppress(pa.ArrowException, OSError, ValueError, LookupError, TypeError, ZeroDivisionError):
        (folder / "README.md").write_text(
            render_card(decode_record(json.dumps(run).encode()), folder), encoding="utf-8"
        )
    write_record(folder, run)


def read_run(folder: Path) -> dict[str, Any]:
    return dict(read_json(folder / "run.json"))


def change_record(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the record, and update its digests and the card."""
    run = read_run(folder)
    change(run)
    write_json(folder / "run.json", run)
    update_digests(folder)


def write_record(folder: Path, run: dict[str, Any]) -> None:
    """Write the record with new digests of the card and of itself."""
    rest = {name: value for name, value in run.items() if name not in ("card", "digest")}
    if (folder / "README.md").is_file():
        rest["card"] = sha256_of_file(folder / "README.md")
    write_json(folder / "run.json", rest | {"digest": sha256_of_json(rest)})


def write_json(path: Path, value: object) -> None:
    """Write JSON in the form of a record."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _counts(table: pa.Table, names: list[str]) -> dict[str, Any]:
    labels = table["label"].to_pylist()
    of_groups = dict(zip(table["seed_id"].to_pylist(), labels, strict=True))
    of_labels = [*of_groups.values()]
    return {
        "groups": len(of_groups),
        "labels": {name: labels.count(number) for number, name in enumerate(names)},
        "group_labels": {name: of_labels.count(number) for number, name in enumerate(names)},
    }
