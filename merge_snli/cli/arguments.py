"""Arguments that several commands share, and the output of a command in the form that `--format` names."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import POSITIONAL, InputError, flag
from merge_snli.base.option import described, option_types
from merge_snli.base.table import Table, capitalized
from merge_snli.problems.options import PROBLEMS_GROUP, ProblemOptions

if TYPE_CHECKING:
    from merge_snli.results.result import Result
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


def add_list(
    parser: argparse._ActionsContainer,
    name: str,
    item: Callable[[str], Any] = str,
    *,
    nargs: str = "+",
    **how: Any,  # noqa: ANN401 - as `add_argument` takes it
) -> None:
    """Add an argument that takes a list, with spaces or commas between its values; an option may be repeated.

    Args:
        parser: A parser, or one of its groups.
        name: The flag or the name of the argument.
        item: Converts one value, or raises `argparse.ArgumentTypeError`.
        nargs: How many values it takes.
        how: Other arguments of `add_argument`.
    """

    def values(text: str) -> tuple[Any, ...]:
        return tuple(map(item, split_list(text)))

    parser.add_argument(name, nargs=nargs, action=_ExtendList, type=values, **how)


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
        added = chain.from_iterable(values or ())  # the lists that are separated by spaces
        setattr(namespace, self.dest, (*before, *added))


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Add `--format`, the form of the output on stdout; the first of the forms is the default."""
    about = "form of the output (default: %(default)s)"
    parser.add_argument("--format", choices=formats, default=formats[0], help=about)


def add_results(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add the results folders, and `--skip-invalid`."""
    about = "results folders of merge-snli score"
    add_list(parser, "results", Path, nargs=nargs, default=(), metavar=RESULTS, help=about)
    add_skip_invalid(parser)


def read_results(arguments: argparse.Namespace, folders: Sequence[Path] | None = None) -> list[Result]:
    """Return the results in some folders; by default those of `add_results`."""
    from merge_snli.results.store import read_results

    return read_results(*(folders or arguments.results), skip_invalid=arguments.skip_invalid)


def add_skip_invalid(parser: argparse.ArgumentParser) -> None:
    """Add `--skip-invalid`."""
    parser.add_argument(
        "--skip-invalid",
        action="store_true",
        help="leave out results that are damaged, edited, or of another version, with a warning",
    )


def add_datasets(parser: argparse.ArgumentParser, purpose: str, *, required: bool = False) -> None:
    """Add `--dataset`, which takes a list."""
    add_list(parser, "--dataset", default=(), required=required, metavar=DATASET, help=purpose)


def add_tagger(parser: argparse.ArgumentParser) -> None:
    """Add `--tagger`, for commands that tag texts of a data set again."""
    parser.add_argument("--tagger", metavar="DIR", help="spaCy pipeline of the run, if it was a folder")


# The options of an estimate of tokens and cost.
ASSUMED = ("tokenizer", "reasoning_tokens", "input_price", "output_price")


def add_assumptions(parser: argparse.ArgumentParser, reasoning: str) -> None:
    """Add the options of an estimate of tokens and cost.

    Args:
        parser: The parser.
        reasoning: The default of the tokens of reasoning per call, in words.
    """
    about = "tokenizer for --estimate (default: a token per 4 characters)"
    parser.add_argument("--tokenizer", metavar="DIR|ID", help=about)
    about = f"tokens of reasoning per call for --estimate (default: {reasoning})"
    parser.add_argument("--reasoning-tokens", type=int, metavar="N", help=about)
    for kind in ("input", "output"):
        about = f"price of a million {kind} tokens for --estimate"
        parser.add_argument(f"--{kind}-price", type=float, metavar="P", help=about)


def assumed(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the checked values of `assumptions`."""
    values = {name: getattr(arguments, name) for name in ASSUMED}
    for name in ASSUMED[1:]:
        if not 0 <= (values[name] or 0) < math.inf:
            raise InputError(f"⟦{name}⟧ is {values[name]}: give 0 or a larger number")
    if (values["input_price"] is None) != (values["output_price"] is None):
        raise InputError("a cost needs both prices: give ⟦input_price⟧ and ⟦output_price⟧")
    return values


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`, which `read_cluster` reads."""
    about = "run on a Slurm or Ray cluster, as a TOML file describes"
    parser.add_argument("--cluster", metavar="FILE", type=Path, help=about)


def add_orders(parser: argparse.ArgumentParser) -> None:
    """Add `--orders`."""
    parser.add_argument(
        "--orders",
        choices=("balanced", "all"),  # those of `merge_snli.models.prompts.ORDERS`, which takes time to import
        help="ask each prompt that lists the labels in several orders: balanced, in which each label is once at each "
        "position, or all",
    )


def add_min_agreement(parser: argparse.ArgumentParser, needs: str = "") -> None:
    """Add `--min-agreement`, such as `4/5` or `0.8`."""
    parser.add_argument(
        "--min-agreement",
        type=number(lambda value: 0 <= value <= 1, "a share of annotators, such as 4/5"),
        metavar="K/N",
        help=f"leave out seeds to which fewer annotators gave the gold label, such as 4/5{needs}",
    )


# The tests of two models: those of `merge_snli.statistics.families.PAIRED_TESTS`, which takes time to import.
TESTS = ("permutation", "mcnemar", "t-test")


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add how models are compared: `--test`, `--alpha` and `--common-seeds`."""
    parser.add_argument(
        "--test",
        choices=TESTS,
        default=TESTS[0],
        help="permutation or mcnemar: paired over seeds or groups; t-test: paired over subsamples, as in the paper "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--alpha",
        type=number(lambda value: 0 < value < 1, "a number between 0 and 1, such as 0.05"),
        default=0.05,
        metavar="A",
        help="family-wise significance level (default: %(default)s)",
    )
    parser.add_argument(
        "--common-seeds",
        action="store_true",
        help="compare all models, on the seeds that all of them have; without it, those that lack seeds that most "
        "models have are named, and not compared",
    )


def add_thresholds(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--threshold`, which takes a list such as `0.8 0.9`."""
    add_list(parser, "--threshold", _threshold, default=(), metavar="T", help=purpose)


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
    parser: argparse.ArgumentParser, steps: Mapping[str, tuple[str, Callable[[argparse.Namespace], None]]]
) -> list[argparse.ArgumentParser]:
    """Add the commands of a command, each with its summary and what `run_step` is then; return their parsers."""
    subparsers = parser.add_subparsers(dest="step", required=True, metavar="|".join(steps))
    added = []
    for name, (summary, run) in steps.items():
        step = subparsers.add_parser(
            name,
            help=summary,
            description=f"{capitalized(summary)}.",
            epilog=parser.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        step.set_defaults(run_step=run)
        added.append(step)
    return added


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
        _add_options(group, options, [name for name, option in described(options) if option.group == title])


def add_problem_arguments(parser: argparse.ArgumentParser, purpose: str, metavar: str) -> None:
    """Add the arguments for the fields of `ProblemOptions`, of which the problems are positional and required.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        purpose: What the problems are.
        metavar: How the help names them.
    """
    group = parser.add_argument_group(PROBLEMS_GROUP, argument_default=argparse.SUPPRESS)
    add_list(group, "problems", metavar=metavar, help=purpose)
    of_group = [name for name, option in described(ProblemOptions) if option.group == PROBLEMS_GROUP]
    _add_options(group, ProblemOptions, of_group[1:])


def add_source_arguments(parser: argparse.ArgumentParser, options: type) -> None:
    """Add `--source`, a field of an options class, and the arguments `SOURCE_OPTIONS`, which say how to read it.

    Args:
        parser: The parser. Arguments that are not given are absent from its result.
        options: The options class.
    """
    group = parser.add_argument_group(dict(described(options))["source"].group, argument_default=argparse.SUPPRESS)
    _add_options(group, options, ("source",))
    _add_options(group, ProblemOptions, SOURCE_OPTIONS)


def _add_options(group: argparse._ArgumentGroup, options: type, names: Collection[str]) -> None:
    """Add the arguments for some fields of an options class."""
    types = option_types(options)
    for name, option in described(options):
        if name not in names:
            continue
        text = option.help.replace("%", "%%")
        if option.default_text is not None:
            text += f" (default: {option.default_text})"
        kind = types[name]
        if name in POSITIONAL:
            add_list(group, name, nargs="*", metavar=POSITIONAL[name], help=text)
        elif kind is bool:
            group.add_argument(flag(name), action="store_true", help=text)
        elif kind is tuple:
            add_list(group, flag(name), metavar=option.metavar, help=text)
        else:
            convert = _decimal if kind is float else kind
            choices = option.choices or None
            group.add_argument(flag(name), type=convert, choices=choices, metavar=option.metavar, help=text)


_decimal = number(lambda _: True, "a number")


def refuse(arguments: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Raise an InputError about the first of these options that is given: its name, and why it may not be."""
    for name in names:
        value = getattr(arguments, name)
        if value not in (None, (), []) and value is not False:
            raise InputError(f"⟦{name}⟧ {why}")


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

    def text() -> str:
        render = {TEXT: Table.text, CSV: Table.csv, MARKDOWN: Table.markdown, LATEX: Table.latex}[form]
        return "\n".join(map(render, tables))

    write_output(form, text=text, document=document)
