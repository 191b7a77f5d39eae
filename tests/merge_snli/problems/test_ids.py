"""Ids from the content: they and the digest equal a plain reference that holds everything in memory."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS


def reference(rows: list[tuple[str, str, str]]) -> tuple[list[str], str]:
    """Return the ids of problems and the digest over them, as docs/method.md says them."""
    seen: Counter[str] = Counter()
    ids = []
    for row in rows:
        digest = hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest()[:12]
        seen[digest] += 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    lines = sorted(json.dumps([identity, *row], ensure_ascii=False) for identity, row in zip(ids, rows, strict=True))
    return ids, hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("lines_a_run", [5, 1_000])
def test_ids_and_digest_equal_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines_a_run: int) -> None:
    monkeypatch.setattr("merge_snli.problems.sorted_lines.LINES_PER_RUN", lines_a_run)
    draws = random.Random(0)
    texts = [f'A "{word}" runs.' for word in ("cat", "dog", "é", "日本", "a\\b")]
    # Twelve and more equal ones, so that -10 stands before -2 among the sorted lines.
    rows = [(draws.choice(texts), texts[0], draws.choice(NLI_LABELS)) for _ in range(200)]
    path = tmp_path / "problems.jsonl"
    columns = ("premise", "hypothesis", "label")
    path.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    ids, digest = reference(rows)
    assert max(Counter(identity.partition("-")[0] for identity in ids).values()) > 11
    read = read_problems(ProblemOptions(problems=str(path), label_names=NLI_LABELS))
    assert [problem.id for problem in read.problems] == ids
    assert read.digest == digest


def test_ids_of_the_source_may_hold_any_character(tmp_path: Path) -> None:
    ids = ['a"', "a", "a b", "a!", "a\\", "é", "a\u2028b", "[1, 2]"]
    path = tmp_path / "problems.jsonl"
    lines = [{"id": each, "premise": "A cat.", "hypothesis": "A dog.", "label": "neutral"} for each in ids]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = read_problems(ProblemOptions(problems=str(path), id_column="id"))
    assert [problem.id for problem in read.problems] == ids
    expected = sorted(json.dumps([each, "A cat.", "A dog.", "neutral"], ensure_ascii=False) for each in ids)
    assert read.digest == hashlib.sha256("\n".join(expected).encode()).hexdigest()
