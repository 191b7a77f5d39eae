"""Choose the names under which models are reported."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from merge_snli.base.errors import InputError


def name_models(arguments: Iterable[str]) -> dict[str, str]:
    """Return the display name of each model.

    A folder is shown by its own name. Folders with equal names are shown by the shortest end of their paths that no
    other has.

    Args:
        arguments: Hub ids, `demo:NAME`, folders or `NAME=FOLDER`; duplicates are dropped.

    Returns:
        The models without `NAME=`, by display name, in order.
    """
    named = dict.fromkeys(map(_split, arguments))
    folders = {Path(model).resolve() for name, model in named if not name and Path(model).is_dir()}
    models: dict[str, str] = {}
    for given, model in named:
        name = given or model
        path = Path(model).resolve()
        if not given and path.is_dir():
            name = shortest_end(path.parts, [folder.parts for folder in folders])
        other = models.setdefault(name, model)
        if other != model and path != Path(other).resolve():
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


def shortest_end(parts: Sequence[str], paths: Iterable[Sequence[str]]) -> str:
    """Return the shortest end of a path, given in parts, that is not the end of another one; all of it if none is."""
    others = [path for path in paths if path != parts]
    start = len(parts) - 1
    while start > 0 and any(path[start - len(parts) :] == parts[start:] for path in others):
        start -= 1
    return "/".join(parts[start:])


def unique_names(titles: Sequence[str], digests: Sequence[str]) -> list[str]:
    """Return titles, those that are not unique with the first eight characters of their digests."""
    names = []
    for title, digest in zip(titles, digests, strict=True):
        names.append(title if titles.count(title) == 1 else f"{title} [{digest[:8]}]")
    return names
