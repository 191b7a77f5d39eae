"""The output of a command on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any


def write_output(output: str | dict[str, Any]) -> None:
    """Write text as it is, and JSON values as one document."""
    if not isinstance(output, str):
        output = json.dumps(output, indent=2, allow_nan=False) + "\n"
    sys.stdout.write(output)
