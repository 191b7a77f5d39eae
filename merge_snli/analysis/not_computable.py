"""Define the exception of an analysis that the given results and data sets do not allow."""


class NotComputable(Exception):  # noqa: N818 - not an error: a report lists the reason and goes on
    """An analysis cannot be computed; the message is one sentence: what is missing and, if one, the option for it."""
