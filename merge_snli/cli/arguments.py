"""Arguments that several commands share: lists, the form of output, results folders, data sets and thresholds."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

DATASET, RESULTS = "DATA", "RESULTS"
"""How `--help` names a data set, which is a folder or a Hub id, and a folder of results."""


def split_list(text: str) -> tuple[str, ...]:
    """Split a value at commas; the path of an existing file or folder stays whole."""
    if "," in text and Path(text).exists():
        return (text,)
    return tuple(part.strip() for part in text.split(",") if part.strip())


def add_list(add: Callable[..., object], *names: str, item: Callable[[str], Any] = str, **options: Any) -> None:  # noqa: ANN401
    """Add an argument that takes a list, with spaces or commas between its values; an option may be repeated.

    Args:
        add: The method `add_argument` of a parser or group.
        names: The flag or the name of the argument.
        item: Converts one value, or raises `argparse.ArgumentTypeError`.
        options: Other arguments of `add_argument`; `nargs` is `+` by default.
    """

    def values(text: str) -> tuple[Any, ...]:
        return tuple(map(item, split_list(text)))

    add(*names, **{"nargs": "+", "action": _ExtendList, "type": values, **options})


class _ExtendList(argparse.Action):
    """Append values to those of the same option before it; they replace the default."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        given = getattr(namespace, self.dest, self.default)
        before = () if given is self.default else given
        added = (value for each in values or () for value in (each if isinstance(each, tuple) else (each,)))
        setattr(namespace, self.dest, (*before, *added))


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Add `--format`, the form of the output on stdout.

    Args:
        parser: The parser.
        formats: The forms of this command; the first is the default.
    """
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help="form of the output (default: %(default)s)"
    )


def add_steps(
    parser: argparse.ArgumentParser, steps: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]
) -> None:
    """Add the commands of a command, each with its summary and what adds its arguments."""
    subparsers = parser.add_subparsers(dest="step", required=True, metavar="step")
    for name, (summary, add_arguments) in steps.items():
        step = subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_arguments(step)


def add_results(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add the results folders."""
    add_list(
        parser.add_argument,
        "results",
        nargs=nargs,
        default=(),
        item=Path,
        metavar=RESULTS,
        help="results folders of merge-snli score",
    )


def add_datasets(parser: argparse.ArgumentParser, purpose: str, *, required: bool = False) -> None:
    """Add `--dataset`, which takes a list."""
    add_list(parser.add_argument, "--dataset", default=(), required=required, metavar=DATASET, help=purpose)


def add_thresholds(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--threshold`, which takes a list such as `0.8 0.9`."""
    add_list(parser.add_argument, "--threshold", item=_threshold, default=(), metavar="T", help=purpose)


def _threshold(text: str) -> float:
    """Parse a threshold of the curve.

    Raises:
        ArgumentTypeError: If it is not one.
    """
    from metrics.pattern_accuracy.core import CURVE

    try:
        threshold = float(text)
    except ValueError:
        threshold = float("nan")
    if threshold not in CURVE:
        raise argparse.ArgumentTypeError(f"{text!r} is not a threshold from 0 to 1 in steps of 0.01, such as 0.85")
    return threshold
