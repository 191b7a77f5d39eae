"""Simulated failures: error responses, dropped connections and lost responses."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Fault:
    """A failure of the next requests that match.

    Attributes:
        method: The HTTP method of the requests.
        path: A regular expression for their paths.
        status: The status of an error response instead of the normal one; None for no error response.
        headers: The headers of the error response.
        error: The message of the error response.
        cut: Drop the connection before the request is read completely.
        lost: Process the request, then drop the connection instead of responding.
        meanwhile: A function to call just before the request is processed.
        times: The number of remaining requests that fail.
        after: The number of matching requests that succeed first.
    """

    method: str
    path: str
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "simulated failure"
    cut: bool = False
    lost: bool = False
    meanwhile: Callable[[], object] | None = None
    times: int = 1
    after: int = 0

    def applies(self, method: str, path: str) -> bool:
        """Return whether the fault applies to a request, and count the request."""
        if self.times == 0 or method != self.method or not re.search(self.path, path):
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return True
