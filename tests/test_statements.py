"""Statements of the product are plain: none is large, and nothing with conditions is nested in another expression."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests import ROOT

PRODUCT = ("merge_snli", "generation", "metrics", "training")
MOST_NODES = 60
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def nodes(tree: ast.AST) -> int:
    """Return the size of a part of the syntax tree, without load and store contexts."""
    return sum(not isinstance(node, ast.expr_context) for node in ast.walk(tree))


def is_simple(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt) and not hasattr(node, "body") and not isinstance(node, ast.Match)


def is_data(node: ast.AST) -> bool:
    """Return whether a statement assigns or returns a literal of constants."""
    try:
        ast.literal_eval(getattr(node, "value", None) or node)
    except ValueError:
        return False
    return True


def has_condition(node: ast.AST) -> bool:
    return isinstance(node, COMPREHENSIONS) and any(each.ifs for each in node.generators)


def problem(node: ast.AST) -> str | None:
    """Return which rule a part of a function breaks, without what is nested in it."""
    if is_simple(node) and nodes(node) > MOST_NODES and not is_data(node):
        return f"a statement of {nodes(node)} nodes"
    if isinstance(node, COMPREHENSIONS) and any(has_condition(each) for each in ast.walk(node) if each is not node):
        return "a comprehension with a condition inside another comprehension"
    if isinstance(node, ast.FormattedValue) and any(isinstance(each, ast.JoinedStr) for each in ast.walk(node.value)):
        return "an f-string in the braces of an f-string"
    return None


def problems(tree: ast.AST, function: str = "(module)") -> Iterator[tuple[str, int, str]]:
    """Yield the innermost function, the line and the rule for each part of a file that is not plain."""
    for node in ast.iter_child_nodes(tree):
        found = problem(node)
        is_module_statement = function == "(module)" and is_simple(node)
        if found is not None and not (is_module_statement and found.startswith("a statement")):
            yield function, getattr(node, "lineno", 0), found
        yield from problems(node, node.name if isinstance(node, FUNCTIONS) else function)


def places() -> dict[str, str]:
    """Return what is not plain in the product by file and function, with the line and the rule."""
    found = {}
    for path in sorted(each for package in PRODUCT for each in (ROOT / package).rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for function, line, rule in problems(ast.parse(path.read_text(encoding="utf-8"))):
            if not (function == "add_arguments" and file.startswith("merge_snli/cli/")):
                found[f"{file} {function}"] = f"line {line}: {rule}"
    return found


def test_statements_are_plain() -> None:
    assert places() == {}


LARGE = f"x = f({', '.join('a' * 58)})"


@pytest.mark.parametrize(
    ("code", "rules"),
    [
        (f"def f():\n  {LARGE}", ["a statement of 62 nodes"]),
        (f"def f():\n  x = [{', '.join('1' * 70)}]", []),
        (f"def f():\n  if a:\n    return [{', '.join('a' * 70)}]", ["a statement of 72 nodes"]),
        ("[[b for b in a if b] for a in c]", ["a comprehension with a condition inside another comprehension"]),
        ("[[b for b in a] for a in c if a]", []),
        ("f'{f\"{a}\"}'", ["an f-string in the braces of an f-string"]),
    ],
)
def test_what_is_not_plain_is_found(code: str, rules: list[str]) -> None:
    assert [rule for _, _, rule in problems(ast.parse(code))] == rules
