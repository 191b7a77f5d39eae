"""`merge-snli explain`: show how the variants of one problem were selected.

--format json has all fillers.

examples:
  merge-snli explain my_data/merge_demo --list
  merge-snli explain my_data/merge_demo --seed 3
"""

from argparse import ArgumentParser, Namespace

from merge_snli.cli.arguments import add, add_format, add_tagger
from merge_snli.cli.output import TEXT_FORMATS, write_output


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "dataset DATA", "data set: folder or Hub id")
    group = parser.add_mutually_exclusive_group(required=True)
    add(group, "--list", "list the seeds: number, id, replacements by word class, texts")
    add(group, "--seed N", "number of a seed in the list")
    add(group, "--seed-id ID", "id of a seed, or of any problem of the run")
    add(parser, "--work DIR", "work folder of the run (default: DATA.work)")
    add_tagger(parser)
    add_format(parser, TEXT_FORMATS)


def run(arguments: Namespace) -> None:
    """Print how the variants of one problem were selected, or the list of seeds."""
    from generation.report.explain import explain, explanation_text
    from generation.report.seed_list import seed_at, seed_table
    from generation.work import work_folder_of
    from merge_snli.dataset.stored import find_dataset

    dataset = find_dataset(arguments.dataset)
    if arguments.list:
        table = seed_table(dataset)
        write_output(arguments.format, text=table.text, document=table.as_dict)
        return
    seed_id = arguments.seed_id if arguments.seed is None else seed_at(dataset, arguments.seed)
    work = work_folder_of(dataset.folder.absolute(), arguments.work)
    explanation = explain(dataset, seed_id, work, arguments.tagger)
    write_output(arguments.format, text=lambda: explanation_text(explanation), document=explanation.as_dict)
