"""`merge-snli tables`: print the tables of a generation run, or count shared words of problems.

examples:
  merge-snli tables merge_snli --suggestions --out figure_9.pdf
  merge-snli tables stanfordnlp/snli --split validation
"""

from argparse import ArgumentParser, Namespace

from merge_snli.base.errors import InputError, param
from merge_snli.base.table import Table
from merge_snli.cli.arguments import add, add_format
from merge_snli.cli.option_arguments import add_problem_arguments, given
from merge_snli.cli.output import write_tables
from merge_snli.dataset.stored import MergeDataset, find_dataset, is_dataset
from merge_snli.problems.options import ProblemOptions

# The options that problems do not have.
DATASET_OPTIONS = ("suggestions", "work", "out")
# The arguments that problems and data sets have.
OF_BOTH = ("problems", "tagger")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_problem_arguments(
        parser,
        "the folder or Hub id of a MERGE data set, for its tables; or problems as for generate, to count those that "
        "share a word (Table 4)",
        "DATA|PROBLEMS",
    )
    group = parser.add_argument_group("data set")
    add(
        group,
        "--suggestions",
        "also count the suggestions that masked LMs share per problem (Figure 9), from the work folder of the run",
    )
    add(group, "--work DIR", "work folder of the run (default: DATA.work)")
    add(group, "--out FILE", "also write Figure 9 to an .svg, .png or .pdf file")
    add_format(parser)


def run(arguments: Namespace) -> None:
    """Print the tables, with the values of the paper if the run has the same masked LMs or problems."""
    dataset = _dataset(arguments)
    if dataset is None:
        _count_words(arguments)
        return
    tables = _tables(dataset, arguments)
    write_tables(
        arguments.format, tables.values(), document=lambda: {name: table.as_dict() for name, table in tables.items()}
    )


def _dataset(arguments: Namespace) -> MergeDataset | None:
    """Return the data set, or None if the argument names problems."""
    of_problems = [name for name in given(arguments, ProblemOptions) if name not in OF_BOTH]
    of_run = [name for name in DATASET_OPTIONS if getattr(arguments, name)]
    if of_problems and of_run:
        raise InputError(
            f"{param(of_problems[0])} is for problems, and {param(of_run[0])} for a data set: leave one of them out"
        )
    first, *others = arguments.problems
    are_problems = bool(of_problems or others) or _are_problems(first)
    if are_problems and of_run:
        raise InputError(f"{param(of_run[0])} is for a data set, not for the problems {first}: leave it out")
    return None if are_problems or not (of_run or is_dataset(first)) else find_dataset(first)


def _are_problems(name: str) -> bool:
    """Return whether a name is that of problems, which needs no look at the files or the Hub."""
    from merge_snli.embedded import PREFIX, PROBLEMS
    from merge_snli.problems.inputs import Problems
    from merge_snli.problems.known_datasets import known_dataset

    return name == PREFIX + PROBLEMS or Problems.of(name).are_files or known_dataset(name) is not None


def _count_words(arguments: Namespace) -> None:
    """Count the shared words of problems and print them as in Table 4 of the paper."""
    from generation.report.summary import words_report

    report, table = words_report(ProblemOptions(**given(arguments, ProblemOptions)))
    write_tables(arguments.format, [table], document=lambda: report)


def _tables(dataset: MergeDataset, arguments: Namespace) -> dict[str, Table]:
    """Return the tables of a run by name, and draw Figure 9."""
    from generation.report.overlap import check_format, draw_overlap
    from generation.report.tables import report_tables

    if arguments.out is not None:
        check_format(arguments.out)  # before suggestions are counted, which takes time
    tagger = getattr(arguments, "tagger", None)
    tables, overlap = report_tables(dataset, arguments.work, suggestions=arguments.suggestions, tagger=tagger)
    if arguments.out is not None:
        draw_overlap(overlap, arguments.out)
    return tables
