"""One option of a run, described once: arguments, run files, records, card and documentation follow from it."""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

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

    def __post_init__(self) -> None:
        """Check that the option says whether it departs from the paper's method.

        Raises:
            TypeError: If it has both `departure` and `neutral`, or neither.
        """
        if (self.departure is None) == (self.neutral is None):
            raise TypeError(f"the option {self.help!r} needs either a departure or a reason to be neutral")

    def field(self) -> Any:  # noqa: ANN401 - the default of a field of any type
        """Return the dataclass field of this option."""
        return field(default=self.default, metadata={METADATA: self})

    @property
    def is_required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

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


def described(options: type) -> Iterator[tuple[str, Option]]:
    """Yield the name and description of each field of an options class."""
    for each in fields(options):
        yield each.name, each.metadata[METADATA]
