"""The exception for errors that the user can fix, and how messages name options."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class InputError(ValueError):
    """An error in the user's input; the command line prints it without a traceback.

    The message says what is wrong with which value, where, and what to do. It is written with flags, such as
    `--top-k`; see `name_options`.
    """

    def __init__(self, message: str) -> None:
        """Create the error; its message names options as the user knows them."""
        super().__init__(name_options(message))


class IncompleteError(InputError):
    """A file that an earlier stage of a run has written is missing; running the same command again makes it."""


_OPTION = re.compile(
    r"""merge-snli\ [a-z]+\ [^,;:]*               # a command to copy stays as it is
    |(?P<add>add\ )?(?<![\w'"-])--(?P<name>[a-z][a-z-]*)
     (?:=(?P<value>[^\s;]+?(?=[.,:;)]*(?:\s|$))))?""",
    re.VERBOSE,
)

_flags: ContextVar[bool] = ContextVar("flags", default=False)


@contextmanager
def options_as_flags() -> Iterator[None]:
    """Name options by their flags in this context, as on the command line."""
    token = _flags.set(True)
    try:
        yield
    finally:
        _flags.reset(token)


def name_options(message: str) -> str:
    """Return a message with its options named as the user knows them: by flags on the command line, else as parameters.

    Args:
        message: A message with flags: `--name`, `--name=VALUE`, or `add --name` for a switch.

    Examples:
        >>> name_options("--top-k is 0; use --device=cpu, or add --allow-pickle")
        "top_k is 0; use device='cpu', or add allow_pickle=True"
    """
    return message if _flags.get() else _OPTION.sub(_parameter, message)


def _parameter(option: re.Match[str]) -> str:
    name, value, add = option["name"], option["value"], option["add"] or ""
    if name is None:
        return option[0]
    parameter = f"{add}{name.replace('-', '_')}"
    if value is None:
        return f"{parameter}=True" if add else parameter
    values = tuple(value.split(","))
    return f"{parameter}={values if len(values) > 1 else value!r}"


def reason(error: BaseException) -> str:
    """Return the first line of a library's error without its period, to quote it within a message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
