"""Run the command line in another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WITHOUT_SPACY = """
import sys
sys.modules["spacy"] = None
from merge_snli.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run_without_spacy(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as if spaCy was not installed."""
    command = [sys.executable, "-c", WITHOUT_SPACY, *arguments]
    return subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
