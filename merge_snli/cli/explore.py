"""`merge-snli explore`: write a page with every seed and variant, and the answers of models to them."""

import sys
from argparse import ArgumentParser, Namespace

from merge_snli.cli.arguments import add, add_comparison, add_results, read_results


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_results(parser, nargs="*")
    add(parser, "--dataset DATA", "data set to look at, with the answers in RESULTS", required=True)
    add(parser, "--config CONFIG", "config to show (default: all, or the only one with results)")
    add_comparison(parser)
    add(parser, "--out DIR", "folder for the page, one file that works offline", required=True)
    add(
        parser,
        "--with-text",
        "include the sentences, whose terms apply; the page has them anyway if their license allows sharing them",
    )
    add(
        parser,
        "--corpus FILE|ID",
        "training data of the models, to show how frequent replacements are in it on the page (as for analyze)",
    )


def run(arguments: Namespace) -> None:
    """Write the page and print its path."""
    from merge_snli.comparison.corpus import count_corpus, open_corpus, tagger_of
    from merge_snli.comparison.html_page import check_page
    from merge_snli.comparison.testing import Significance
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.explorer.write import results_on, write_explorer

    out = check_page(arguments.out).parent
    name = arguments.corpus
    dataset = find_dataset(arguments.dataset)
    results = []
    if arguments.results:
        results = results_on(read_results(arguments), dataset, arguments.config)
    corpus = None if name is None else count_corpus(open_corpus(name), tagger_of(dataset.record))
    path = write_explorer(
        results,
        dataset,
        out,
        config=arguments.config,
        with_text=arguments.with_text,
        corpus=corpus,
        significance=Significance(arguments.test, arguments.alpha),
        common_seeds=arguments.common_seeds,
    )
    sys.stdout.write(f"{path}\n")
