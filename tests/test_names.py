"""Names: one public class name for one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("merge_snli", "generation", "metrics", "training")


def test_public_class_names_are_unique() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(ROOT).as_posix())
    assert len(found) > 100
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
