"""Lines of text files, also with gzip, and files that are not what their names say."""

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, cast

from merge_snli.base.errors import InputError, explained
from merge_snli.base.limits import check_gzip

GZIP = ".gz"

# How a file begins that stands for one in Git LFS.
LFS_POINTER = b"version https://git-lfs"

# What a file is that begins with these bytes, and what to do if it has the ending of a text file.
FIRST_BYTES = {
    b"\x1f\x8b": "a gzip file: add .gz to its name",
    b"BZh": "a bzip2 file: decompress it first",
    b"\xfd7zXZ\x00": "an xz file: decompress it first",
    b"\x28\xb5\x2f\xfd": "a Zstandard file: decompress it first",
    b"PK\x03\x04": "a zip file or a spreadsheet: unpack it, or save the table as .csv",
    b"PAR1": "a Parquet file: rename it to .parquet",
    b"\xff\xfe": "a text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "a text in UTF-16: save it as UTF-8",
}

# Lines that end as on old Macs, with their ends.
CARRIAGE_RETURNS = re.compile(rb"[^\r]*\r|[^\r]+")


def require_text(path: Path) -> None:
    """Check that a file is not too large after decompression, and not compressed otherwise or of another type."""
    if path.suffix == GZIP:
        with _gzip_errors(path):
            check_gzip(path)
    beginning = first_bytes(path)
    for start, problem in FIRST_BYTES.items():
        if beginning.startswith(start):
            raise InputError(f"{path} is {problem}")


def first_bytes(path: Path) -> bytes:
    """Return the beginning of a file, decompressed; refuse a pointer to a file in Git LFS."""
    with _open(path) as file, _gzip_errors(path):
        beginning = file.read(len(LFS_POINTER))
    if beginning == LFS_POINTER:
        raise InputError(f"{path} is a pointer of Git LFS and not the file itself: get it with git lfs pull")
    return beginning


def numbered_lines(path: Path, *, lenient: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file, with their numbers from 1.

    Args:
        path: The file.
        lenient: Keep bytes that are not UTF-8 as lone surrogates, for columns that nobody asks for.
    """
    with _open(path) as file, _gzip_errors(path):
        for number, line in enumerate(_lines(file), start=1):
            encoding = "utf-8-sig" if number == 1 else "utf-8"
            try:
                yield number, line.decode(encoding, "surrogateescape" if lenient else "strict")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path} line {number}: byte {error.start + 1} (0x{line[error.start]:02x}) is not valid UTF-8; "
                    "save the file as UTF-8"
                ) from error


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines; those of a file without a line feed end with carriage returns."""
    first = file.readline()
    yield from [first] if first.endswith(b"\n") else CARRIAGE_RETURNS.findall(first)
    yield from file


def _open(path: Path) -> BinaryIO:
    with explained(OSError, f"{path} cannot be read: ⟦reason⟧"):
        return cast("BinaryIO", gzip.open(path)) if path.suffix == GZIP else path.open("rb")


def _gzip_errors(path: Path) -> AbstractContextManager[None]:
    return explained(
        (gzip.BadGzipFile, EOFError, zlib.error),
        f"{path} is not a complete gzip file (⟦reason⟧): download or compress it again",
    )
