"""JSON responses, and errors with the headers that the client reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from werkzeug.wrappers import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.hub.storage import Commit, Repo


class Refused(Exception):  # noqa: N818 - a response, not a failure
    """A request that the Hub rejects.

    Attributes:
        status: The HTTP status.
        message: The error message.
        code: The value of the header `X-Error-Code`.
        headers: Additional response headers.
    """

    def __init__(self, status: int, message: str, *, code: str | None = None) -> None:
        """Create the response."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers: dict[str, str] = {}


def problem(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an error response."""
    all_headers = {"X-Error-Message": message} | ({} if code is None else {"X-Error-Code": code}) | dict(headers or {})
    return Response(json.dumps({"error": message}), status, headers=all_headers, mimetype="application/json")


def as_json(value: object, status: int = 200) -> Response:
    """Return a JSON response."""
    return Response(json.dumps(value), status, mimetype="application/json")


def found(repo: Repo, revision: str) -> Commit:
    """Return the commit of a revision.

    Raises:
        Refused: If the revision does not exist.
    """
    commit = repo.find(revision)
    if commit is None:
        raise Refused(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
    return commit
