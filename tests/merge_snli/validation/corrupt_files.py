"""Corrupt files: their bytes, names and types."""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.merge_snli.validation.targets import any_file


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
    paths = sorted(folder.glob("data/*/*.parquet"))
    one = rng.choice(paths)
    other = rng.choice([path for path in paths if path.read_bytes() != one.read_bytes()])
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
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
