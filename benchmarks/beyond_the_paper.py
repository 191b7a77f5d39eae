"""Show what each option beyond the paper changes: numbers of seeds and variants, and examples.

    python -m benchmarks.beyond_the_paper --problems snli/dev.jsonl

Generates one data set with the options of the paper and one per option from the same problems. All runs share a work
folder, so that masked LM answers are computed once. Changed variants are shown by their words only.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from generation import Options
from generation.filters.lexical import WordNet, load_wordnet, other_words
from generation.pipeline import run_pipeline
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.base.errors import InputError
from merge_snli.models.tagger import Tagger, find_tagger
from merge_snli.problems.problem import Problem
from merge_snli.schema import ALL, TEST, data_file

INFLATION = Options(problems="demo:problems", mlm=("demo:mlm-bpe",)).inflation
OPTIONS: dict[str, dict[str, Any]] = {
    "--mask all": {"mask": "all"},
    "--split-words": {"split_words": True},
    "--no-relations": {"no_relations": True},
    "--ignore-case": {"ignore_case": True},
}


class Change(NamedTuple):
    """A variant that only one of two data sets has."""

    seed_id: str
    word_class: str
    original: str
    replacement: str


Rows = dict[Change, dict[str, Any]]


def main() -> None:
    """Generate the data sets and print what each option changes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="problem file (default: the bundled problems)")
    parser.add_argument("--limit", type=int, help="number of problems (default: all)")
    parser.add_argument("--mlm", nargs="+", default=["demo:mlm-wordpiece", "demo:mlm-bpe"], help="masked LMs")
    parser.add_argument("--examples", type=int, default=5, help="examples per option (default: 5)")
    parser.add_argument("--work", type=Path, help="work folder (default: a temporary folder)")
    arguments = parser.parse_args()
    common = {"problems": arguments.problems, "limit": arguments.limit, "mlm": tuple(arguments.mlm)}
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.work or Path(temporary) / "work"
        plain = generated(common, Path(temporary) / "plain", work)
        sys.stdout.write(f"options of the paper: {counts(plain)}\n")
        for number, (option, chosen) in enumerate(OPTIONS.items()):
            try:
                changed = generated({**common, **chosen}, Path(temporary) / str(number), work)
            except InputError as error:
                sys.stdout.write(f"\n{option}: {error}\n")
                continue
            sys.stdout.write(f"\n{option}: {counts(changed)}\n")
            why = reasons(option)
            for sign, ours, theirs in (("+", changed, plain), ("-", plain, changed)):
                others = [change for change in ours if change not in theirs]
                sys.stdout.write(f"  {sign} {len(others):,} variants\n")
                for change in islice(varied(others), arguments.examples):
                    words = f"{change.word_class}: {change.original} -> {change.replacement}"
                    sys.stdout.write(f"    {words}{why(change, ours[change])}\n")


def generated(options: Mapping[str, Any], out: Path, work: Path) -> Rows:
    """Generate a data set with all variants and return its rows."""
    run_pipeline(Options(**options, inflation=1), out, work=work, quiet=True)
    rows = pq.read_table(out / data_file(ALL, TEST)).to_pylist()
    return {Change(*(row[name] for name in Change._fields)): row for row in rows}


def counts(rows: Rows) -> str:
    """Count the seeds and variants at the paper's degree of inflation, as text."""
    words = Counter((change.seed_id, change.word_class) for change in rows)
    enough = {pair: count for pair, count in words.items() if count >= INFLATION}
    return f"{len({seed for seed, _ in enough}):,} seeds, {sum(enough.values()):,} variants"


def varied(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes in a deterministic order without repeating a seed, original or replacement."""
    seen: set[str] = set()
    for change in sorted(changes, key=lambda each: hashlib.sha256("\0".join(each).encode()).digest()):
        names = {change.seed_id, change.original.casefold(), change.replacement.casefold()}
        if seen.isdisjoint(names):
            seen |= names
            yield change


def reasons(option: str) -> Callable[[Change, dict[str, Any]], str]:
    """Return a function that explains a change caused by the option, as text."""
    if option == "--mask all":
        return _times
    if option == "--no-relations":
        wordnet, tagger = load_wordnet(), find_tagger()
        return lambda change, row: _related(change, row, wordnet, tagger)
    return lambda _change, _row: ""


def _times(change: Change, row: dict[str, Any]) -> str:
    texts = [row[name].split() for name in ("seed_premise", "seed_hypothesis")]
    premise, hypothesis = (sum(word.strip('.,!?"') == change.original for word in text) for text in texts)
    return f" (occurs {premise} times in the premise, {hypothesis} in the hypothesis)"


def _related(change: Change, row: dict[str, Any], wordnet: WordNet, tagger: Tagger) -> str:
    """Name the words of the problem that a removed replacement is related to."""
    problem = Problem(change.seed_id, row["seed_premise"], row["seed_hypothesis"], row["label"])
    [tagged] = tag([problem], tagger)
    words = [word for word in shared_words(tagged) if word.text == change.original]
    related = [
        other
        for word in words
        for other, other_class in other_words(tagged, word)
        if wordnet.relation_to([(other, other_class)], change.word_class)(change.replacement)
    ]
    return f" (related to {', '.join(related)})" if related else ""


if __name__ == "__main__":
    main()
