"""Say how to install what only one feature needs."""

import re
import shlex
from importlib.metadata import requires

PACKAGE = "merge-snli"


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra, which works in a checkout and with a wheel.

    Args:
        extra: Name of the extra, such as `annotate`.
    """
    wanted = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    needed = [line.partition(";")[0].strip() for line in requires(PACKAGE) or () if wanted.search(line)]
    return f"pip install {shlex.join(needed)}"
