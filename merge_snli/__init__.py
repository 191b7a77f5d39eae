"""Generate, read, score and compare MERGE data sets.

    import merge_snli as merge

    data = merge.load("demo:dataset")
    result = merge.score("demo:nli-a", data)
    result.pattern_accuracy, result.interval

The names in `__all__`, which are those of `__init__.pyi`, are the public API. They are imported on first use, so that
importing the package is fast.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from merge_snli.base import __version__ as __version__
from merge_snli.base.typed import typed

# The module of each public name, and its name there, as the stub imports them.
_HOMES: dict[str, tuple[str, str]] = {}
for _statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body:
    if isinstance(_statement, ast.ImportFrom):
        for _alias in _statement.names:
            _HOMES[_alias.asname or _alias.name] = str(_statement.module), _alias.name

__all__ = list(_HOMES)

# What does the same as a command that has no public function, because a package has its name or nearly so.
_COMMANDS = {
    "leaderboard": "merge_snli.leaderboard.write.write_leaderboard",
    "explore": "merge_snli.explorer.write.write_explorer",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function or a class
    """Import a public name on first use."""
    if name not in _HOMES:
        advice = ""
        if name in _COMMANDS:
            advice = f": run merge-snli {name}, or call {_COMMANDS[name]}"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")
    module, attribute = _HOMES[name]
    found = getattr(import_module(module), attribute)
    return found if isinstance(found, type) else typed(found, name)


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__, "__version__"]
