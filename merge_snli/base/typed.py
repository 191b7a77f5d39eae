"""Check the types of the arguments of public functions before they do anything."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar, cast

from merge_snli.base.errors import InputError, nearest, param

F = TypeVar("F", bound=Callable[..., Any])

# What an annotation means: a check of a value, and how a message names it.
Kind = tuple[Callable[[object], bool], str]

# Annotations of lists, whose items may be annotated as well.
LISTS = frozenset({"Sequence", "Iterable", "list"})

KINDS: dict[str, Kind] = {
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "int": (lambda value: isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
    "float": (lambda value: isinstance(value, Real) and not isinstance(value, bool), "a number"),
    "str": (lambda value: isinstance(value, str) and bool(value.strip()) and "\0" not in value, "a text"),
    "Path": (lambda value: isinstance(value, Path), "a path"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a dict"),
    "None": (lambda value: value is None, "None"),
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
    hints = {name: _text(parameter.annotation) for name, parameter in signature.parameters.items()}
    kinds = {name: kind for name, hint in hints.items() if (kind := _kinds(hint))}

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - those of the function
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            unknown = next((name for name in kwargs if name not in signature.parameters), None)
            what = str(error)
            if unknown is not None:
                what = f"got an unexpected keyword argument {unknown!r}{nearest(unknown, signature.parameters)}"
            raise TypeError(f"{called or function.__name__}() {what}") from None
        for name, given in bound.arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for value in given if several else [given]:
                if name in kinds and not any(fits(value) for fits, _ in kinds[name]):
                    is_blank = isinstance(value, str) and not value.strip()
                    kind = "an empty text" if is_blank else f"of type {type(value).__name__}"
                    raise InputError(f"{param(name)} is {value!r:.60}, {kind}: give {_any_of(kinds[name])}")
        return function(*args, **kwargs)

    return cast("F", checked)


def _text(hint: Any) -> str:  # noqa: ANN401 - any annotation
    return hint if isinstance(hint, str) else inspect.formatannotation(hint)


def _kinds(hint: str) -> list[Kind]:
    """Return the kinds that an annotation names; none if it has one that cannot be checked."""
    kinds = [_kind(name) for name in re.split(r" \| (?![^\[]*\])", hint)]
    return [] if None in kinds else [kind for kind in kinds if kind is not None]


def _kind(hint: str) -> Kind | None:
    name, _, items = hint.removesuffix("]").partition("[")
    name = name.rpartition(".")[2]
    if name in LISTS:
        return _list_of(_kinds(items))
    if name not in CLASSES:
        return KINDS.get(name)
    return lambda value: any(parent.__name__ == name for parent in type(value).__mro__), f"a {name}"


def _list_of(kinds: list[Kind]) -> Kind:
    """Return the kind of lists whose items have one of some kinds; of any items if there are none."""

    def fits(value: object) -> bool:
        items = value if kinds and isinstance(value, list | tuple) else ()
        is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        return is_list and all(any(fits_item(item) for fits_item, _ in kinds) for item in items)

    return fits, " ".join(["a list", *([f"of {_any_of(kinds)}"] if kinds else [])])


def _any_of(kinds: Iterable[Kind]) -> str:
    return " or ".join(dict.fromkeys(word for _, word in kinds))


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
