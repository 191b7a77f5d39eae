"""Check the types of the arguments of public functions before they do anything."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast

from merge_snli.base.errors import InputError, nearest, param

F = TypeVar("F", bound=Callable[..., Any])

# Annotations of lists, whose items may be annotated as well.
LISTS = ("Sequence", "Iterable", "list")

# Classes that are recognized by their names, and need not be imported.
CLASSES = (
    "MergeDataset",
    "Options",
    "ProblemOptions",
    "Result",
    "SimplePairOptions",
    "ExtendedPairOptions",
    "Axes",
    "Trainer",
)

# The type that an annotation names, and how a message does.
KINDS: dict[str, tuple[type, str]] = {
    "bool": (bool, "True or False"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "str": (str, "a text"),
    "Path": (Path, "a path"),
    "Mapping": (Mapping, "a dict"),
    "None": (NoneType, "None"),
    **dict.fromkeys(LISTS, (Iterable, "a list")),
    **{name: (object, f"a {name}") for name in CLASSES},
}


def typed(function: F, called: str = "") -> F:
    """Return a function that refuses arguments of other types than its annotations name.

    The annotations may be texts, numbers, paths, lists and `CLASSES`; parameters with others, such as
    `object`, take anything. The items of lists are checked as well, but for those of iterators.

    Args:
        function: The function.
        called: What users call it; by default its name.

    Raises:
        InputError: When the function is called with an argument of another type, or an empty text.
        TypeError: When it is called with other arguments than it has; the message names the nearest one.
    """
    signature = inspect.signature(function)
    hints = {name: _kinds(_text(parameter.annotation)) for name, parameter in signature.parameters.items()}

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - those of the function
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            what = str(error)
            unknown = [name for name in kwargs if name not in signature.parameters]
            if unknown:
                what = f"got an unexpected keyword argument {unknown[0]!r}{nearest(unknown[0], signature.parameters)}"
            raise TypeError(f"{called or function.__name__}() {what}") from None
        for name, given in bound.arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for value in given if several else [given]:
                _check(name, value, hints[name])
        return function(*args, **kwargs)

    return cast("F", checked)


def _text(annotation: Any) -> str:  # noqa: ANN401 - any annotation
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _kinds(annotation: str) -> list[str]:
    """Return the kinds of values that an annotation names; none if there is one that cannot be checked."""
    kinds = re.split(r" \| (?![^\[]*\])", annotation)
    return kinds if all(_split(kind)[0] in KINDS for kind in kinds) else []


@cache
def _split(kind: str) -> tuple[str, list[str]]:
    """Return the name of a kind, and the kinds of the items of a list."""
    name, _, items = kind.removesuffix("]").partition("[")
    name = name.rpartition(".")[2]
    return name, _kinds(items) if items and name in LISTS else []


def _check(name: str, value: object, kinds: Sequence[str]) -> None:
    if not kinds or _fits(value, kinds):
        return
    found = f"of type {type(value).__name__}"
    if isinstance(value, str) and not value.strip():
        found = "an empty text"
    raise InputError(f"{param(name)} is {value!r:.60}, {found}: give {_any_of(kinds)}")


def _fits(value: object, kinds: Sequence[str]) -> bool:
    return any(_is(value, *_split(kind)) for kind in kinds)


def _is(value: object, name: str, items: Sequence[str]) -> bool:
    """Return whether a value is of a kind."""
    if name in CLASSES:
        return any(parent.__name__ == name for parent in type(value).__mro__)
    if isinstance(value, bool):
        return name == "bool"
    if isinstance(value, str | bytes):
        return name == "str" and isinstance(value, str) and bool(value.strip()) and "\0" not in value
    if items and isinstance(value, list | tuple):
        return all(_fits(item, items) for item in value)
    return isinstance(value, KINDS[name][0])


def _any_of(kinds: Iterable[str]) -> str:
    """Return how a message names some kinds."""
    words = []
    for name, items in map(_split, kinds):
        word = KINDS[name][1]
        words.append(f"{word} of {_any_of(items)}" if items else word)
    return " or ".join(dict.fromkeys(words))
