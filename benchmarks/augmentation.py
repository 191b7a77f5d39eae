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
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from merge_snli.base.table import Cell, Column, Table
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.result import Result
from merge_snli.scoring.scores import Scores
from merge_snli.scoring.store import read_results

SEED = re.compile(r"-seed-\d+$")
MODEL = Column("Model", "left")
JOINT = "template+hypothesis_template"
FAMILIES = {"N-is-A": "n", "SVO": "s"}
"""How the names of the templates of a family begin."""


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="DIR", help="results folders of merge-snli score")
    parser.add_argument(
        "--parts", action="store_true", help="also print Tables 1 and 3: labels by template of premise and hypothesis"
    )
    arguments = parser.parse_args()
    results = read_results(*arguments.results)
    tables = [overview(results), relevance(results), *(predicted_labels(results) if arguments.parts else [])]
    sys.stdout.write("\n".join(table.markdown() for table in tables if table.rows))


def overview(results: Sequence[Result]) -> Table:
    """Return accuracies and PA(0.9) on all data sets: the columns of Tables 4 and 5, and those of MERGE."""
    columns: dict[str, Callable[[Result], float | None]] = {
        "SNLI test": lambda result: result.source.overall.sample_accuracy if result.source else None,
        "seeds": lambda result: result.scores.seed_accuracy,
        "variants": lambda result: result.sample_accuracy if result.has_seeds else None,
        "PA(0.9)": lambda result: result.pattern_accuracy if result.has_seeds else None,
        **{
            f"{config}: {family}": _family_accuracy(config, start)
            for config in ("simple", "conjunction")
            for family, start in FAMILIES.items()
        },
        **{config: _accuracy(config) for config in ("extended_simple", "extended_conjunction")},
    }
    rows = []
    for model, found in by_model(results).items():
        values = [[value for result in found if (value := of(result)) is not None] for of in columns.values()]
        rows.append((model, max(map(len, values)), *map(mean_and_deviation, values)))
    headers = (MODEL, Column("Runs"), *map(Column, columns))
    return Table(title="Accuracy on all data sets, in percent", columns=headers, rows=tuple(rows))


def relevance(results: Sequence[Result]) -> Table:
    """Return accuracy with a hypothesis that is joined with the premise or with another sentence: Table 2.

    In parentheses is the change from config `simple` on the same premises, if the model was scored on it.
    """
    on_simple = {(each.title, each.dataset.name): each for each in of_config(results, "simple")}
    parts = [(family, start, kind) for family, start in FAMILIES.items() for kind in ("relevant", "irrelevant")]
    rows = []
    for model, found in by_model(of_config(results, "relevance")).items():
        cells: list[Cell] = []
        for _, start, kind in parts:
            pairs = [
                (scores.sample_accuracy.mean or 0.0, _on_same_premises(result, on_simple, start))
                for result in found
                for part, scores in result.parts.get("template+relevance", {}).items()
                if part.startswith(start) and part.endswith(f" {kind}")
            ]
            changes = [100 * (share - before) for share, before in pairs if before is not None]
            change = f" ({statistics.fmean(changes):+.1f})" if changes and len(changes) == len(pairs) else ""
            cells.append(f"{mean_and_deviation([share for share, _ in pairs])}{change}" if pairs else None)
        if any(cells):
            rows.append((model, *cells))
    headers = (MODEL, *(Column(f"{family}: {kind}") for family, _, kind in parts))
    return Table(
        title="Table 2: accuracy on config relevance, and change from the same premises in simple, in percent",
        columns=headers,
        rows=tuple(rows),
    )


def _on_same_premises(result: Result, on_simple: Mapping[tuple[str, str], Result], start: str) -> float | None:
    """Return the accuracy on `simple` for the premises of a family in `relevance`; None if one was not asked."""
    simple = on_simple.get((result.title, result.dataset.name))
    names = [name.partition("-")[2] for name in result.group_ids]
    same = [f"simple-{name}" for name in names if name.startswith(start)]
    if simple is None or not {*same} <= {*simple.group_ids}:
        return None
    counts = simple.counts(same)
    return float(counts.correct.sum() / counts.sizes.sum())


def predicted_labels(results: Sequence[Result]) -> Iterable[Table]:
    """Yield the shares of entailment, neutral and contradiction by hypothesis, per premise: Tables 1, 3, A3, A4."""
    for config in ("simple", "conjunction"):
        found = by_model(of_config(results, config))
        parts = list(dict.fromkeys(part for each in found.values() for part in each[0].parts.get(JOINT, {})))
        for template in dict.fromkeys(part.partition(" + ")[0] for part in parts):
            hypotheses = [part for part in parts if part.partition(" + ")[0] == template]
            rows = tuple(
                (
                    model,
                    mean_and_deviation(
                        [result.parts["template"][template].sample_accuracy.mean or 0.0 for result in each]
                    ),
                    *(_label_shares([result.parts[JOINT][part] for result in each]) for part in hypotheses),
                )
                for model, each in found.items()
            )
            headers = (MODEL, Column("Accuracy"), *(Column(part.partition(" + ")[2]) for part in hypotheses))
            yield Table(
                title=f"{config}, premise {template}: accuracy, and percent of entailment / neutral / contradiction",
                columns=headers,
                rows=rows,
            )


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


def _family_accuracy(config: str, start: str) -> Callable[[Result], float | None]:
    """Return a function for the mean accuracy over the templates of a family, which have equally many pairs."""

    def of(result: Result) -> float | None:
        if not of_config([result], config):
            return None
        found = [scores for name, scores in result.parts.get("template", {}).items() if name.startswith(start)]
        return statistics.fmean(scores.sample_accuracy.mean or 0.0 for scores in found) if found else None

    return of


def _accuracy(config: str) -> Callable[[Result], float | None]:
    def of(result: Result) -> float | None:
        found = of_config([result], config)
        return found[0].sample_accuracy if found else None

    return of


def _label_shares(scores: Sequence[Scores]) -> str:
    shares = (statistics.fmean(each.predicted_share(label) for each in scores) for label in NLI_LABELS)
    return " / ".join(f"{100 * share:.0f}" for share in shares)


if __name__ == "__main__":
    main()
