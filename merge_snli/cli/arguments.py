"""Arguments that several commands share, and the output of a command in the form that `--format` names."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from merge_snli.base.errors import POSITIONAL, InputError, flag, param
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
    return tuple(item.strip() for item in text.split(",") if item.strip())


# An argument of a command: its flag or name, and how `add_argument` adds it.
Argument: TypeAlias = tuple[str, dict[str, Any]]


def argument(name: str, **how: Any) -> Argument:  # noqa: ANN401 - as `add_argument` takes it
    """Return an argument; see `add_all`."""
    return name, how


# For commands that tag texts of a data set again.
TAGGER_OF_RUN = argument("--tagger", metavar="DIR", help="spaCy pipeline of the run, if it was a folder")


def list_argument(name: str, item: Callable[[str], Any] = str, **how: Any) -> Argument:  # noqa: ANN401 - as above
    """Return an argument that takes a list, with spaces or commas between its values; an option may be repeated.

    Args:
        name: The flag or the name of the argument.
        item: Converts one value, or raises `argparse.ArgumentTypeError`.
        how: Other arguments of `add_argument`; `nargs` is `+` by default.
    """

    def values(text: str) -> tuple[Any, ...]:
        return tuple(map(item, split_list(text)))

    return name, {"nargs": "+", "action": _ExtendList, "type": values, **how}


def add_all(parser: argparse._ActionsContainer, *arguments: Argument) -> None:
    """Add arguments to a parser or to one of its groups."""
    for name, how in arguments:
        parser.add_argument(name, **how)


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
        added = (item for value in values or () for item in (value if isinstance(value, tuple) else (value,)))
        setattr(namespace, self.dest, (*before, *added))


def format_argument(*formats: str) -> Argument:
    """Return `--format`, the form of the output on stdout; the first of the forms is the default."""
    return argument("--format", choices=formats, default=formats[0], help="form of the output (default: %(default)s)")


def results_argument(nargs: str = "+") -> Argument:
    """Return the results folders."""
    about = "results folders of merge-snli score"
    return list_argument("results", Path, nargs=nargs, default=(), metavar=RESULTS, help=about)


SKIP_INVALID = argument(
    "--skip-invalid",
    action="store_true",
    help="leave out results that are damaged, edited, or of another version, with a warning",
)


def datasets_argument(purpose: str, *, required: bool = False) -> Argument:
    """Return `--dataset`, which takes a list."""
    return list_argument("--dataset", default=(), required=required, metavar=DATASET, help=purpose)


# The options of an estimate of tokens and cost.
ASSUMED = ("tokenizer", "reasoning_tokens", "input_price", "output_price")


def assumptions(reasoning: str) -> tuple[Argument, ...]:
    """Return the options of an estimate of tokens and cost.

    Args:
        reasoning: The default of the tokens of reasoning per call, in words.
    """
    return (
        argument("--tokenizer", metavar="DIR|ID", help="tokenizer for --estimate (default: a token per 4 characters)"),
        argument(
            "--reasoning-tokens",
            type=int,
            metavar="N",
            help=f"tokens of reasoning per call for --estimate (default: {reasoning})",
        ),
        *(
            argument(
                f"--{kind}-price", type=float, metavar="P", help=f"price of a million {kind} tokens for --estimate"
            )
            for kind in ("input", "output")
        ),
    )


def assumed(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the checked values of `assumptions`."""
    values = {name: getattr(arguments, name) for name in ASSUMED}
    for name in ASSUMED[1:]:
        if not 0 <= (values[name] or 0) < math.inf:
            raise InputError(f"{param(name)} is {values[name]}: give 0 or a larger number")
    if (values["input_price"] is None) != (values["output_price"] is None):
        raise InputError(f"a cost needs both prices: give {param('input_price')} and {param('output_price')}")
    return values


CLUSTER = argument(
    "--cluster", metavar="FILE", type=Path, help="run on a Slurm or Ray cluster, as a TOML file describes"
)


# The choices are those of `merge_snli.models.prompts.ORDERS`, which takes time to import.
ORDERS = argument(
    "--orders",
    choices=("balanced", "all"),
    help="ask each prompt that lists the labels in several orders: balanced, in which each label is once at each "
    "position, or all",
)


def min_agreement_argument(needs: str = "") -> Argument:
    """Return `--min-agreement`, such as `4/5` or `0.8`."""
    return argument(
        "--min-agreement",
        type=number(lambda value: 0 <= value <= 1, "a share of annotators, such as 4/5"),
        metavar="K/N",
        help=f"leave out seeds to which fewer annotators gave the gold label, such as 4/5{needs}",
    )


# The tests of two models: those of `merge_snli.statistics.families.PAIRED_TESTS`, which takes time to import.
TESTS = ("permutation", "mcnemar", "t-test")


def comparison_arguments() -> tuple[Argument, ...]:
    """Return how models are compared: `--test`, `--alpha` and `--common-seeds`."""
    return (
        argument(
            "--test",
            choices=TESTS,
            default=TESTS[0],
            help="permutation or mcnemar: paired over seeds or groups; t-test: paired over subsamples, as in the paper "
            "(default: %(default)s)",
        ),
        argument(
            "--alpha",
            type=number(lambda value: 0 < value < 1, "a number between 0 and 1, such as 0.05"),
            default=0.05,
            metavar="A",
            help="family-wise significance level (default: %(default)s)",
        ),
        argument(
            "--common-seeds",
            action="store_true",
            help="compare all models, on the seeds that all of them have; without it, those that lack seeds that most "
            "models have are named, and not compared",
        ),
    )


def thresholds_argument(purpose: str) -> Argument:
    """Return `--threshold`, which takes a list such as `0.8 0.9`."""
    return list_argument("--threshold", _threshold, default=(), metavar="T", help=purpose)


def _threshold(text: str) -> float:
    """Parse a threshold of the curve."""
    from metrics.pattern_accuracy.core import CURVE

    return number(lambda value: value in CURVE, "a threshold from 0 to 1 in steps of 0.01, such as 0.85")(text)


def number(is_valid: Callable[[float], bool], expected: str) -> Callable[[str], float]:
    """Return what parses the value of an option, a decimal or a fraction, or raises `argparse.ArgumentTypeError`.

    Args:
        is_valid: Returns whether a finite number may be the value.
        expected: What the value must be, for the message.
    """

    def parse(text: str) -> float:
        try:
            numerator, *denominator = map(float, text.split("/", 1))
            value = numerator / denominator[0] if denominator else numerator
        except (ValueError, ArithmeticError):
            value = math.nan
        if not (math.isfinite(value) and is_valid(value)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
        return value

    return parse


def add_steps(
    parser: argparse.ArgumentParser,
    steps: Mapping[str, tuple[str, Sequence[Argument], Callable[[argparse.Namespace], Any]]],
) -> dict[str, argparse.ArgumentParser]:
    """Add the commands of a command, each with its summary, its arguments, and what `run_step` is then.

    Returns:
        The parser of each of them.
    """
    subparsers = parser.add_subparsers(dest="step", required=True, metavar="|".join(steps))
    for name, (summary, arguments, run) in steps.items():
        step = subparsers.add_parser(
            name,
            help=summary,
            description=f"{capitalized(summary)}.",
            epilog=parser.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_all(step, *arguments)
        step.set_defaults(run_step=run)
    return dict(subparsers.choices)


def read_cluster(arguments: argparse.Namespace) -> Cluster | None:
    """Return the executor that `--cluster` describes, or None."""
    if arguments.cluster is None:
        return None
    from merge_snli.runs.options import read_cluster_file

    options = read_cluster_file(arguments.cluster)
    from merge_snli.runs.submit import Cluster  # needs datatrove, which the line above has looked for

    return Cluster(options)


def given(arguments: argparse.Namespace, options: type) -> dict[str, Any]:
    """Return the fields of an options class that were given on the command line."""
    values = vars(arguments)
    return {field.name: values[field.name] for field in fields(options) if field.name in values}


def add_option_arguments(parser: argparse.ArgumentParser, options: type, groups: Collection[str]) -> None:
    """Add an argument for each option of some groups, under the headings of the groups.

    Args:
        parser: The parser. Arguments that are not given are absent from its result, so that the defaults of the
            options class apply.
        options: The options class.
        groups: The groups in order.
    """
    for title in groups:
        group = parser.add_argument_group(title, argument_default=argparse.SUPPRESS)
        add_all(group, *_of_options(options, [name for name, option in described(options) if option.group == title]))


def add_problem_arguments(parser: argparse.ArgumentParser, purpose: str, metavar: str) -> None:
    """Add the arguments for the fields of `ProblemOptions`, of which the problems are positional and required.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        purpose: What the problems are.
        metavar: How the help names them.
    """
    group = parser.add_argument_group(PROBLEMS_GROUP, argument_default=argparse.SUPPRESS)
    others = [name for name, option in described(ProblemOptions) if option.group == PROBLEMS_GROUP][1:]
    add_all(group, list_argument("problems", metavar=metavar, help=purpose), *_of_options(ProblemOptions, others))


def add_source_arguments(parser: argparse.ArgumentParser, options: type) -> None:
    """Add `--source`, a field of an options class, and the arguments `SOURCE_OPTIONS`, which say how to read it.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        options: The options class.
    """
    group = parser.add_argument_group(dict(described(options))["source"].group, argument_default=argparse.SUPPRESS)
    add_all(group, *_of_options(options, ("source",)), *_of_options(ProblemOptions, SOURCE_OPTIONS))


def _of_options(options: type, names: Collection[str]) -> Iterator[Argument]:
    """Yield the arguments for some fields of an options class."""
    types = option_types(options)
    for name, option in ((name, option) for name, option in described(options) if name in names):
        text = option.help.replace("%", "%%")
        if option.default_text is not None:
            text += f" (default: {option.default_text})"
        if name in POSITIONAL:
            yield list_argument(name, nargs="*", metavar=POSITIONAL[name], help=text)
        elif types[name] is bool:
            yield argument(flag(name), action="store_true", help=text)
        elif types[name] is tuple:
            yield list_argument(flag(name), metavar=option.metavar, help=text)
        else:
            kind = _decimal if types[name] is float else types[name]
            yield argument(flag(name), type=kind, choices=option.choices or None, metavar=option.metavar, help=text)


_decimal = number(lambda _: True, "a number")


def refuse(arguments: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Raise an InputError about the first of these options that is given: its name, and why it may not be."""
    for name in names:
        value = getattr(arguments, name)
        if value not in (None, (), []) and value is not False:
            raise InputError(f"{param(name)} {why}")


def write_output(form: str, *, text: Callable[[], str], document: Callable[[], dict[str, Any]]) -> None:
    """Write text, or JSON values as one document.

    Args:
        form: One of `TEXT_FORMATS`.
        text: Returns the text.
        document: Returns the JSON values.
    """
    sys.stdout.write(json.dumps(document(), indent=2, allow_nan=False) + "\n" if form == JSON else text())


def write_tables(form: str, tables: Iterable[Table], *, document: Callable[[], dict[str, Any]]) -> None:
    """Write tables, with an empty line between two.

    Args:
        form: One of `TABLE_FORMATS`.
        tables: The tables.
        document: Returns the JSON values, which may hold more than the tables.
    """

    def rendered(table: Table) -> str:
        return {TEXT: table.text, CSV: table.csv, MARKDOWN: table.markdown, LATEX: table.latex}[form]()

    write_output(form, text=lambda: "\n".join(map(rendered, tables)), document=document)
