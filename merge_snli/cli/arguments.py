"""Add arguments to the parser of a command, and read those that several commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.cli.output import TABLE_FORMATS

if TYPE_CHECKING:
    from merge_snli.results.result import Result
    from merge_snli.runs.submit import Cluster


def whole_number(text: str) -> int:
    """Parse a whole number, or raise `argparse.ArgumentTypeError`."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number: give one, such as 5") from None


# The type of a value by its placeholder in `--help`; others are texts.
TYPES: dict[str, Callable[[str], Any]] = {
    "DIR": Path,
    "FILE": Path,
    "FILE|DIR": Path,
    "RESULTS": Path,
    "N": whole_number,
    "K": whole_number,
}


def split_list(text: str) -> tuple[str, ...]:
    """Split a value at commas; the path of an existing file or folder stays whole."""
    if "," in text and Path(text).exists():
        return (text,)
    return tuple(item.strip() for item in text.split(",") if item.strip())


def add(
    parser: argparse._ActionsContainer,
    usage: str,
    help: str,
    **how: Any,  # noqa: ANN401 - as `add_argument` takes it
) -> None:
    """Add an argument as its usage shows it: `--out DIR` has a value, `--list` has none, `dataset DATA` has no flag.

    Args:
        parser: A parser, or one of its groups.
        usage: The flag or name, and the placeholder of the value, from which its type follows; see `TYPES`.
        help: What it is for.
        how: Other arguments of `add_argument`.
    """
    name, _, metavar = usage.partition(" ")
    if metavar:
        how = {"metavar": metavar, "type": TYPES.get(metavar)} | how
    elif "choices" not in how:
        how["action"] = "store_true"
    parser.add_argument(name, help=help, **how)


def add_list(
    parser: argparse._ActionsContainer,
    usage: str,
    help: str,
    *,
    item: Callable[[str], Any] | None = None,
    nargs: str = "+",
    **how: Any,  # noqa: ANN401 - as `add_argument` takes it
) -> None:
    """Add an argument that takes a list, with spaces or commas between its values; an option may be repeated.

    Args:
        parser: A parser, or one of its groups.
        usage: The flag or name, and the placeholder of a value, as for `add`.
        help: What it is for.
        item: Converts one value, or raises `argparse.ArgumentTypeError`; None to follow from the placeholder.
        nargs: How many values it takes.
        how: Other arguments of `add_argument`.
    """
    convert = item or TYPES.get(usage.rpartition(" ")[2], str)

    def values(text: str) -> tuple[Any, ...]:
        return tuple(map(convert, split_list(text)))

    add(parser, usage, help, nargs=nargs, action=_ExtendList, type=values, **how)


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


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str] = TABLE_FORMATS) -> None:
    """Add `--format`, the form of the output on stdout; the first of the forms is the default."""
    about = "form of the output (default: %(default)s)"
    add(parser, "--format", about, choices=formats, default=formats[0])


def add_results(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add the results folders, and `--skip-invalid`."""
    about = "results folders of merge-snli score"
    add_list(parser, "results RESULTS", about, nargs=nargs, default=())
    add_skip_invalid(parser)


def read_results(arguments: argparse.Namespace, folders: Sequence[Path] | None = None) -> list[Result]:
    """Return the results in some folders; by default those of `add_results`."""
    from merge_snli.results.store import read_results

    return read_results(*(folders or arguments.results), skip_invalid=arguments.skip_invalid)


def add_skip_invalid(parser: argparse.ArgumentParser) -> None:
    """Add `--skip-invalid`."""
    add(parser, "--skip-invalid", "leave out results that are damaged, edited, or of another version, with a warning")


def add_datasets(parser: argparse.ArgumentParser, purpose: str, *, required: bool = False) -> None:
    """Add `--dataset`, which takes a list."""
    add_list(parser, "--dataset DATA", purpose, default=(), required=required)


def add_tagger(parser: argparse.ArgumentParser) -> None:
    """Add `--tagger`, for commands that tag texts of a data set again."""
    add(parser, "--tagger DIR", "spaCy pipeline of the run, if it was a folder", type=str)


# The options of an estimate of tokens and cost.
ASSUMED = ("tokenizer", "reasoning_tokens", "input_price", "output_price")


def add_assumptions(parser: argparse.ArgumentParser, reasoning: str) -> None:
    """Add the options of an estimate of tokens and cost.

    Args:
        parser: The parser.
        reasoning: The default of the tokens of reasoning per call, in words.
    """
    about = "tokenizer for --estimate (default: a token per 4 characters)"
    add(parser, "--tokenizer DIR|ID", about)
    about = f"tokens of reasoning per call for --estimate (default: {reasoning})"
    add(parser, "--reasoning-tokens N", about)
    for kind in ("input", "output"):
        about = f"price of a million {kind} tokens for --estimate"
        add(parser, f"--{kind}-price P", about, type=float)


def assumed(arguments: argparse.Namespace) -> JsonObject:
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
    add(parser, "--cluster FILE", about)


def add_orders(parser: argparse.ArgumentParser) -> None:
    """Add `--orders`."""
    add(
        parser,
        "--orders",
        "ask each prompt that lists the labels in several orders: balanced, in which each label is once at each "
        "position, or all",
        choices=("balanced", "all"),  # those of `merge_snli.models.prompts.ORDERS`, which takes time to import
    )


def add_min_agreement(parser: argparse.ArgumentParser, needs: str = "") -> None:
    """Add `--min-agreement`, such as `4/5` or `0.8`."""
    add(
        parser,
        "--min-agreement K/N",
        f"leave out seeds to which fewer annotators gave the gold label, such as 4/5{needs}",
        type=number(lambda value: 0 <= value <= 1, "a share of annotators, such as 4/5"),
    )


# The tests of two models: those of `merge_snli.statistics.families.PAIRED_TESTS`, which takes time to import.
TESTS = ("permutation", "mcnemar", "t-test")


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add how models are compared: `--test`, `--alpha` and `--common-seeds`."""
    add(
        parser,
        "--test",
        "permutation or mcnemar: paired over seeds or groups; t-test: paired over subsamples, as in the paper "
        "(default: %(default)s)",
        choices=TESTS,
        default=TESTS[0],
    )
    add(
        parser,
        "--alpha A",
        "family-wise significance level (default: %(default)s)",
        type=number(lambda value: 0 < value < 1, "a number between 0 and 1, such as 0.05"),
        default=0.05,
    )
    add(
        parser,
        "--common-seeds",
        "compare all models, on the seeds that all of them have; without it, those that lack seeds that most "
        "models have are named, and not compared",
    )


def add_thresholds(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--threshold`, which takes a list such as `0.8 0.9`."""
    add_list(parser, "--threshold T", purpose, item=_threshold, default=())


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
    parser: argparse.ArgumentParser, steps: Mapping[str, Callable[[argparse.Namespace], None]]
) -> list[argparse.ArgumentParser]:
    """Add the commands of a command, and return their parsers.

    Args:
        parser: The parser of the command.
        steps: What `run_step` is for each command; its docstring is the summary.
    """
    subparsers = parser.add_subparsers(dest="step", required=True, metavar="|".join(steps))
    added = []
    for name, run in steps.items():
        about = str(run.__doc__)
        step = subparsers.add_parser(
            name,
            help=about[0].lower() + about[1:].rstrip("."),
            description=about,
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


def refuse(arguments: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Raise an InputError about the first of these options that is given: its name, and why it may not be."""
    for name in names:
        value = getattr(arguments, name)
        if value not in (None, (), []) and value is not False:
            raise InputError(f"⟦{name}⟧ {why}")
