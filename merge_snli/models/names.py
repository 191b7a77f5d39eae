"""Name the models of one command so that no two look the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def name_models(arguments: Iterable[str]) -> dict[str, str]:
    """Return the display name of each model.

    A folder is shown by its own name. Folders with equal names are shown by the shortest end of their paths that no
    other has.

    Args:
        arguments: Hub ids, `demo:NAME`, folders or `NAME=FOLDER`; duplicates are dropped.

    Returns:
        The models without `NAME=`, by display name, in order.

    Raises:
        InputError: If two models have the same name, or the folder of `NAME=FOLDER` does not exist.
    """
    named = list(dict.fromkeys(map(_split, arguments)))
    folders = list(dict.fromkeys(Path(model).resolve() for name, model in named if not name and Path(model).is_dir()))
    models: dict[str, str] = {}
    for given, model in named:
        path = Path(model)
        name = given or (_shortest_end(path.resolve(), folders) if path.is_dir() else model)
        other = models.setdefault(name, model)
        if other != model and not (path.is_dir() and path.resolve() == Path(other).resolve()):
            raise InputError(f"two models are named {name} ({other} and {model}); name a folder with NAME=FOLDER")
    return models


def _split(argument: str) -> tuple[str, str]:
    """Split `NAME=FOLDER`; the name is empty if none is given. Paths such as `runs/lr=0.1` may contain `=` too."""
    if not argument:
        raise InputError("the name of a model is empty: give a Hub id, a folder or demo:NAME")
    name, equals, folder = argument.partition("=")
    if not equals or "/" in name or Path(argument).is_dir():
        return "", argument
    if not name or not Path(folder).is_dir():
        raise InputError(f"invalid model {argument!r}: use NAME=FOLDER with the folder of a model")
    return name, folder


def _shortest_end(path: Path, folders: Sequence[Path]) -> str:
    others = [other.parts for other in folders if other != path]
    length = 1
    while any(other[-length:] == path.parts[-length:] for other in others):
        length += 1
    return "/".join(path.parts[-length:])
