"""Options, logging and error handling of the training scripts."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from merge_snli.base.errors import InputError, as_flags, log_flags
from merge_snli.embedded import FOLDER
from merge_snli.models.finding import disable_progress_bar
from training.data import default_folder

CHECKPOINTS = Path(__file__).resolve().parent / "checkpoints"


@dataclass(frozen=True)
class Options:
    """Options of a training script."""

    data: Path
    out: Path
    checkpoints: Path
    steps: int | None


def parse_options(description: str | None, arguments: list[str] | None = None) -> Options:
    """Parse the command line of a training script."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--data",
        type=Path,
        default=default_folder(),
        help="folder that contains snli/ and mnli/ (default: %(default)s)",
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="parent of the model folders (default: %(default)s)")
    parser.add_argument(
        "--checkpoints", type=Path, default=CHECKPOINTS, help="folder for checkpoints (default: %(default)s)"
    )
    parser.add_argument("--steps", type=int, help="train for fewer steps, for a trial run")
    parsed = parser.parse_args(arguments)
    return Options(data=parsed.data, out=parsed.out, checkpoints=parsed.checkpoints, steps=parsed.steps)


def run_script(main: Callable[[Options], None], description: str | None) -> None:
    """Run a training script on at most two threads; errors are handled as in `script`."""
    with script():
        torch.set_num_threads(min(torch.get_num_threads(), 2))
        main(parse_options(description))


@contextmanager
def script() -> Iterator[None]:
    """Set up logging for a script; an InputError is printed and exits with code 2, Ctrl-C exits with code 130."""
    handler = logging.StreamHandler()
    handler.addFilter(log_flags)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", handlers=[handler])
    disable_progress_bar()
    try:
        yield
    except InputError as error:
        sys.stderr.write(f"{as_flags(error)}\n")
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; run the same command again to resume\n")
        raise SystemExit(130) from None
