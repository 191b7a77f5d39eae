"""`merge-snli import`: compute results from logs of language models or from tables of predictions."""

from __future__ import annotations

import argparse
import json
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.table import Column, Table
from merge_snli.cli.arguments import DATASET, RESULTS, TABLE_FORMATS, add_format, add_list, write_tables

if TYPE_CHECKING:
    from merge_snli.scoring.result import Result


# Number of answers that cannot be read, of each kind, that are printed.
EXAMPLES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_list(
        parser.add_argument,
        "files",
        item=Path,
        metavar="FILE",
        help="logs of Inspect (.eval, .json) or lm-evaluation-harness (samples_*.jsonl), or tables of one model's "
        "predictions (.csv, .tsv, .jsonl, .parquet); with --again also results (.json)",
    )
    parser.add_argument("--dataset", required=True, metavar=DATASET, help="folder or Hub id of the MERGE data set")
    parser.add_argument("--out", required=True, type=Path, metavar=RESULTS, help="results folder")
    parser.add_argument("--model", metavar="NAME", help="name of the model, of one in all logs; required for tables")
    parser.add_argument("--config", help="for tables: all (default), noun, verb, adj or adv")
    parser.add_argument(
        "--limit-seeds", type=int, metavar="N", help="for tables: the model predicted N seeds and their variants"
    )
    parser.add_argument(
        "--subsample", type=int, metavar="K", help="for tables: the model predicted the variants of subsample K"
    )
    parser.add_argument(
        "--partial", action="store_true", help="leave out and count the seeds without all their answers"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="read the answers in results again, from what the models wrote",
    )
    parser.add_argument(
        "--reader",
        metavar="MODEL",
        help="ask this model, as Inspect names it, which label an unread reply states; its answers are counted apart",
    )
    parser.add_argument(
        "--unread",
        action="store_true",
        help="list all answers that cannot be read, after the table; without it, three of each kind",
    )
    add_format(parser, *TABLE_FORMATS)
    parser.epilog = (
        "examples:\n"
        "  merge-snli import logs/*.eval --dataset ORG/merge_snli --out results\n"
        "  merge-snli import logs/MODEL/samples_*.jsonl --dataset demo:dataset --out results\n"
        "  merge-snli import predictions.csv --model my-model --dataset demo:dataset --out results\n"
        "  merge-snli import results/*.json --again --dataset demo:dataset --out results"
    )


def run(arguments: argparse.Namespace) -> None:
    """Import the files and print a table.

    Raises:
        InputError: If no file can be imported; nothing is written then.
    """
    from merge_snli.dataset.stored import find_dataset
    from merge_snli.language_models.import_files import import_files
    from merge_snli.scoring.check import with_parts
    from merge_snli.scoring.grouping import names_of, on_same_data
    from merge_snli.scoring.prompts import group_prompts, prompt_table
    from merge_snli.scoring.score_table import score_table
    from merge_snli.scoring.store import read_results, to_json

    results = import_files(
        arguments.files,
        arguments.dataset,
        out=arguments.out,
        model=arguments.model,
        config=arguments.config,
        limit_seeds=arguments.limit_seeds,
        subsample=arguments.subsample,
        partial=arguments.partial,
        again=arguments.again,
        reader=arguments.reader,
    )
    unread = _unread(results)
    shown = unread if arguments.unread else _examples(unread)
    others = [each for each in read_results(arguments.out) if each not in results]
    keys = {result.dataset.key for result in results}
    beside = with_parts([*results, *others], [find_dataset(arguments.dataset)])
    groups = on_same_data(result for result in beside if result.dataset.key in keys)
    by_prompt = [table for group in groups if (table := prompt_table(group_prompts(group))) is not None]
    scored = [score_table(group, names=names_of(group)) for group in groups]
    tables = [*scored, *by_prompt, *([_unread_table(shown)] if shown else [])]
    write_tables(
        arguments.format,
        tables,
        document=lambda: {
            "results": [to_json(result) for result in results],
            **({"unread": unread} if arguments.unread else {}),
        },
    )


def _unread(results: list[Result]) -> list[dict[str, str]]:
    """Return the replies in which no answer can be read."""
    from merge_snli.scoring.replies import replies_in

    return [
        {"model": result.title, "kind": str(reply.kind), "id": name, "text": reply.text}
        for result in results
        for name, replies in replies_in(result.table).items()
        for reply in replies
        if reply.label is None
    ]


def _examples(unread: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the first answers of each kind of each model."""
    kind = itemgetter("model", "kind")
    return [each for _, same in groupby(sorted(unread, key=kind), key=kind) for each in islice(same, EXAMPLES)]


def _unread_table(unread: list[dict[str, str]]) -> Table:
    """Return what cannot be read as a table."""
    columns = tuple(Column(name, "left") for name in ("Model", "Kind", "Pair", "Text"))
    rows = tuple((each["model"], each["kind"], each["id"], json.dumps(each["text"])) for each in unread)
    return Table(title="Answers that cannot be read", columns=columns, rows=rows)
