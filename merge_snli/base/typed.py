"""Check the types of the arguments of public functions before they do anything."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast

from merge_snli.base.errors import InputError, nearest

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

# The type that an annotation names.
KINDS: dict[str, type] = {
    "bool": bool,
    "int": Integral,
    "float": Real,
    "str": str,
    "Path": Path,
    "Mapping": Mapping,
    "None": NoneType,
    **dict.fromkeys(LISTS, Iterable),
    **dict.fromkeys(CLASSES, object),
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
            parameter = signature.parameters[name]
            for value in given if parameter.kind is inspect.Parameter.VAR_POSITIONAL else [given]:
                _check(name, value, parameter.annotation)
        return function(*args, **kwargs)

    return cast("F", checked)


def _check(name: str, value: object, annotation: Any) -> None:  # noqa: ANN401 - any annotation
    expected = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    if not _fits(value, expected):
        is_empty = isinstance(value, str) and not value.strip()
        found = "an empty text" if is_empty else f"of type {type(value).__name__}"
        raise InputError(f"⟦{name}⟧ is {value!r:.60}, {found}: give {expected}")


def _fits(value: object, annotation: str) -> bool:
    """Return whether a value is of a kind that an annotation names, or the annotation cannot be checked."""
    kinds = _kinds(annotation)
    return not kinds or any(_is(value, name, items) for name, items in kinds)


@cache
def _kinds(annotation: str) -> list[tuple[str, str]]:
    """Return the name of each kind, and for lists the annotation of their items; none if one cannot be checked."""
    kinds = []
    for kind in re.split(r" \| (?![^\[]*\])", annotation):
        name, _, items = kind.removesuffix("]").partition("[")
        name = name.rpartition(".")[2]
        if name not in KINDS:
            return []
        kinds.append((name, items if name in LISTS else ""))
    return kinds


def _is(value: object, name: str, items: str) -> bool:
    """Return whether a value is of a kind."""
    if name in CLASSES:
        return any(parent.__name__ == name for parent in type(value).__mro__)
    if isinstance(value, bool):
        return name == "bool"
    if isinstance(value, str | bytes):
        return name == "str" and isinstance(value, str) and bool(value.strip()) and "\0" not in value
    if items and isinstance(value, list | tuple):
        return all(_fits(item, items) for item in value)
    return isinstance(value, KINDS[name])
