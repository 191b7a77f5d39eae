"""Ids made from the content, the digest and duplicate ids, compared with a plain reference that uses a list."""

from __future__ import annotations

import hashlib
import json
import random
from array import array
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems, repeated_numbers
from merge_snli.schema import NLI_LABELS


def reference_ids(rows: list[tuple[str, str, str]]) -> list[str]:
    """Return the ids of problems as docs/method.md defines them."""
    seen: Counter[str] = Counter()
    ids = []
    for row in rows:
        digest = hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest()[:12]
        seen[digest] += 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return ids


def reference_digest(rows: Iterable[tuple[str, ...]]) -> str:
    """Return the digest of problems, each with its id without ordinal."""
    digests = (hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest() for row in rows)
    return format(sum(int(digest, 16) for digest in digests) % 2**256, "064x")


def test_ids_and_digest_equal_the_reference(tmp_path: Path) -> None:
    rng = random.Random(0)
    texts = [f'A "{word}" runs.' for word in ("cat", "dog", "é", "日本", "a\\b")]
    rows = [(rng.choice(texts), texts[0], rng.choice(NLI_LABELS)) for _ in range(200)]
    path = tmp_path / "problems.jsonl"
    columns = ("premise", "hypothesis", "label")
    path.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    ids = reference_ids(rows)
    assert max(Counter(identity.partition("-")[0] for identity in ids).values()) > 11
    read = read_problems(ProblemOptions(problems=str(path), data_labels=NLI_LABELS))
    assert [problem.id for problem in read.problems] == ids
    assert read.digest == reference_digest(
        (identity.partition("-")[0], *row) for identity, row in zip(ids, rows, strict=True)
    )


def test_ids_of_the_source_may_have_any_character(tmp_path: Path) -> None:
    ids = ['a"', "a", "a b", "a!", "a\\", "é", "a\u2028b", "[1, 2]"]
    read = read_problems(ProblemOptions(problems=write_ids(tmp_path / "problems.jsonl", ids), id_column="id"))
    assert [problem.id for problem in read.problems] == ids
    assert read.digest == reference_digest((identity, "A cat.", "A dog.", "neutral") for identity in ids)


def test_extra_columns_count_for_the_digest(tmp_path: Path) -> None:
    path = write_ids(tmp_path / "problems.jsonl", ["a", "b"])
    digests = {read_problems(ProblemOptions(problems=path, keep_column=columns)).digest for columns in ((), ("id",))}
    assert len(digests) == 2


def test_a_hash_collision_is_not_a_duplicate_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_snli.problems.reading.id_hash", lambda identity: len(identity))
    ids = ["a", "b", "cd", "e"]
    options = ProblemOptions(problems=write_ids(tmp_path / "unique.jsonl", ids), id_column="id")
    assert [problem.id for problem in read_problems(options).problems] == ids
    options = ProblemOptions(problems=write_ids(tmp_path / "duplicate.jsonl", [*ids, "b"]), id_column="id")
    with pytest.raises(InputError, match=r"duplicate.jsonl line 5: .*'b' .*duplicate.jsonl line 2"):
        read_problems(options)


def test_repeated_numbers_are_found() -> None:
    rng = random.Random(0)
    numbers = [rng.choice((0, 7, 2**63, 2**64 - 1, rng.randrange(2**64))) for _ in range(50)]
    expected = sorted(number for number, count in Counter(numbers).items() if count > 1)
    repeated = repeated_numbers(array("Q", numbers))
    assert list(repeated) == expected == [0, 7, 2**63, 2**64 - 1]
    assert list(repeated_numbers(array("Q", [5]))) == []


def write_ids(path: Path, ids: list[str]) -> str:
    """Write problems that differ only in their ids."""
    rows = [{"id": identity, "premise": "A cat.", "hypothesis": "A dog.", "label": "neutral"} for identity in ids]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)
