"""Endpoints that change repositories: creation, uploads, commits, branches and tags."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import yaml
from werkzeug.wrappers import Response

from tests.hub.answers import Refused, as_json, found
from tests.hub.storage import LARGE, PullRequest

if TYPE_CHECKING:
    from werkzeug.wrappers import Request

    from tests.hub.api import Api
    from tests.hub.storage import Repo, Tree

__all__ = [
    "commit",
    "create_branch",
    "create_repo",
    "create_tag",
    "delete_branch",
    "lfs_batch",
    "lfs_upload",
    "preupload",
    "validate_yaml",
    "whoami",
]

LICENSE = re.compile(r"[a-z0-9][a-z0-9.+-]*")


def whoami(api: Api, request: Request) -> Response:
    """Return the name of the user."""
    return as_json({"type": "user", "name": "writer"})


def create_repo(api: Api, request: Request) -> Response:
    """Create a repository."""
    body = request.get_json()
    kind, id_ = body.get("type", "model"), f"{body['organization']}/{body['name']}"
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
    if not isinstance(license_id, str) or not LICENSE.fullmatch(license_id):
        return as_json({"errors": [{"message": f'"license" must be one of … not {license_id}'}], "warnings": []}, 400)
    return as_json({"errors": [], "warnings": []})


def preupload(api: Api, request: Request, *, repo: Repo, revision: str) -> Response:
    """Return which files use LFS, and the ids of existing files."""
    tree = found(repo, revision).tree
    files = []
    for file in request.get_json()["files"]:
        path = file["path"]
        entry = tree.get(path)
        mode = "lfs" if LARGE.search(path) else "regular"
        known = {} if entry is None else {"oid": entry.sha256 or entry.blob}
        files.append({"path": path, "uploadMode": mode, "shouldIgnore": False, **known})
    return as_json({"files": files})


def lfs_batch(api: Api, request: Request, *, repo: Repo) -> Response:
    """Return upload URLs for the contents that are not uploaded yet."""
    objects = []
    for requested in request.get_json()["objects"]:
        upload = {"href": f"{api.url}/lfs/{requested['oid']}"}
        actions = {} if requested["oid"] in api.storage.large else {"actions": {"upload": upload}}
        objects.append({**requested, **actions})
    return as_json({"transfer": "basic", "objects": objects})


def lfs_upload(api: Api, request: Request, *, sha256: str) -> Response:
    """Store a content after checking its digest."""
    content = request.get_data()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Refused(400, "The content does not match its digest")
    api.storage.large[sha256] = content
    return Response(status=200)


def commit(api: Api, request: Request, *, repo: Repo, revision: str) -> Response:
    """Create a commit on a branch, on an existing pull request, or on a new one."""
    lines = [json.loads(line) for line in request.get_data().splitlines()]
    header = lines[0]["value"]
    create_pr = request.args.get("create_pr") == "1"
    head = found(repo, revision)
    parent = header.get("parentCommit", head.oid)
    request_number = re.fullmatch(r"refs/pr/(\d+)", revision)
    if not create_pr and not request_number and revision not in repo.branches:
        raise Refused(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
    if not create_pr and parent != head.oid:
        raise Refused(412, "A commit has happened since. Please refresh and try again.")
    tree = _changed(api, found(repo, parent).tree, lines[1:])
    created = repo.add(tree, parent=parent, title=header["summary"])
    result: dict[str, Any] = {"success": True, "commitOid": created.oid}
    result["commitUrl"] = f"{_page(api, repo.type, repo.id)}/commit/{created.oid}"
    if create_pr:
        number = len(repo.pull_requests) + 1
        repo.pull_requests[number] = PullRequest(number, header["summary"], created.oid)
        result["pullRequestUrl"] = f"{_page(api, repo.type, repo.id)}/discussions/{number}"
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
        path = value["path"]
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


def delete_branch(api: Api, request: Request, *, repo: Repo, branch: str) -> Response:
    """Delete a branch."""
    if repo.branches.pop(branch, None) is None:
        raise Refused(404, f"Invalid rev id: {branch}", code="RevisionNotFound")
    return as_json({})


def create_tag(api: Api, request: Request, *, repo: Repo, revision: str) -> Response:
    """Tag a commit."""
    tag = request.get_json()["tag"]
    if tag in repo.tags:
        raise Refused(409, f"Tag already exists: {tag}")
    repo.tags[tag] = found(repo, revision).oid
    return as_json({}, 201)
