"""The answers in a file, which are read when they are needed and not kept: those of many models take much memory."""

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pyarrow as pa

from merge_snli.answers.answers import Answers, Counted
from merge_snli.answers.table import COUNTED_COLUMNS, from_bytes, from_table
from merge_snli.base.errors import REASON, InputError, explained


@dataclass(frozen=True, kw_only=True)
class StoredAnswers:
    """The answers of a model in a file that was checked.

    Attributes:
        path: The file.
        digest: Its sha256.
        labels: The compared labels.
        subsamples: Number of subsamples; None if the data has none.
        drawn_only: Whether the rows that no subsample has were not predicted.
        subsample: The number of the only subsample, of answers to the rows of one.
    """

    path: Path
    digest: str
    labels: tuple[str, ...]
    subsamples: int | None
    drawn_only: bool
    subsample: int | None = None

    def read(self) -> Answers:
        """Read all answers.

        Raises:
            InputError: If the file cannot be read, or is not the one with the digest.
        """
        return self.answers_in(from_bytes(self.content()))

    def counted(self) -> Counted:
        """Read the answers, and keep what is counted by group.

        Raises:
            InputError: As for `read`.
        """
        return self.answers_in(from_bytes(self.content(), COUNTED_COLUMNS)).counted()

    def answers_in(self, table: pa.Table) -> Answers:
        """Return the answers in the table that the file has, or in some of its columns."""
        return replace(from_table(table, self.labels, self.subsamples, self.subsample), drawn_only=self.drawn_only)

    def content(self) -> bytes:
        """Return the content of the file.

        Raises:
            InputError: As for `read`.
        """
        with explained(OSError, f"cannot read {self.path}: {REASON}"):
            content = self.path.read_bytes()
        if sha256(content).hexdigest() != self.digest:
            raise InputError(
                f"{self.path} is not the file of the answers of its result: copy both files, or score the model again"
            )
        return content
