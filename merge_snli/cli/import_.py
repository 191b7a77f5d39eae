"""`merge-snli import`: compute results from logs of language models or from tables of predictions.

examples:
  merge-snli import logs/*.eval --dataset ORG/merge_snli --out results
  merge-snli import logs/MODEL/samples_*.jsonl --dataset demo:dataset --out results
  merge-snli import predictions.csv --model my-model --dataset demo:dataset --out results
  merge-snli import logs/*.eval --group subject --out results
  merge-snli import results/*.json --again --dataset demo:dataset --out results
"""

from argparse import ArgumentParser, Namespace
from inspect import signature

from merge_snli.base.files import JsonObject
from merge_snli.cli.arguments import add, add_format, add_list, add_skip_invalid, number
from merge_snli.cli.output import write_tables


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_list(
        parser,
        "files FILE",
        "logs of Inspect (.eval, .json) or lm-evaluation-harness (samples_*.jsonl), or tables of one model's "
        "predictions (.csv, .tsv, .jsonl, .parquet); with --again also results (.json)",
    )
    add(parser, "--dataset DATA", "folder or Hub id of the MERGE data set; none for logs of other tasks")
    add(parser, "--out RESULTS", "results folder", required=True)
    add(parser, "--model NAME", "name of the model, of one in all logs; required for tables")
    add(parser, "--config CONFIG", "for tables: all (default), noun, verb, adj or adv")
    add(parser, "--limit-seeds N", "for tables: the model predicted N seeds and their variants")
    add(parser, "--subsample K", "for tables: the model predicted the variants of subsample K")
    add(parser, "--partial", "leave out and count the seeds without all their answers")
    add(parser, "--again", "read the answers in results again, from what the models wrote")
    add(
        parser,
        "--reader MODEL",
        "ask this model, as Inspect names it, which label an unread reply states; its answers are counted apart",
    )
    add(parser, "--unread", "list all answers that cannot be read, after the table; without it, three of each kind")
    add(parser, "--group FIELD", "of other tasks: field of a sample's metadata or document with its group")
    add(parser, "--score NAME", "of other tasks: the score that counts, if there are several")
    add(parser, "--filter NAME", "of other tasks: the filter of lm-evaluation-harness that counts")
    add(
        parser,
        "--at-least X",
        "of other tasks: the score from which on a sample is correct (default: scores are 1 or 0)",
        type=number(lambda _: True, "a score, such as 0.5"),
    )
    add_skip_invalid(parser)
    add_format(parser)


def run(arguments: Namespace) -> None:
    """Import the files and print a table."""
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.language_models.import_files import import_files
    from merge_snli.language_models.unread import unread_replies, unread_table
    from merge_snli.results.grouping import names_of, on_same_data
    from merge_snli.results.orders import order_table
    from merge_snli.results.parts import with_parts
    from merge_snli.results.prompts import group_prompts, prompt_table
    from merge_snli.results.score_table import score_table
    from merge_snli.results.store import read_results, to_json

    results = import_files(**{name: getattr(arguments, name) for name in signature(import_files).parameters})
    unread = unread_replies(results)
    there = read_results(arguments.out, skip_invalid=arguments.skip_invalid)
    others = [result for result in there if result not in results]
    keys = {result.dataset.key for result in results}
    datasets = [] if arguments.dataset is None else [find_dataset(arguments.dataset)]
    beside = with_parts([*results, *others], datasets)
    groups = on_same_data(result for result in beside if result.dataset.key in keys)
    tables = [score_table(group, names=names_of(group)) for group in groups]
    for group in groups:
        models = group_prompts(group)
        for effect in (prompt_table, order_table):
            table = effect(models, [model.title for model in models])
            if table is not None:
                tables.append(table)
    if unread:
        tables.append(unread_table(unread, results[0].units[1], in_full=arguments.unread))

    def document() -> JsonObject:
        values: JsonObject = {"results": [to_json(result) for result in results]}
        if arguments.unread:
            values["unread"] = unread
        return values

    write_tables(arguments.format, tables, document=document)
