"""Check the types of the arguments of public functions before they do anything."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, param


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


# What an annotation means: a check of a value, and how a message names it.
KINDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "int": (lambda value: isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
    "float": (lambda value: isinstance(value, Real) and not isinstance(value, bool), "a number"),
    "str": (lambda value: isinstance(value, str) and bool(value.strip()), "a text"),
    "Path": (lambda value: isinstance(value, Path), "a path"),
    "Sequence": (_is_list, "a list"),
    "Iterable": (_is_list, "a list"),
    "None": (lambda value: value is None, "None"),
}


def typed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses arguments of other types than its annotations name.

    The annotations may be texts, numbers, paths, lists and classes of this package; parameters with others, such as
    `object`, take anything. The items of lists are not checked.

    Raises:
        InputError: When the function is called with an argument of another type, or an empty text.
    """
    signature = inspect.signature(function)
    kinds = {name: kind for name, parameter in signature.parameters.items() if (kind := list(_kinds(parameter)))}

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - those of the function
        for name, given in signature.bind(*args, **kwargs).arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for value in given if several else [given]:
                if name in kinds and not any(fits(value) for fits, _ in kinds[name]):
                    words = " or ".join(word for _, word in kinds[name])
                    raise InputError(f"{param(name)} is {value!r:.60}, of type {type(value).__name__}: give {words}")
        return function(*args, **kwargs)

    return checked


def _kinds(parameter: inspect.Parameter) -> Iterator[tuple[Callable[[object], bool], str]]:
    """Yield the kinds that an annotation names; none if it has one that cannot be checked."""
    hint = parameter.annotation
    text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    names = [name.rpartition(".")[2] for name in re.sub(r"\[.*?\](?=$| \|)", "", text).split(" | ")]
    if all(name in KINDS or name in OWN for name in names):
        yield from (KINDS.get(name) or (_of_class(name), f"a {name}") for name in names)


# Classes of this package, which need not be imported to be recognized.
OWN = ("MergeDataset", "Options", "ProblemOptions", "Result", "SimplePairOptions", "ExtendedPairOptions")


def _of_class(name: str) -> Callable[[object], bool]:
    return lambda value: any(parent.__name__ == name for parent in type(value).__mro__)
