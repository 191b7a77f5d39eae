"""Print the tables of Luo et al. (2022) for scored models, with the mean and standard deviation over random seeds.

    merge-snli score plain-seed-1=models/plain/seed-1 … --dataset simple_pair --out results/
    merge-snli score plain-seed-1=models/plain/seed-1 … --dataset extended_pair --out results/
    merge-snli score plain-seed-1=models/plain/seed-1 … --dataset merge_snli --source snli/test.jsonl --out results/
    python -m benchmarks.augmentation results/

Models whose names differ in `-seed-N` only are one row. Columns without results are empty.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from merge_snli.base.table import Cell, Column, Table
from merge_snli.results.result import Result
from merge_snli.results.scores import Scores
from merge_snli.results.store import read_results
from merge_snli.schema import NLI_LABELS

SEED = re.compile(r"-seed-\d+$")
JOINT = "template+hypothesis_template"

# How the names of the templates of a family begin.
FAMILIES = {"N-is-A": "n", "SVO": "s"}

Value = Callable[[Result], float | None]


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="DIR", help="results folders of merge-snli score")
    parser.add_argument(
        "--parts", action="store_true", help="also print Tables 1 and 3: labels by template of premise and hypothesis"
    )
    arguments = parser.parse_args()
    results = read_results(*arguments.results)
    tables = [overview(results), relevance(results)]
    if arguments.parts:
        tables += predicted_labels(results)
    sys.stdout.write("\n".join(table.markdown() for table in tables if table.rows))


def overview(results: Sequence[Result]) -> Table:
    """Return accuracies and PA(0.9) on all data sets: the columns of Tables 4 and 5, and those of MERGE."""
    columns: dict[str, Value] = {
        "SNLI test": lambda result: result.source.overall.sample_accuracy if result.source else None,
        "seeds": lambda result: result.scores.seed_accuracy,
        "variants": lambda result: result.sample_accuracy if result.has_seeds else None,
        "PA(0.9)": lambda result: result.pattern_accuracy if result.has_seeds else None,
    }
    for config in ("simple", "conjunction"):
        for family, start in FAMILIES.items():
            columns[f"{config}: {family}"] = partial(_family_accuracy, config=config, start=start)
    for config in ("extended_simple", "extended_conjunction"):
        columns[config] = partial(_accuracy, config=config)
    rows = []
    for model, found in by_model(results).items():
        values = [_present(map(value_of, found)) for value_of in columns.values()]
        runs = max(map(len, values))
        rows.append((model, runs, *map(mean_and_deviation, values)))
    return _table("Accuracy on all data sets, in percent", ("Model", "Runs", *columns), rows)


def relevance(results: Sequence[Result]) -> Table:
    """Return accuracy with a hypothesis that is joined with the premise or with another sentence: Table 2.

    In parentheses is the change from config `simple` on the same premises, if the model was scored on it.
    """
    on_simple = {(each.title, each.dataset.name): each for each in of_config(results, "simple")}
    parts = {}
    for family, start in FAMILIES.items():
        for kind in ("relevant", "irrelevant"):
            parts[f"{family}: {kind}"] = start, kind
    rows: list[Sequence[Cell]] = []
    for model, found in by_model(of_config(results, "relevance")).items():
        cells = [_relevance_cell(found, on_simple, start, kind) for start, kind in parts.values()]
        if any(cells):
            rows.append((model, *cells))
    title = "Table 2: accuracy on config relevance, and change from the same premises in simple, in percent"
    return _table(title, ("Model", *parts), rows)


def _relevance_cell(
    results: Sequence[Result], on_simple: Mapping[tuple[str, str], Result], start: str, kind: str
) -> Cell:
    """Return the mean accuracy on the templates of a family with hypotheses of a kind, and its change from `simple`."""
    accuracies: list[float] = []
    changes: list[float] = []
    for result in results:
        for part, scores in result.parts.get("template+relevance", {}).items():
            if not part.startswith(start) or not part.endswith(f" {kind}"):
                continue
            accuracy = scores.sample_accuracy.mean or 0.0
            accuracies.append(accuracy)
            before = _on_same_premises(result, on_simple, start)
            if before is not None:
                changes.append(100 * (accuracy - before))
    mean = mean_and_deviation(accuracies)
    if not changes or len(changes) < len(accuracies):
        return mean
    return f"{mean} ({statistics.fmean(changes):+.1f})"


def _on_same_premises(result: Result, on_simple: Mapping[tuple[str, str], Result], start: str) -> float | None:
    """Return the accuracy of the same model on the premises of a family in config `simple`."""
    simple = on_simple.get((result.title, result.dataset.name))
    names = [name.partition("-")[2] for name in result.group_ids]
    same = [f"simple-{name}" for name in names if name.startswith(start)]
    if simple is None or not {*same} <= {*simple.group_ids}:
        return None
    counts = simple.counts(same)
    return float(counts.correct.sum() / counts.sizes.sum())


def predicted_labels(results: Sequence[Result]) -> Iterator[Table]:
    """Yield the shares of entailment, neutral and contradiction by hypothesis, per premise: Tables 1, 3, A3, A4."""
    for config in ("simple", "conjunction"):
        found = by_model(of_config(results, config))
        by_premise: dict[str, dict[str, str]] = {}
        for each in found.values():
            for part in each[0].parts.get(JOINT, {}):
                premise, _, hypothesis = part.partition(" + ")
                by_premise.setdefault(premise, {})[hypothesis] = part
        for premise, hypotheses in by_premise.items():
            rows = []
            for model, each in found.items():
                accuracies = [result.parts["template"][premise].sample_accuracy.mean or 0.0 for result in each]
                shares = [_label_shares([result.parts[JOINT][part] for result in each]) for part in hypotheses.values()]
                rows.append((model, mean_and_deviation(accuracies), *shares))
            title = f"{config}, premise {premise}: accuracy, and percent of entailment / neutral / contradiction"
            yield _table(title, ("Model", "Accuracy", *hypotheses), rows)


def _table(title: str, headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    columns = [Column(headers[0], "left"), *map(Column, headers[1:])]
    return Table(title=title, columns=tuple(columns), rows=tuple(map(tuple, rows)))


def by_model(results: Sequence[Result]) -> Mapping[str, list[Result]]:
    """Group results by the name of the model without its seed, in the order of the results."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(SEED.sub("", result.model.name), []).append(result)
    return groups


def of_config(results: Sequence[Result], config: str) -> list[Result]:
    """Return the results on a config of Simple Pair or Extended Pair."""
    return [result for result in results if not result.has_seeds and result.dataset.config == config]


def mean_and_deviation(shares: Sequence[float]) -> Cell:
    """Return the mean of shares in percent and their sample standard deviation, as text; None if there are none."""
    if not shares:
        return None
    mean = f"{100 * statistics.fmean(shares):.1f}"
    return mean if len(shares) == 1 else f"{mean} ± {100 * statistics.stdev(shares):.1f}"


def _present(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _family_accuracy(result: Result, *, config: str, start: str) -> float | None:
    """Return the mean accuracy over the templates of a family, which have equally many pairs."""
    if not of_config([result], config):
        return None
    found = [scores for name, scores in result.parts.get("template", {}).items() if name.startswith(start)]
    return statistics.fmean(scores.sample_accuracy.mean or 0.0 for scores in found) if found else None


def _accuracy(result: Result, *, config: str) -> float | None:
    return result.sample_accuracy if of_config([result], config) else None


def _label_shares(scores: Sequence[Scores]) -> str:
    shares = []
    for label in NLI_LABELS:
        share = statistics.fmean(each.predicted_share(label) for each in scores)
        shares.append(f"{100 * share:.0f}")
    return " / ".join(shares)


if __name__ == "__main__":
    main()
