"""`merge-snli reproduce`: make the tables and figures of the paper again, beside the paper's numbers.

examples:
  merge-snli reproduce --demo --out reproduction_demo
  merge-snli reproduce snli_1.0/snli_1.0_test.jsonl --out reproduction --dry-run
  merge-snli reproduce --only table-3 --out reproduction
  merge-snli reproduce --paper simple-pair --out simple_pair_reproduction
"""

import logging
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from merge_snli.base.errors import InputError, param
from merge_snli.cli.arguments import add, add_cluster, add_list, read_cluster, refuse
from merge_snli.papers.numbers import MERGE, PAPERS, SIMPLE_PAIR


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "--out DIR", "output folder (required unless --dry-run)")
    add(
        parser,
        "problems PROBLEMS",
        "SNLI test; snli_1.0_test.jsonl also has the annotators' labels of Table 10 (default: stanfordnlp/snli)",
        nargs="?",
    )
    add(parser, "--paper", "merge, or simple-pair: Luo et al. 2022 (default: merge)", choices=PAPERS, default=MERGE)
    add_list(
        parser,
        "--models ROW=MODEL",
        "simple-pair: models of rows of its tables, such as BERT-b-aug-SNLI=FOLDER",
        default=(),
    )
    add(parser, "--corpus FILE|ID", "SNLI train, to count words in (default: stanfordnlp/snli)")
    add_list(parser, "--only NAME", "make some tables and figures only, such as table-3 figure-5 section-5.1")
    add(parser, "--limit N", "use the first N problems only, for a trial")
    add(parser, "--demo", "use the bundled problems, masked LMs and classifiers, in a few minutes")
    add(parser, "--device DEVICE", "torch device, such as cpu or cuda:0 (default: GPU if available)")
    add(
        parser,
        "--allow-pickle",
        "load pickle weights if a model has no safetensors; pickle weights can execute arbitrary code",
    )
    add(parser, "--overwrite", "replace data sets in DIR that were made with other options")
    add(parser, "--dry-run", "estimate downloads, forms, pairs and time without writing anything")
    add_cluster(parser)


def run(arguments: Namespace) -> None:
    """Make the tables and figures, and print their verdicts and the path of the page."""
    from merge_snli.models.options import ModelOptions
    from merge_snli.paper.reproduction.merge import plan_reproduction
    from merge_snli.paper.reproduction.simple_pair import plan_simple_pair

    if arguments.out is None and not arguments.dry_run:
        raise InputError("⟦out⟧ is missing: give a folder, such as ⟦out⟧ reproduction")
    if arguments.only == ():
        raise InputError("⟦only⟧ names nothing: name a table or figure, such as table-3, or leave it out")
    of_paper = {MERGE: ("problems", "corpus"), SIMPLE_PAIR: ("models",)}
    others = of_paper[SIMPLE_PAIR if arguments.paper == MERGE else MERGE]
    refuse(arguments, others, f"does not apply to {param('paper', arguments.paper)}: remove it")
    given = ("limit", "demo", "overwrite", *of_paper[arguments.paper])
    plan = plan_reproduction if arguments.paper == MERGE else plan_simple_pair
    run_ = plan(
        arguments.out or Path("reproduction"),
        model_options=ModelOptions(device=arguments.device, allow_pickle=arguments.allow_pickle),
        executor=read_cluster(arguments),
        only=arguments.only or (),
        **{name: getattr(arguments, name) for name in given},
    )
    if arguments.dry_run:
        from merge_snli.paper.reproduction.estimate import estimate

        sys.stdout.write(estimate(run_).text())
        return
    from merge_snli.paper.reproduction.run import reproduce
    from merge_snli.paper.reproduction.write import PAGE, summary

    logging.getLogger("merge_snli.paper.reproduction").setLevel(logging.INFO)
    document = reproduce(run_)
    sys.stdout.write(f"{summary(document).text()}{run_.out / PAGE}\n")
    if document["failed"]:
        sys.stdout.flush()
        missing = "; ".join(f"{name}: {why}" for name, why in document["failed"].items())
        raise InputError(f"not everything was made: {missing}")
