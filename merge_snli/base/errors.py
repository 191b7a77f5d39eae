"""The exception for errors that the user can fix, and how messages name parameters.

A message is written once, with its parameters in brackets, such as `⟦top_k⟧` and `⟦overwrite=True⟧`, or marked by
`param` if it advises another value. In Python it names them as they are (`top_k`), and on the command line by their
flags (`--top-k`), with values quoted for a shell. All other text of a message stays as it is.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import islice
from logging import LogRecord
from pathlib import Path
from shlex import quote
from typing import Any, Self

# Around a parameter as in Python and as on the command line. Unicode reserves these for use within a program: no text
# contains them.
_START, _MIDDLE, _END = "\ufdd0", "\ufdd3", "\ufdd1"
_NAMED = f"([^{_START}{_MIDDLE}{_END}]*)"
_PARAM = re.compile(_START + _NAMED + _MIDDLE + _NAMED + _END)

# A parameter as a message is written.
_WRITTEN = re.compile(r"⟦(\w+)(=True)?⟧")

# What a message of `explained` has in the place of the reason.
REASON = "⟦reason⟧"

# So many values of a list, and characters of a text, are shown in a message.
SHOWN_VALUES, SHOWN_CHARACTERS = 10, 80

# The characters of a whole message, and how many of a longer one are shown of its beginning and of its end, which says
# what to do.
MAX_MESSAGE, SHOWN_BEGINNING, SHOWN_END = 1_000, 600, 300

# The parameters that are arguments without a flag on the command line, and their names there.
POSITIONAL = {"problems": "PROBLEMS"}


def flag(name: str) -> str:
    """Return how the command line names a parameter: its flag, or the name of an argument without one."""
    return POSITIONAL.get(name, f"--{name.replace('_', '-')}")


def param(name: str, value: str | int | tuple[str, ...] | None = None) -> str:
    """Name a parameter in the text of an `InputError` or a `Message`; without a value, the same as in brackets.

    Args:
        name: The parameter, as in Python.
        value: The value that the message advises, if any: `True` for a switch, a tuple for a list, or one value.

    Examples:
        >>> message = Message(f"⟦top_k⟧ is 0; use {param('device', 'cpu')}, or add ⟦overwrite=True⟧")
        >>> print(message)
        top_k is 0; use device='cpu', or add overwrite=True
        >>> print(as_flags(message))
        --top-k is 0; use --device=cpu, or add --overwrite
        >>> print(as_flags(Message(param("data_labels", ("not enough info=NAME", "refuted=NAME")))))
        --data-labels='not enough info=NAME,refuted=NAME'
    """
    in_python = name
    on_command_line = flag(name)
    if value is not None:
        in_python += f"={value!r}"
        if value is not True and name not in POSITIONAL:
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            on_command_line += f"={quote(text)}"
    return f"{_START}{in_python}{_MIDDLE}{on_command_line}{_END}"


def fitted(text: str) -> str:
    """Return a message of at most `MAX_MESSAGE` characters: the beginning and the end of a longer one.

    Args:
        text: The message, perhaps with the marks of `param`. A parameter that is not shown as a whole is left out.

    Examples:
        >>> print(fitted("bad value " + "a" * 2000 + ": remove it")[580:640])
        aaaaaaaaaaaaaaaaaaaa… and 1,121 more characters …aaaaaaaaaaa
    """
    if len(_PARAM.sub(r"\1", text)) <= MAX_MESSAGE:
        return text
    beginning = re.sub(f"{_START}[^{_END}]*$", "", text[:SHOWN_BEGINNING])
    end = re.sub(f"^[^{_START}]*{_END}", "", text[-SHOWN_END:])
    more = len(text) - len(beginning) - len(end)
    return f"{beginning}… and {more:,} more characters …{end}"


class Message(str):
    """A text that names parameters as in Python; `as_flags` returns it as on the command line.

    Attributes:
        marked: The text with the marks of `param`, to quote it within another message.
    """

    marked: str

    def __new__(cls, text: str) -> Self:
        """Create the message.

        Args:
            text: The text, with parameters in brackets or from `param`.
        """
        written = text.marked if isinstance(text, Message) else text
        marked = fitted(_WRITTEN.sub(lambda found: param(found[1], found[2] and True), written))
        message = super().__new__(cls, _PARAM.sub(r"\1", marked))
        message.marked = marked
        return message


class InputError(ValueError):
    """An error in the user's input; the command line prints it without a traceback.

    The message says what is wrong with which value, where, and what to do. It names parameters as ⟦top_k⟧.

    Attributes:
        message: The message, which is also the text of the error.
    """

    def __init__(self, message: str) -> None:
        """Create the error.

        Args:
            message: The text, with parameters in brackets or from `param`.
        """
        self.message = Message(message)
        super().__init__(self.message)


class GateError(InputError):
    """A model is worse than the user allows, which has an exit code of its own."""


class IncompleteError(InputError):
    """A file that an earlier stage of a run has written is missing; running the same command again makes it."""


@contextmanager
def explained(errors: type[Exception] | tuple[type[Exception], ...], message: str) -> Iterator[None]:
    """Convert the errors of a library to an `InputError`. An `InputError` of the block stays as it is.

    Args:
        errors: The types of the errors.
        message: What is wrong with which value, and what to do. `⟦reason⟧` in it becomes the reason of the error, which
            for an error of the operating system does not name the file.

    Examples:
        >>> with explained(ValueError, "line 3 is not a number (⟦reason⟧): correct it"):
        ...     float("x")
        Traceback (most recent call last):
        merge_snli.base.errors.InputError: line 3 is not a number (could not convert string to float: 'x'): correct it
    """
    try:
        yield
    except InputError:
        raise
    except errors as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise InputError(message.replace(REASON, why or reason(error))) from error


def as_flags(text: object) -> str:
    """Return an error or a message with its parameters named as on the command line, and anything else as it is."""
    message = text.message if isinstance(text, InputError) else text
    return _PARAM.sub(r"\2", message.marked) if isinstance(message, Message) else str(message)


def one_line(text: str) -> str:
    r"""Return a text with line breaks, control characters and characters that change the direction as escapes.

    What a command prints goes through this, since names, columns and file names are what others wrote. A text that is
    too long for a message is cut.

    Examples:
        >>> print(one_line("a\nvalid\x1b[2J \u202eb"))
        a\nvalid\x1b[2J \u202eb
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return fitted(text)


def log_flags(record: LogRecord) -> bool:
    """Make the arguments of a log record fit for a terminal; a filter for the handlers of a command.

    Parameters are named as on the command line, and what others wrote is on one line.
    """

    def shown(value: Any) -> Any:  # noqa: ANN401 - any argument of a log record
        is_text = isinstance(value, str | Exception | Path)
        return one_line(as_flags(value)) if is_text else value

    if isinstance(record.msg, InputError | Message):
        record.msg = shown(record.msg)
    if isinstance(record.args, tuple):
        record.args = tuple(map(shown, record.args))
    with suppress(TypeError, ValueError, KeyError):  # a wrong call of another library, which `logging` reports
        record.msg = fitted(record.getMessage())
        record.args = ()
    return True


def brief(value: object, width: int = SHOWN_CHARACTERS) -> str:
    """Return a value for a message: the beginning of a long text, and one with blanks at an end in quotation marks.

    Examples:
        >>> print(brief(" label"), brief("label"), brief("a" * 3000, width=10))
        ' label' label aaaaaaaaaa… and 2,990 more characters
    """
    text = value if isinstance(value, str) else repr(value)
    if text != text.strip() or not text.isprintable():
        text = repr(text)
    return text if len(text) <= width else f"{text[:width]}… and {len(text) - width:,} more characters"


def listed(values: Collection[object], most: int = SHOWN_VALUES) -> str:
    """Return the first values for a message, with the number of the others.

    Examples:
        >>> listed(["a", "b ", "c"]), listed(range(3000))
        ("a, 'b ', c", '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 … and 2,990 more')
    """
    texts = [brief(value, SHOWN_CHARACTERS // 2) for value in islice(values, most)]
    more = len(values) - len(texts)
    return ", ".join(texts) + (f" … and {more:,} more" if more else "")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question that names the most similar of the known names, or nothing if none is similar.

    Examples:
        >>> nearest("inflaton", ["inflation", "mlm"])
        ': did you mean inflation?'
    """
    by_letters = {other.lstrip("-"): other for other in known}  # dashes would make all options similar
    similar = get_close_matches(name.lstrip("-"), by_letters, n=1)
    return f": did you mean {by_letters[similar[0]]}?" if similar else ""


def say_once(reasons: Mapping[str, str]) -> str:
    """Return the reasons by name, in which each reason that several names have is said of the first one.

    Examples:
        >>> say_once({"a": "a is empty", "b": "b is empty", "c": "c is a link"})
        'a is empty; the same of b; c is a link'
    """
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why.replace(name, REASON), []).append(name)
    return "; ".join(
        why.replace(REASON, first) + (f"; the same of {', '.join(others)}" if others else "")
        for why, (first, *others) in names.items()
    )


def reason(error: BaseException) -> str:
    """Return the first line of a library's error without its period, to quote it within a message."""
    if isinstance(error, KeyError) and error.args:
        return f"it has no {error}"
    if "ignore_mismatched_sizes" in str(error):  # of transformers, which says no more
        return "its weights have other shapes than its config.json says"
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
