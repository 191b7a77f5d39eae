"""The one exception that a user can mend."""


class InputError(ValueError):
    """Something that the user gave cannot be used.

    The message is one sentence that says what, where, the value, and how to mend it.
    """
