"""What every training script shares: its options, its logs, its way to say what can be mended."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from merge_snli.embedded import FOLDER
from merge_snli.errors import InputError
from merge_snli.inference.models import quiet_loading
from training.data import default_folder

CHECKPOINTS = Path(__file__).resolve().parent / "checkpoints"


@dataclass(frozen=True)
class Options:
    """Where the data is, where the model goes, how far to train."""

    data: Path
    out: Path
    checkpoints: Path
    steps: int | None


def parse_options(description: str | None, arguments: list[str] | None = None) -> Options:
    """Read the options that every training script has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=default_folder(), help="folder of snli/ and mnli/ (%(default)s)")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the model folders (%(default)s)")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="folder of checkpoints (%(default)s)")
    parser.add_argument("--steps", type=int, help="train for fewer steps than the recipe says, to try things out")
    given = parser.parse_args(arguments)
    return Options(data=given.data, out=given.out, checkpoints=given.checkpoints, steps=given.steps)


def run_script(main: Callable[[Options], None], description: str | None) -> None:
    """Run a training script; what its user can mend is one sentence and exit code 2."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    quiet_loading()
    torch.set_num_threads(min(torch.get_num_threads(), 2))
    options = parse_options(description)
    try:
        main(options)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None
