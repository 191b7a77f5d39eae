"""Endpoints that read repositories: info, trees, refs, discussions and files."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Response
from werkzeug.wsgi import wrap_file

from tests.hub.answers import Refused, as_json, found

if TYPE_CHECKING:
    from werkzeug.wrappers import Request

    from tests.hub.api import Api
    from tests.hub.storage import Entry, Repo, Tree

__all__ = ["discussions", "refs", "repo_info", "resolve", "tree"]

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
    inside = {name: entry for name, entry in entries.items() if name.startswith(folder)}
    if path and not inside:
        raise Refused(404, f'{path} does not exist on "{revision}"', code="EntryNotFound")
    below = [_entry_json(name, entries) for name in sorted(_folders(inside) | set(inside)) if name != path]
    if request.args.get("recursive", "").lower() not in {"true", "1"}:
        below = [each for each in below if "/" not in each["path"].removeprefix(folder)]
    return as_json([each for each in below if each["path"].startswith(folder)])


def refs(api: Api, request: Request, *, repo: Repo) -> Response:
    """Return branches and tags, and pull requests if requested."""
    pull_requests = {f"refs/pr/{number}": pull.oid for number, pull in repo.pull_requests.items()}
    named = {"branches": ("refs/heads/", repo.branches), "tags": ("refs/tags/", repo.tags), "converts": ("", {})}
    if request.args.get("include_prs"):
        named["pullRequests"] = ("", pull_requests)
    return as_json(
        {
            name: [{"name": ref, "ref": prefix + ref, "targetCommit": oid} for ref, oid in sorted(those.items())]
            for name, (prefix, those) in named.items()
        }
    )


def discussions(api: Api, request: Request, *, repo: Repo) -> Response:
    """Return the pull requests, optionally of one author; all are open."""
    shown = [
        {
            "num": each.number,
            "title": each.title,
            "status": "open",
            "isPullRequest": True,
            "createdAt": CREATED_AT,
            "author": {"name": each.author},
            "repo": {"name": repo.id, "type": repo.type},
        }
        for each in repo.pull_requests.values()
        if request.args.get("author") in {None, each.author}
    ]
    return as_json({"discussions": shown, "count": len(shown), "start": 0})


def resolve(api: Api, request: Request, *, repo: Repo, revision: str, path: str) -> Response:
    """Return a file or a range of it; its ETag is the LFS sha256 or the git blob id."""
    commit = found(repo, revision)
    entry = commit.tree.get(path)
    if entry is None:
        refused = Refused(404, "Entry not found", code="EntryNotFound")
        refused.headers["X-Repo-Commit"] = commit.oid
        raise refused
    response = Response(wrap_file(request.environ, BytesIO(api.storage.content(entry))), direct_passthrough=True)
    response.content_length = entry.size
    response.headers["X-Repo-Commit"] = commit.oid
    if entry.sha256 is not None:
        response.headers["X-Linked-Size"] = str(entry.size)
        response.headers["X-Linked-Etag"] = f'"{entry.sha256}"'
    response.set_etag(entry.sha256 or entry.blob)
    response.headers["Content-Type"] = "application/octet-stream"
    return response.make_conditional(request, accept_ranges=True, complete_length=entry.size)


def _folders(entries: Tree) -> set[str]:
    """Return all folders that contain files."""
    return {path[:index] for path in entries for index, letter in enumerate(path) if letter == "/"}


def _entry_json(path: str, entries: Tree) -> dict[str, Any]:
    entry = entries.get(path)
    return {"type": "directory", "path": path, "oid": "0" * 40, "size": 0} if entry is None else _file(path, entry)


def _file(path: str, entry: Entry) -> dict[str, Any]:
    large = {} if entry.sha256 is None else {"lfs": {"oid": entry.sha256, "size": entry.size, "pointerSize": 134}}
    return {"type": "file", "path": path, "oid": entry.blob, "size": entry.size, **large}
