"""`merge-snli analyze`: run the analyses of section 5 of the paper, and write a report.

--format text prints the path of the page, json every number.

example:
  merge-snli analyze results --dataset ORG/merge_snli --out report
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from merge_snli.base.errors import InputError
from merge_snli.cli.arguments import (
    add,
    add_comparison,
    add_datasets,
    add_format,
    add_list,
    add_min_agreement,
    add_results,
    read_results,
)
from merge_snli.cli.output import TEXT_FORMATS, write_output


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser)
    add_datasets(parser, "data sets that the models were scored on", required=True)
    add_list(
        parser,
        "--fine-tuned-from MODEL=MLM",
        "masked LM of the same architecture and size as a model (Figure 7; known for the paper's models)",
        default=(),
    )
    add(
        parser,
        "--corpus FILE|ID",
        "training data of the models, to count words in: a .txt file, or NLI problems as generate reads them "
        "(split train)",
    )
    add(
        parser,
        "--without-seeds FILE",
        "repeat every number without these seeds: one id per line, or a CSV file with a column seed_id",
    )
    add_min_agreement(parser)
    add_comparison(parser)
    add(parser, "--out DIR", "folder for the report", required=True)
    add_format(parser, TEXT_FORMATS)


def run(arguments: Namespace) -> None:
    """Write the report, and print the path of its page or its numbers."""
    from merge_snli.base.progress import Progress
    from merge_snli.paper.report.analyze import analyze, read_seed_ids
    from merge_snli.paper.report.write import PAGE, check_report_folder

    check_report_folder(arguments.out)
    report = analyze(
        read_results(arguments),
        arguments.dataset,
        fine_tuned_from=_counterparts(arguments.fine_tuned_from),
        corpus=arguments.corpus,
        without_seeds=() if arguments.without_seeds is None else read_seed_ids(arguments.without_seeds),
        min_agreement=arguments.min_agreement,
        test=arguments.test,
        alpha=arguments.alpha,
        common_seeds=arguments.common_seeds,
        out=arguments.out,
        progress=Progress(),
    )
    write_output(arguments.format, text=lambda: f"{arguments.out / PAGE}\n", document=report.as_dict)


def _counterparts(texts: Sequence[str]) -> dict[str, str]:
    """Parse `MODEL=MLM` of each `--fine-tuned-from`."""
    counterparts: dict[str, str] = {}
    for text in texts:
        model, _, masked_lm = text.partition("=")
        if not model or not masked_lm:
            raise InputError(f"⟦fine_tuned_from⟧ {text} is not MODEL=MLM: name an NLI model and its masked LM")
        if counterparts.setdefault(model, masked_lm) != masked_lm:
            raise InputError(
                f"⟦fine_tuned_from⟧ names two masked LMs of {model}: {counterparts[model]} and {masked_lm}; keep one"
            )
    return counterparts
