"""Routes and permissions of the fake Hub, its endpoints, and its errors with the headers that the client reads."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from io import BytesIO
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, cast

import yaml
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter, Map, Rule
from werkzeug.wrappers import Request, Response
from werkzeug.wsgi import wrap_file

from tests.hub.storage import LARGE, Commit, PullRequest, Repo, Storage, Tree


class Refused(Exception):  # noqa: N818 - a response, not a failure
    """A request that the Hub rejects.

    Attributes:
        response: The error response.
    """

    def __init__(self, status: int, message: str, **about: Any) -> None:  # noqa: ANN401 - as in `problem`
        """Create the response."""
        super().__init__(message)
        self.response = problem(status, message, **about)


def problem(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an error response.

    Args:
        status: The HTTP status.
        message: The error message.
        code: The value of the header `X-Error-Code`.
        headers: Additional response headers.
    """
    all_headers = {"X-Error-Message": message, **(headers or {})}
    if code is not None:
        all_headers["X-Error-Code"] = code
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


CREATED_AT = "2026-01-01T00:00:00.000Z"


def repo_info(api: Api, request: Request, *, repo: Repo, revision: str = "main") -> Response:
    """Return the metadata of a repository at a revision."""
    commit = found(repo, revision)
    info = {
        "_id": "0" * 24,
        "id": repo.id,
        "author": repo.id.partition("/")[0],
        "sha": commit.oid,
        "lastModified": CREATED_AT,
        "createdAt": CREATED_AT,
        "private": repo.private,
        "gated": "manual" if repo.gated else False,
        "disabled": False,
        "tags": [],
        "siblings": [{"rfilename": path} for path in sorted(commit.tree)],
    }
    return as_json(info if repo.sdk is None else info | {"sdk": repo.sdk})


def tree(api: Api, request: Request, *, repo: Repo, revision: str, path: str = "") -> Response:
    """Return the entries of a folder, optionally recursive."""
    entries = found(repo, revision).tree
    folder = f"{path}/" if path else ""
    is_recursive = request.args.get("recursive", "").lower() in {"true", "1"}
    shown = []
    for name in sorted({*entries, *_folders(entries)}):
        if name.startswith(folder) and (is_recursive or "/" not in name.removeprefix(folder)):
            shown.append(_entry_json(name, entries))
    if path and not shown:
        raise Refused(404, f'{path} does not exist on "{revision}"', code="EntryNotFound")
    return as_json(shown)


def refs(api: Api, request: Request, *, repo: Repo) -> Response:
    """Return branches and tags."""

    def named(prefix: str, oids: Mapping[str, str]) -> list[dict[str, str]]:
        return [{"name": ref, "ref": prefix + ref, "targetCommit": oid} for ref, oid in sorted(oids.items())]

    branches = named("refs/heads/", repo.branches)
    tags = named("refs/tags/", repo.tags)
    return as_json({"branches": branches, "tags": tags, "converts": []})


def discussions(api: Api, request: Request, *, repo: Repo) -> Response:
    """Return the pull requests, optionally of one author; all are open."""
    shown = []
    for each in repo.pull_requests.values():
        about = {"num": each.number, "title": each.title, "status": "open", "isPullRequest": True}
        about |= {
            "createdAt": CREATED_AT,
            "author": {"name": each.author},
            "repo": {"name": repo.id, "type": repo.type},
        }
        if request.args.get("author") in {None, each.author}:
            shown.append(about)
    return as_json({"discussions": shown, "count": len(shown), "start": 0})


def resolve(api: Api, request: Request, *, repo: Repo, revision: str, path: str) -> Response:
    """Return a file or a range of it; its ETag is the LFS sha256 or the git blob id."""
    commit = found(repo, revision)
    entry = commit.tree.get(path)
    if entry is None:
        raise Refused(404, "Entry not found", code="EntryNotFound", headers={"X-Repo-Commit": commit.oid})
    headers = {"X-Repo-Commit": commit.oid, "Content-Type": "application/octet-stream"}
    if entry.sha256 is not None:
        headers |= {"X-Linked-Size": str(entry.size), "X-Linked-Etag": f'"{entry.sha256}"'}
    content = wrap_file(request.environ, BytesIO(api.storage.content(entry)))
    response = Response(content, headers=headers, direct_passthrough=True)
    response.content_length = entry.size
    response.set_etag(entry.sha256 or entry.blob)
    return response.make_conditional(request, accept_ranges=True, complete_length=entry.size)


def _folders(entries: Tree) -> set[str]:
    """Return all folders that contain files."""
    parents = chain.from_iterable(PurePosixPath(path).parents for path in entries)
    return {str(folder) for folder in parents} - {"."}


def _entry_json(path: str, entries: Tree) -> dict[str, Any]:
    entry = entries.get(path)
    if entry is None:
        return {"type": "directory", "path": path, "oid": "0" * 40, "size": 0}
    large = {} if entry.sha256 is None else {"lfs": {"oid": entry.sha256, "size": entry.size, "pointerSize": 134}}
    return {"type": "file", "path": path, "oid": entry.blob, "size": entry.size, **large}


LICENSE = re.compile(r"[a-z0-9][a-z0-9.+-]*")


def whoami(api: Api, request: Request) -> Response:
    """Return the name of the user."""
    return as_json({"type": "user", "name": "writer"})


def create_repo(api: Api, request: Request) -> Response:
    """Create a repository."""
    body = request.get_json()
    kind = body.get("type", "model")
    id_ = f"{body['organization']}/{body['name']}"
    url = _page(api, kind, id_)
    if (kind, id_) in api.storage.repos:
        return as_json({"error": f"You already created this {kind} repo", "url": url}, 409)
    api.storage.create(kind, id_, private=body.get("visibility") == "private", sdk=body.get("sdk"))
    return as_json({"url": url, "name": id_, "id": "0" * 24})


def _page(api: Api, kind: str, id_: str) -> str:
    """Return the URL of a repository's page, which has no prefix for models."""
    return f"{api.url}/{'' if kind == 'model' else f'{kind}s/'}{id_}"


def validate_yaml(api: Api, request: Request) -> Response:
    """Return the errors of a card's metadata: invalid YAML or an invalid license."""
    between = re.match(r"---\n(.*?)\n---\n", request.get_json()["content"], re.DOTALL)
    try:
        metadata = yaml.safe_load(between[1]) if between else {}
    except yaml.YAMLError as error:
        return as_json({"errors": [{"message": str(error)}], "warnings": []}, 400)
    license_id = metadata.get("license", "other")
    if not LICENSE.fullmatch(str(license_id)):
        return as_json({"errors": [{"message": f'"license" must be one of … not {license_id}'}], "warnings": []}, 400)
    return as_json({"errors": [], "warnings": []})


def preupload(api: Api, request: Request, *, repo: Repo, revision: str) -> Response:
    """Return which files use LFS, and the ids of existing files."""
    entries = found(repo, revision).tree
    files = []
    for file in request.get_json()["files"]:
        path = file["path"]
        mode = "lfs" if LARGE.search(path) else "regular"
        about = {"path": path, "uploadMode": mode, "shouldIgnore": False}
        if path in entries:
            about["oid"] = entries[path].sha256 or entries[path].blob
        files.append(about)
    return as_json({"files": files})


def lfs_batch(api: Api, request: Request, *, repo: Repo) -> Response:
    """Return upload URLs for the contents that are not uploaded yet."""
    objects = request.get_json()["objects"]
    for each in objects:
        if each["oid"] not in api.storage.large:
            each["actions"] = {"upload": {"href": f"{api.url}/lfs/{each['oid']}"}}
    return as_json({"transfer": "basic", "objects": objects})


def lfs_upload(api: Api, request: Request, *, sha256: str) -> Response:
    """Store a content after checking its digest."""
    if api.storage.upload(request.get_data()) != sha256:
        raise Refused(400, "The content does not match its digest")
    return Response(status=200)


def commit(api: Api, request: Request, *, repo: Repo, revision: str) -> Response:
    """Create a commit on a branch, on an existing pull request, or on a new one."""
    first, *operations = map(json.loads, request.get_data().splitlines())
    header = first["value"]
    create_pr = request.args.get("create_pr") == "1"
    head = found(repo, revision)
    parent = header.get("parentCommit", head.oid)
    request_number = re.fullmatch(r"refs/pr/(\d+)", revision)
    if not create_pr and not request_number and revision not in repo.branches:
        raise Refused(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
    if not create_pr and parent != head.oid:
        raise Refused(412, "A commit has happened since. Please refresh and try again.")
    created = repo.add(_changed(api, found(repo, parent).tree, operations), parent=parent, title=header["summary"])
    page = _page(api, repo.type, repo.id)
    result = {"success": True, "commitOid": created.oid, "commitUrl": f"{page}/commit/{created.oid}"}
    if create_pr:
        number = len(repo.pull_requests) + 1
        repo.pull_requests[number] = PullRequest(number, header["summary"], created.oid)
        result["pullRequestUrl"] = f"{page}/discussions/{number}"
    elif request_number:
        repo.pull_requests[int(request_number[1])].oid = created.oid
    else:
        repo.branches[revision] = created.oid
    return as_json(result)


def _changed(api: Api, tree: Tree, operations: list[dict[str, Any]]) -> Tree:
    """Return the tree after the operations of a commit."""
    changed = dict(tree)
    for operation in operations:
        value = operation["value"]
        path = operation["value"]["path"]
        if operation["key"] == "file":
            changed[path] = api.storage.add_blob(base64.b64decode(value["content"]))
        elif operation["key"] == "lfsFile":
            if value["oid"] not in api.storage.large:
                raise Refused(400, f"{path} points to a file that was not uploaded")
            changed[path] = api.storage.lfs_entry(value["oid"])
        elif operation["key"] == "deletedFile" and path in changed:
            del changed[path]
        else:
            raise Refused(404, "A file with this name doesn't exist", code="EntryNotFound")
    return changed


def create_branch(api: Api, request: Request, *, repo: Repo, branch: str) -> Response:
    """Create a branch at a revision."""
    if branch in repo.branches:
        raise Refused(409, f"Reference already exists: {branch}")
    repo.branches[branch] = found(repo, request.get_json().get("startingPoint", "main")).oid
    return as_json({}, 201)


def create_tag(api: Api, request: Request, *, repo: Repo, revision: str) -> Response:
    """Tag a commit."""
    tag = request.get_json()["tag"]
    if tag in repo.tags:
        raise Refused(409, f"Tag already exists: {tag}")
    repo.tags[tag] = found(repo, revision).oid
    return as_json({}, 201)


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

ENDPOINTS = (
    ("POST", "/api/repos/create", "create_repo"),
    ("GET", "/api/whoami-v2", "whoami"),
    ("POST", "/api/validate-yaml", "validate_yaml"),
    ("GET", REPO, "repo_info"),
    ("GET", f"{REPO}/revision/<revision:revision>", "repo_info"),
    ("GET", f"{REPO}/tree/<revision:revision>", "tree"),
    ("GET", f"{REPO}/tree/<revision:revision>/<path:path>", "tree"),
    ("GET", f"{REPO}/refs", "refs"),
    ("GET", f"{REPO}/discussions", "discussions"),
    ("POST", f"{REPO}/preupload/<revision:revision>", "preupload"),
    ("POST", f"{REPO}/commit/<revision:revision>", "commit"),
    ("POST", f"{REPO}/branch/<branch>", "create_branch"),
    ("POST", f"{REPO}/tag/<revision:revision>", "create_tag"),
    ("POST", f"{FILES}.git/info/lfs/objects/batch", "lfs_batch"),
    ("PUT", "/lfs/<sha256>", "lfs_upload"),
    ("GET", f"{FILES}/resolve/<revision:revision>/<path:path>", "resolve"),
)
ROUTES = Map(
    [Rule(path, endpoint=endpoint, methods=[method]) for method, path, endpoint in ENDPOINTS],
    converters={"revision": Revision, "kind": Kind, "prefix": Prefix},
)

WRITES = {"create_repo", "preupload", "commit", "create_branch", "create_tag", "lfs_batch"}
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
                forbidden = Refused(403, "You don't have the rights to do this")
                raise forbidden if token else Refused(401, "Invalid username or password.")
            if "owner" in values:
                values = self._with_repo(values, token)
            return cast("Response", globals()[self.endpoint](self, request, **values))
        except Refused as refused:
            return refused.response
        except HTTPException:
            return problem(404, "Sorry, we can't find the page you are looking for.")

    def _token(self, request: Request) -> str | None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or None
        if token is not None and token not in self._writers | self._readers:
            raise Refused(401, "Invalid credentials in Authorization header")
        return token

    def _with_repo(self, parts: Mapping[str, Any], token: str | None) -> dict[str, Any]:
        """Replace type, owner and name with the repository, if the token has read access."""
        kind = TYPES.get(parts["kind"].rstrip("/"), "model")
        repo = self.storage.repos.get((kind, f"{parts['owner']}/{parts['name']}"))
        if repo is None or (repo.private and token is None):
            raise Refused(401 if token is None else 404, "Repository not found", code="RepoNotFound")
        if repo.gated and token not in self._writers and self.endpoint in {"resolve", "tree"}:
            message = f"Access to {repo.type} {repo.id} is restricted and you are not in the authorized list."
            raise Refused(401 if token is None else 403, message, code="GatedRepo")
        return {name: value for name, value in parts.items() if name not in ("kind", "owner", "name")} | {"repo": repo}
