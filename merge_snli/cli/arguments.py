"""Arguments that several commands share, and the output of a command in the form that `--format` names."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import POSITIONAL, flag
from merge_snli.base.option import described, option_types
from merge_snli.base.table import Table, capitalized
from merge_snli.problems.options import PROBLEMS_GROUP, ProblemOptions

if TYPE_CHECKING:
    from merge_snli.runs.submit import Cluster

# How `--help` names a data set, which is a folder or a Hub id, and a folder of results.
DATASET, RESULTS = "DATA", "RESULTS"

# The fields of `ProblemOptions` that `add_source_arguments` adds.
SOURCE_OPTIONS = ("split", "delimiter", "premise_column", "hypothesis_column", "label_column", "data_labels")

TEXT, JSON, CSV, MARKDOWN, LATEX = "text", "json", "csv", "md", "latex"

# The forms of output of a command that prints tables.
TABLE_FORMATS = (TEXT, JSON, CSV, MARKDOWN, LATEX)

# The forms of output of a command that prints other text.
TEXT_FORMATS = (TEXT, JSON)


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
    parser: argparse.ArgumentParser,
    steps: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], Any]]],
) -> None:
    """Add the commands of a command, each with its summary, what adds its arguments, and what `run_step` is then."""
    subparsers = parser.add_subparsers(dest="step", required=True, metavar="|".join(steps))
    for name, (summary, add_arguments, run) in steps.items():
        step = subparsers.add_parser(
            name,
            help=summary,
            description=f"{capitalized(summary)}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_arguments(step)
        step.set_defaults(run_step=run)


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


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`."""
    parser.add_argument(
        "--cluster", metavar="FILE", type=Path, help="run on a Slurm or Ray cluster, as a TOML file describes"
    )


def read_cluster(arguments: argparse.Namespace) -> Cluster | None:
    """Return the executor that `--cluster` describes, or None.

    Raises:
        InputError: As `merge_snli.runs.options.read_cluster_file`.
    """
    if arguments.cluster is None:
        return None
    from merge_snli.runs.options import read_cluster_file

    options = read_cluster_file(arguments.cluster)
    from merge_snli.runs.submit import Cluster  # needs datatrove, which the line above has looked for

    return Cluster(options)


def add_min_agreement(parser: argparse.ArgumentParser, needs: str = "") -> None:
    """Add `--min-agreement`, such as `4/5` or `0.8`."""
    parser.add_argument(
        "--min-agreement",
        type=partial(number, is_valid=lambda value: 0 <= value <= 1, expected="a share of annotators, such as 4/5"),
        metavar="K/N",
        help=f"leave out seeds to which fewer annotators gave the gold label, such as 4/5{needs}",
    )


def add_thresholds(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--threshold`, which takes a list such as `0.8 0.9`."""
    add_list(parser.add_argument, "--threshold", item=_threshold, default=(), metavar="T", help=purpose)


def _threshold(text: str) -> float:
    """Parse a threshold of the curve."""
    from metrics.pattern_accuracy.core import CURVE

    return number(text, lambda value: value in CURVE, "a threshold from 0 to 1 in steps of 0.01, such as 0.85")


def number(text: str, is_valid: Callable[[float], bool], expected: str) -> float:
    """Parse the value of an option.

    Args:
        text: The value, a decimal or a fraction.
        is_valid: Returns whether a number may be the value. For NaN, which text that is no number counts as, it must
            return false.
        expected: What the value must be, for the message.

    Raises:
        ArgumentTypeError: If the value is not valid.
    """
    try:
        numerator, *denominator = map(float, text.split("/", 1))
        value = numerator / denominator[0] if denominator else numerator
    except (ValueError, ArithmeticError):
        value = math.nan
    if not (math.isfinite(value) and is_valid(value)):
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return value


def given(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return the fields of an options class that were given on the command line."""
    values = vars(arguments)
    return {field.name: values[field.name] for field in fields(options) if field.name in values}


def add_option_arguments(
    parser: argparse.ArgumentParser,
    options: type,
    groups: Collection[str],
) -> None:
    """Add an argument for each option of some groups, under the headings of the groups.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, so that the defaults of the
            options class apply.
        options: The options class.
        groups: The groups in order.
    """
    for title in groups:
        group = parser.add_argument_group(title, argument_default=argparse.SUPPRESS)
        _add_options(group, options, [name for name, option in described(options) if option.group == title])


def add_problem_arguments(parser: argparse.ArgumentParser, purpose: str, metavar: str) -> None:
    """Add the arguments for the fields of `ProblemOptions`, of which the problems are positional and required.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        purpose: What the problems are.
        metavar: How the help names them.
    """
    group = parser.add_argument_group(PROBLEMS_GROUP, argument_default=argparse.SUPPRESS)
    add_list(group.add_argument, "problems", metavar=metavar, help=purpose)
    others = [name for name, option in described(ProblemOptions) if option.group == PROBLEMS_GROUP][1:]
    _add_options(group, ProblemOptions, others)


def add_source_arguments(parser: argparse.ArgumentParser, options: type) -> None:
    """Add `--source`, a field of an options class, and the arguments `SOURCE_OPTIONS`, which say how to read it.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        options: The options class.
    """
    source = dict(described(options))["source"]
    group = parser.add_argument_group(source.group, argument_default=argparse.SUPPRESS)
    _add_options(group, options, ("source",))
    _add_options(group, ProblemOptions, SOURCE_OPTIONS)


def _add_options(group: argparse._ArgumentGroup, options: type, names: Collection[str]) -> None:
    """Add the arguments for some fields of an options class."""
    add, types = group.add_argument, option_types(options)
    for name, option in described(options):
        if name not in names:
            continue
        text = option.help.replace("%", "%%")
        if option.default_text is not None:
            text += f" (default: {option.default_text})"
        if name in POSITIONAL:
            add_list(add, name, nargs="*", metavar=POSITIONAL[name], help=text)
        elif types[name] is bool:
            add(flag(name), action="store_true", help=text)
        elif types[name] is tuple:
            add_list(add, flag(name), metavar=option.metavar, help=text)
        else:
            kind = _decimal if types[name] is float else types[name]
            add(flag(name), type=kind, choices=option.choices or None, metavar=option.metavar, help=text)


def _decimal(text: str) -> float:
    return number(text, lambda _: True, "a number")


def write_output(form: str, *, text: Callable[[], str], document: Callable[[], dict[str, Any]]) -> None:
    """Write text, or JSON values as one document.

    Args:
        form: One of `TEXT_FORMATS`.
        text: Returns the text.
        document: Returns the JSON values.
    """
    if form == JSON:
        sys.stdout.write(json.dumps(document(), indent=2, allow_nan=False) + "\n")
    else:
        sys.stdout.write(text())


def write_tables(form: str, tables: Iterable[Table], *, document: Callable[[], dict[str, Any]]) -> None:
    """Write tables, with an empty line between two.

    Args:
        form: One of `TABLE_FORMATS`.
        tables: The tables.
        document: Returns the JSON values, which may hold more than the tables.
    """
    write_output(form, text=lambda: "\n".join(_rendered(table, form) for table in tables), document=document)


def _rendered(table: Table, form: str) -> str:
    """Return a table in a form other than JSON."""
    return {TEXT: table.text, CSV: table.csv, MARKDOWN: table.markdown, LATEX: table.latex}[form]()
