"""The one exception that a user can mend, and how it quotes the errors of libraries."""


class InputError(ValueError):
    """Something that the user gave cannot be used.

    The message is one sentence that says what, where, the value, and how to mend it.
    """


def reason(error: BaseException) -> str:
    """Return the first line of a library's error without its full stop, to stand within a sentence of ours."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
