"""One option of a run, described once: arguments, run files, records, card and documentation follow from it."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from inspect import Parameter, Signature, signature
from numbers import Integral
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from merge_snli.base.errors import InputError

# How messages name the types of options.
TYPE_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "true or false", tuple: "a list of strings"}

# Values that options had in earlier versions, and the advice for each.
REMOVED_VALUES = {"int8": "use bfloat16, since an int8 prediction depends on the other pairs of its batch"}

# What is a value of a type without loss.
CONVERTED_FROM: dict[type, Any] = {str: (str, Path), int: Integral, float: (int, float), bool: bool}

# The key of an `Option` in the metadata of its dataclass field.
METADATA = "option"


@dataclass(frozen=True, kw_only=True)
class Option:
    """Everything about one option but its name and type, which are those of a dataclass field.

    An option has either a `departure` or a reason to be `neutral`, so that the card cannot overlook one.

    Attributes:
        help: What it does, as `--help` and the documentation say it.
        default: The value if it is not given, which is also the paper's; `MISSING` if it must be given.
        shown_default: The default in words, if the value does not say it.
        group: The heading of its argument in `--help`.
        metavar: The placeholder of its value in `--help`.
        choices: The values that it may have; empty for any of its type.
        minimum: The smallest number that it may be.
        maximum: The largest number that it may be.
        departure: The sentence of the card if a data set departs from the paper's method by it.
        departs: Whether a value departs from the paper's method; None if every value but the default does.
        is_amount: Whether it only sets how much is made; the card names such departures last.
        neutral: Why no value departs from the paper's method.
        always_recorded: Whether records have it even if it has its default. New options are recorded only if set, so
            that the records of other runs stay as they are.
        changes_rows: Whether rows depend on it other than through the problems, the answers and the seeds, whose
            digests are in the keys of cached rows.
    """

    help: str
    default: Any
    shown_default: str | None = None
    group: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    departure: str | None = None
    departs: Callable[[Any], bool] | None = None
    is_amount: bool = False
    neutral: str | None = None
    always_recorded: bool = False
    changes_rows: bool = True

    def field(self) -> Any:  # noqa: ANN401 - the default of a field of any type
        """Return the dataclass field of this option."""
        return field(default=self.default, metadata={METADATA: self})

    def is_default(self, value: Any) -> bool:  # noqa: ANN401 - a value of any option
        """Return whether a value is the default; lists, as records have them, are compared as tuples."""
        return bool((tuple(value) if isinstance(value, list) else value) == self.default)

    def is_departure(self, value: Any) -> bool:  # noqa: ANN401 - a value of any option
        """Return whether a value departs from the paper's method."""
        if self.departure is None:
            return False
        return not self.is_default(value) if self.departs is None else self.departs(value)

    @property
    def default_text(self) -> str | None:
        """The default in words; None if there is none to tell, as for a switch."""
        if self.shown_default is not None:
            return self.shown_default
        if self.default is MISSING or self.default is None or self.default is False or self.default in ((), ""):
            return None
        return " ".join(self.default) if isinstance(self.default, tuple) else str(self.default)


def option_field(default: Any, help: str, **about: Any) -> Any:  # noqa: ANN401 - as in `Option`
    """Return the dataclass field of an option; a `partial` of it has what several options have in common."""
    return Option(help=help, default=default, **about).field()


def with_keywords(function: Callable[..., object], options: type) -> Signature:
    """Return the signature of a function with a keyword for each field of an options class in place of `**`."""
    own = signature(function)
    given = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    named = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in signature(options).parameters.values()]
    return own.replace(parameters=[*given, *named])


def described(options: type) -> Iterator[tuple[str, Option]]:
    """Yield the name and description of each field of an options class."""
    for each in fields(options):
        yield each.name, each.metadata[METADATA]


@cache
def option_types(options: Hashable) -> dict[str, type]:
    """Return the type of each option: `str`, `int`, `float`, `bool`, or `tuple` for a tuple of strings.

    Args:
        options: A class whose fields describe themselves, such as `ProblemOptions`.
    """
    hints = get_type_hints(options)
    return {name: _plain_type(hints[name]) for name, _ in described(cast(type, options))}


def _plain_type(hint: Any) -> type:  # noqa: ANN401 - a type hint
    if isinstance(hint, UnionType):
        hint = next(member for member in get_args(hint) if member is not NoneType)
    plain: type = get_origin(hint) or hint
    return str if hint is Any else plain


def converted(value: object, expected: type) -> object | None:
    """Return a value as the type of an option, if that is possible without loss.

    Args:
        value: The value.
        expected: One of the types of `option_types`.

    Returns:
        The value; None if it cannot be converted.
    """
    if expected is tuple:
        values = [value] if isinstance(value, str | Path) else value
        if not isinstance(values, Iterable):
            return None
        texts = tuple(converted(each, str) for each in values)
        return None if None in texts else texts
    if isinstance(value, bool) != (expected is bool) or not isinstance(value, CONVERTED_FROM[expected]):
        return None
    converted_value: object = expected(value)
    return converted_value


def set_checked(options: object, *, without: Sequence[str] = ()) -> None:
    """Check the values of new options whose fields describe themselves, and set them as the types of the fields.

    Args:
        options: An instance of a frozen dataclass.
        without: The fields that are checked elsewhere.

    Raises:
        InputError: If a value has another type, is outside the limits of its option, or not one of its choices.
    """
    types = option_types(cast(Hashable, type(options)))
    for name, option in described(type(options)):
        if name not in without:
            object.__setattr__(options, name, _checked(name, getattr(options, name), types[name], option))


def _checked(name: str, value: object, expected: type, option: Option) -> object:
    """Return the value of an option as the type of its field, if it is allowed.

    A path becomes a string, one string a tuple of one, and a list a tuple.

    Raises:
        InputError: If the value has another type, is outside the limits of the option, or not one of its choices.
    """
    if value is None and option.default is None:
        return None
    found: Any = converted(value, expected)
    if found is None:
        raise InputError(f"⟦{name}⟧ is {value!r}, not {TYPE_NAMES[expected]}")
    if option.minimum is not None:
        require_at_least(name, found, option.minimum)
    if option.maximum is not None and found > option.maximum:
        raise InputError(f"⟦{name}⟧ is {found}: it must be at most {option.maximum:,}")
    if isinstance(found, float) and not math.isfinite(found):
        raise InputError(f"⟦{name}⟧ is {found}: give a finite number")
    for item in found if expected is tuple else (found,):
        if option.choices and item not in option.choices:
            verb = "has" if expected is tuple else "is"
            raise InputError(f"⟦{name}⟧ {verb} {item!r}: {choice_advice(item, option.choices)}")
    return found


def choice_advice(value: object, choices: Iterable[str]) -> str:
    """Return the advice for a value that is not one of the choices: which to use instead, or all of them."""
    return REMOVED_VALUES.get(str(value), f"choose from {', '.join(choices)}")


def require_unique(option: str, values: Sequence[str]) -> None:
    """Check that an option has no value more than once.

    Args:
        option: The option, for the message.
        values: Its values.

    Raises:
        InputError: If a value occurs more than once.
    """
    duplicate = next((value for value in values if values.count(value) > 1), None)
    if duplicate is not None:
        raise InputError(f"⟦{option}⟧ has {duplicate!r} more than once")


def require_at_least(option: str, value: int | None, minimum: int) -> None:
    """Check that a number is not too small, if it is set.

    Args:
        option: The option, for the message.
        value: Its value.
        minimum: The smallest value.

    Raises:
        InputError: If the number is below the minimum.
    """
    if value is not None and value < minimum:
        raise InputError(f"⟦{option}⟧ is {value}: it must be at least {minimum}")
