"""What tests need of the operating system; without it they are skipped."""

import os
import sys
from pathlib import Path

import pytest

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="as Linux does it: names of files, processes in /proc")
unix_only = pytest.mark.skipif(os.name == "nt", reason="Windows has no Unix shell and no signals between processes")
with_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
with_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is missing")
unprivileged = pytest.mark.skipif(
    getattr(os, "geteuid", int)() == 0, reason="root can write everywhere, as on Windows everyone can"
)
