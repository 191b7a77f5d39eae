"""Routes and permissions of the fake Hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter, Map, Rule

from tests.hub import commits, trees
from tests.hub.answers import Refused, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from werkzeug.wrappers import Request, Response

    from tests.hub.storage import Storage

__all__ = ["Api", "problem"]

TYPES = {"models": "model", "datasets": "dataset", "spaces": "space"}
"""Repository types by their names in API paths."""


class Revision(BaseConverter):
    """A branch, a tag, a commit id, or `refs/pr/N`."""

    regex = r"refs/pr/\d+|[^/]+"
    part_isolating = False


class Kind(BaseConverter):
    """A repository type in an API path."""

    regex = "|".join(TYPES)


class Prefix(BaseConverter):
    """A repository type in a path of the site, empty for models."""

    regex = "(?:datasets/|spaces/)?"
    part_isolating = False


REPO = "/api/<kind:kind>/<owner>/<name>"
FILES = "/<prefix:kind><owner>/<name>"

ROUTES = Map(
    [
        Rule("/api/repos/create", endpoint="create_repo", methods=["POST"]),
        Rule("/api/whoami-v2", endpoint="whoami", methods=["GET"]),
        Rule("/api/validate-yaml", endpoint="validate_yaml", methods=["POST"]),
        Rule(REPO, endpoint="repo_info", methods=["GET"]),
        Rule(f"{REPO}/revision/<revision:revision>", endpoint="repo_info", methods=["GET"]),
        Rule(f"{REPO}/tree/<revision:revision>", endpoint="tree", methods=["GET"]),
        Rule(f"{REPO}/tree/<revision:revision>/<path:path>", endpoint="tree", methods=["GET"]),
        Rule(f"{REPO}/refs", endpoint="refs", methods=["GET"]),
        Rule(f"{REPO}/discussions", endpoint="discussions", methods=["GET"]),
        Rule(f"{REPO}/preupload/<revision:revision>", endpoint="preupload", methods=["POST"]),
        Rule(f"{REPO}/commit/<revision:revision>", endpoint="commit", methods=["POST"]),
        Rule(f"{REPO}/branch/<branch>", endpoint="create_branch", methods=["POST"]),
        Rule(f"{REPO}/branch/<branch>", endpoint="delete_branch", methods=["DELETE"]),
        Rule(f"{REPO}/tag/<revision:revision>", endpoint="create_tag", methods=["POST"]),
        Rule(f"{FILES}.git/info/lfs/objects/batch", endpoint="lfs_batch", methods=["POST"]),
        Rule("/lfs/<sha256>", endpoint="lfs_upload", methods=["PUT"]),
        Rule(f"{FILES}/resolve/<revision:revision>/<path:path>", endpoint="resolve", methods=["GET", "HEAD"]),
    ],
    converters={"revision": Revision, "kind": Kind, "prefix": Prefix},
)

WRITES = {"create_repo", "preupload", "commit", "create_branch", "delete_branch", "create_tag", "lfs_batch"}
"""Endpoints that need a token with write access."""


class Api:
    """Handles one request.

    Attributes:
        endpoint: The name of the matched route; empty if there is none.
    """

    def __init__(self, storage: Storage, url: str, *, writers: set[str], readers: set[str]) -> None:
        """Handle a request on `storage` at the address `url`, with these tokens."""
        self.storage = storage
        self.url = url
        self.endpoint = ""
        self._writers = writers
        self._readers = readers

    def answer(self, request: Request) -> Response:
        """Return the response to a request."""
        try:
            self.endpoint, values = ROUTES.bind_to_environ(request.environ).match()
            token = self._token(request)
            if self.endpoint in WRITES and token not in self._writers:
                raise Refused(403, "You don't have the rights to do this") if token else _no_token()
            handlers: dict[str, Callable[..., Response]] = {
                name: getattr(module, name) for module in (trees, commits) for name in module.__all__
            }
            if "owner" in values:
                values = self._with_repo(values, token)
            return handlers[self.endpoint](self, request, **values)
        except Refused as refused:
            return problem(refused.status, refused.message, code=refused.code, headers=refused.headers)
        except HTTPException:
            return problem(404, "Sorry, we can't find the page you are looking for.")

    def _token(self, request: Request) -> str | None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or None
        if token is not None and token not in self._writers | self._readers:
            raise Refused(401, "Invalid credentials in Authorization header")
        return token

    def _with_repo(self, parts: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Replace type, owner and name with the repository, if the token has read access."""
        values = dict(parts)
        kind, owner, name = values.pop("kind"), values.pop("owner"), values.pop("name")
        repo = self.storage.repos.get((TYPES.get(kind.rstrip("/"), "model"), f"{owner}/{name}"))
        if repo is None or (repo.private and token is None):
            raise Refused(401 if token is None else 404, "Repository not found", code="RepoNotFound")
        if repo.gated and token not in self._writers and self.endpoint in {"resolve", "tree"}:
            message = f"Access to {repo.type} {repo.id} is restricted and you are not in the authorized list."
            raise Refused(401 if token is None else 403, message, code="GatedRepo")
        return values | {"repo": repo}


def _no_token() -> Refused:
    return Refused(401, "Invalid username or password.")
