"""What Windows refuses and Linux allows, imitated on Linux."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.popen_fork import Popen
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path
from typing import Any

import pytest

UNIX_ONLY = ("fcntl", "grp", "pwd", "resource", "termios")
FORBIDDEN = set('<>:"|?*\\')


def refuse_as_windows(patch: pytest.MonkeyPatch) -> None:
    """Refuse to delete, rename or replace files that this process has open, and to replace folders; have no signals."""

    def checked(name: str) -> Callable[..., None]:
        function = getattr(os, name)

        def refuse(path: Any, *more: Any, **options: Any) -> None:  # noqa: ANN401 - arguments of `os`
            paths = [Path(each).resolve() for each in (path, *more)]
            held = [file for file in open_files() if any(map(file.is_relative_to, paths))]
            if held or (name == "replace" and Path(more[0]).is_dir()) or (name == "rename" and Path(more[0]).exists()):
                raise PermissionError(13, "Access is denied", str(path), 5, str(more[0]) if more else None)
            function(path, *more, **options)

        return refuse

    def kill(pid: int, number: int) -> None:
        raise AssertionError(f"signal {number} would end process {pid}")

    ensure_running()  # of `multiprocessing` on other systems, which needs a signal mask when it starts
    end = os.kill  # what Windows calls TerminateProcess
    patch.setattr(Popen, "_send_signal", lambda process, number: process.returncode or end(process.pid, number))
    for module, name in ((signal, "pthread_sigmask"), (signal, "SIGKILL"), (os, "sched_getaffinity")):
        patch.delattr(module, name)
    for name in ("unlink", "remove", "rmdir", "rename", "replace"):
        patch.setattr(os, name, checked(name))
    patch.setattr(os, "kill", kill)
    patch.setattr(shutil, "_use_fd_functions", False)
    patch.setattr("shutil._rmtree_impl", vars(shutil)["_rmtree_unsafe"], raising=False)  # chosen at import since 3.14
    for part in ("merge_snli.base.files", "merge_snli.base.workers", "merge_snli.runs.run_folder", "merge_snli.cli"):
        patch.setattr(f"{part}.ON_WINDOWS", True)


def open_files() -> Iterator[Path]:
    """Yield the files that this process has open or mapped into memory; shared memory is no file on Windows."""
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            if not (path := descriptor.readlink()).is_relative_to("/dev/shm"):
                yield path
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        if len(fields := line.split(maxsplit=5)) == 6 and not fields[5].startswith("/dev/shm"):
            yield Path(fields[5])


def refused_names(folder: Path) -> list[str]:
    """Return the names in a folder that Windows refuses, or that differ from another one in case only."""
    names = [path.relative_to(folder) for path in folder.rglob("*")]
    ending = [str(name) for name in names if FORBIDDEN & set(name.name) or name.name[-1] in ". "]
    return ending + [str(name) for name in names if sum(str(name).lower() == str(each).lower() for each in names) > 1]
