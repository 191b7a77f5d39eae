"""In-memory storage of the fake Hub: repositories with commits, trees and refs, and contents by digest."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGE = re.compile(r"\.(parquet|safetensors|arrow|bin|zip)$")
"""Files that are stored with LFS, by extension."""

ATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n*.safetensors filter=lfs diff=lfs merge=lfs -text\n"


@dataclass(frozen=True)
class Entry:
    """A file in a tree: its git blob id, and its sha256 if it is stored with LFS."""

    size: int
    blob: str
    sha256: str | None = None


Tree = dict[str, Entry]


@dataclass(frozen=True)
class Commit:
    """A commit."""

    oid: str
    parent: str | None
    tree: Tree
    title: str


@dataclass
class PullRequest:
    """A pull request with its latest commit."""

    number: int
    title: str
    oid: str
    author: str = "writer"


def blob_id(content: bytes) -> str:
    """Return the git blob id of a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Repo:
    """A repository: a model, a data set or a Space."""

    type: str
    id: str
    private: bool = False
    gated: bool = False
    sdk: str | None = None
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pull_requests: dict[int, PullRequest] = field(default_factory=dict)

    def find(self, revision: str) -> Commit | None:
        """Return the commit of a branch, tag, pull request or commit id."""
        pull_request = re.fullmatch(r"refs/pr/(\d+)", revision)
        if pull_request:
            request = self.pull_requests.get(int(pull_request[1]))
            return None if request is None else self.commits[request.oid]
        return self.commits.get(self.branches.get(revision) or self.tags.get(revision) or revision)

    def add(self, tree: Mapping[str, Entry], *, parent: str | None, title: str) -> Commit:
        """Add a commit without a ref."""
        content = [len(self.commits), parent, title, sorted((path, entry.blob) for path, entry in tree.items())]
        commit = Commit(hashlib.sha1(json.dumps(content).encode()).hexdigest(), parent, dict(tree), title)
        self.commits[commit.oid] = commit
        return commit

    def titles(self, branch: str = "main") -> list[str]:
        """Return the commit titles of a branch, newest first."""
        titles = []
        oid = self.branches.get(branch)
        while oid is not None:
            titles.append(self.commits[oid].title)
            oid = self.commits[oid].parent
        return titles


@dataclass
class Storage:
    """All repositories and contents, in memory."""

    repos: dict[tuple[str, str], Repo] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)

    def create(self, type_: str, id_: str, *, private: bool = False, sdk: str | None = None) -> Repo:
        """Create a repository with an initial commit."""
        repo = Repo(type_, id_, private, sdk=sdk)
        commit = repo.add({".gitattributes": self.add_blob(ATTRIBUTES)}, parent=None, title="initial commit")
        repo.branches["main"] = commit.oid
        self.repos[type_, id_] = repo
        return repo

    def add_blob(self, content: bytes) -> Entry:
        """Store a content as a git blob."""
        blob = blob_id(content)
        self.blobs[blob] = content
        return Entry(len(content), blob)

    def lfs_entry(self, sha256: str) -> Entry:
        """Return the tree entry of an uploaded LFS content; git stores a pointer to it.

        Raises:
            KeyError: If the content was not uploaded.
        """
        size = len(self.large[sha256])
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()
        return Entry(size, self.add_blob(pointer).blob, sha256)

    def upload(self, content: bytes) -> str:
        """Store a content in LFS and return its sha256."""
        sha256 = hashlib.sha256(content).hexdigest()
        self.large[sha256] = content
        return sha256

    def content(self, entry: Entry) -> bytes:
        """Return the content of a file."""
        return self.blobs[entry.blob] if entry.sha256 is None else self.large[entry.sha256]

    def put(self, repo: Repo, files: Mapping[str, bytes], *, branch: str = "main", title: str = "files") -> Commit:
        """Commit files to a branch; other files are unchanged."""
        head = repo.commits[repo.branches[branch]]
        entries = {
            path: self.lfs_entry(self.upload(content)) if LARGE.search(path) else self.add_blob(content)
            for path, content in files.items()
        }
        commit = repo.add({**head.tree, **entries}, parent=head.oid, title=title)
        repo.branches[branch] = commit.oid
        return commit

    def files(self, repo: Repo, revision: str = "main") -> dict[str, bytes]:
        """Return the files of a revision by path."""
        commit = repo.find(revision)
        assert commit is not None, revision
        return {path: self.content(entry) for path, entry in commit.tree.items()}
