"""Arguments of the commands that read result files: results folders, data sets and thresholds."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_results(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add the results folders."""
    parser.add_argument(
        "results", nargs=nargs, metavar="DIR", type=Path, help="results folders of merge-snli score, one or several"
    )


def add_datasets(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--dataset`, which takes several values and may be repeated."""
    parser.add_argument("--dataset", nargs="+", action="extend", default=[], metavar="DIR|ID", help=purpose)


def add_thresholds(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--threshold`, whose value is a list such as `0.8,0.9`."""
    parser.add_argument("--threshold", type=_thresholds, default=(), metavar="T,T", help=purpose)


def _thresholds(text: str) -> tuple[float, ...]:
    """Parse `0.8,0.9`."""
    from metrics.pattern_accuracy.core import CURVE

    thresholds = []
    for part in text.split(","):
        try:
            threshold = float(part)
        except ValueError:
            threshold = float("nan")
        if threshold not in CURVE:
            raise argparse.ArgumentTypeError(f"{part!r} is not a threshold from 0 to 1 in steps of 0.01, such as 0.85")
        thresholds.append(threshold)
    return tuple(dict.fromkeys(thresholds))
