"""The folder of an output: checked before the work, filled beside it, and put in place as a whole."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.base.files import disk_errors_as_input_errors
from merge_snli.dataset.stored import BUNDLED, CARD_FILE, FOLDER, RUN_FILE, find_dataset


def check_out(out: str | Path, kind: str = "", content: Iterable[str] | None = None) -> Path:
    """Check that a command may write to a folder, before it does its work; expand `~` and links in the path.

    Args:
        out: The folder.
        kind: What the command writes, such as `a report`; empty if only an empty folder will do.
        content: The names of what may already be in the folder; None for anything but a data set.

    Returns:
        The folder.
    """
    out = _writable(Path(out))
    for folder in (out, *out.absolute().parents):  # the files of a data set are those of its record
        if (folder / RUN_FILE).is_file() and (folder / CARD_FILE).is_file():
            raise InputError(f"⟦out⟧ {out}: {folder} is a data set; choose a folder outside of it")
    if content is not None:
        _refuse_others(out, kind, content)
    return out


def check_dataset_out(out: str | Path) -> Path:
    """Check that a data set can be written to a folder: a new or empty one, or that of a data set to replace.

    Args:
        out: The folder.

    Returns:
        The folder, with `~` and links in its path expanded.
    """
    out = _writable(Path(out))
    if FOLDER.resolve() in (out.resolve(), *out.resolve().parents):
        raise InputError(
            f"⟦out⟧ {out} is the folder of the package, which has the bundled data set ({BUNDLED}): pass another folder"
        )
    if (out / RUN_FILE).is_file():
        find_dataset(str(out))
    else:
        _refuse_others(out, "a data set", ())
    return out


def _writable(out: Path) -> Path:
    out = out.expanduser()
    if not out.name or out.is_symlink():
        out = Path(os.path.realpath(out))  # unlike `resolve`, the same for a loop in every Python
    existing = next(path for path in (out, *out.absolute().parents) if path.exists())
    where = f"⟦out⟧ {out}"
    if out.is_symlink():
        raise InputError(f"{where} is a link to itself; choose another folder")
    if not existing.is_dir():
        raise InputError(f"{where}: {existing} is a file; pass a folder")
    if not os.access(existing, os.W_OK):
        raise InputError(f"{where}: {existing} is not writable; choose another folder")
    return out


def _refuse_others(out: Path, kind: str, content: Iterable[str]) -> None:
    """Refuse a folder that has other files or folders than those with some names."""
    others = {path.name for path in out.iterdir()}.difference(content) if out.is_dir() else ()
    if others:
        instead = f" and not {kind}" if kind else ""
        raise InputError(f"⟦out⟧ {out} is not empty{instead} (it has {min(others)}): pass a new or empty folder")


@contextmanager
def new_content(out: Path, names: Sequence[str] = ()) -> Iterator[Path]:
    """Give an empty folder to write to, beside `out`, and move what was written to `out` if no error occurred.

    Args:
        out: The folder; missing parents are created.
        names: What to replace in it, as for `replace_folder`; may be empty if `out` is new or empty.

    Raises:
        InputError: If the disk is full or a folder cannot be written; `out` is unchanged then.
    """
    with disk_errors_as_input_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as temporary:
            staged = Path(temporary) / "staged"
            staged.mkdir()
            yield staged
            replace_folder(staged, out, names)


def replace_folder(staged: Path, out: Path, names: Sequence[str]) -> None:
    """Move the staged files to `out`; on an error, restore `out`.

    Args:
        staged: The new content. The folder around it gets the old content while that is replaced.
        out: The folder. Content that is not named stays; a new or empty folder gets all that is staged.
        names: The files and folders to replace, with paths relative to the folder. The last one is a file. It is
            replaced last and in one step, so that a record never stands beside files that are newer than it.
    """
    if not out.exists() or not any(out.iterdir()):
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.exists():
            out.rmdir()  # Windows replaces no folder
        staged.replace(out)
        return
    backup = staged.with_name("replaced")
    shutil.rmtree(backup, ignore_errors=True)
    backup.mkdir()
    *others, last = names
    moved: list[tuple[Path, Path]] = []
    try:
        for name in others:
            for source, target in ((out / name, backup / name), (staged / name, out / name)):
                if source.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    source.rename(target)
                    moved.append((source, target))
        (staged / last).replace(out / last)
    except BaseException:
        for source, target in reversed(moved):
            target.rename(source)
        raise
    shutil.rmtree(backup)
    shutil.rmtree(staged)
