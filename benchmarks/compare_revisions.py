"""Compare what two revisions compute: results, rows of data sets, and counts of the filters.

Run from the root of a checkout:

    python benchmarks/compare_revisions.py 5df4655 HEAD --snli ../shared/data/snli/dev.jsonl

Each revision is checked out into a temporary worktree and run there with the packages of this environment: `generate`
on the bundled problems and on 500 problems of SNLI, and `score` with the bundled models, a function, an async function,
an imported table, a source, a part, Simple Pair, and a file with a group column. Every number of the results, every
column of the rows and every count of the filters is compared; those of result formats 6 and 7 by their meaning. Ends of
intervals, digests of data sets and new columns are listed, but they do not count as differences. A revision may also be
a folder that `--collect` has filled.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Numbers = dict[str, Any]

PROBLEMS = 500
LIMIT = 20
INFLATION = 5
EXPECTED = ("_interval", "intervals.", ": digest is ", " is only in the new one")
"""Parts of the lines on what may change from one revision to the next."""

FILTERS = {"min_mlms": 2, "same_tag": True, "articles": True, "min_log_odds": 0.5, "max_rank": 100}
LABELS = ("entailment", "neutral", "contradiction")
WAYS = ("merge_snli", "merge_snli.scoring", "scoring")
"""Where a name has its home in some revision, the newest first."""


def main() -> int:
    """Compare two revisions, or collect what the checkout in this folder computes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("revisions", nargs="*", metavar="REVISION", help="two revisions, or folders of --collect")
    parser.add_argument("--snli", type=Path, metavar="FILE", help="SNLI as JSON lines; without it, only the demo")
    parser.add_argument("--collect", type=Path, metavar="DIR", help="write what this checkout computes into a folder")
    arguments = parser.parse_args()
    snli = None if arguments.snli is None else arguments.snli.resolve()
    if arguments.collect is not None:
        collect(arguments.collect.resolve(), snli)
        return 0
    if len(arguments.revisions) != 2:
        parser.error("name two revisions")
    with tempfile.TemporaryDirectory() as folder:
        old, new = (_collected(name, Path(folder) / str(at), snli) for at, name in enumerate(arguments.revisions))
        differences = list(compare(old, new))
    sys.stdout.writelines(f"{line}\n" for line in differences)
    wrong = [line for line in differences if not any(part in line for part in EXPECTED)]
    sys.stdout.write(
        f"{len(wrong)} differences, and {len(differences) - len(wrong)} of intervals, digests and columns\n"
    )
    return 1 if wrong else 0


def _collected(revision: str, folder: Path, snli: Path | None) -> Path:
    """Return the folder of what a revision computes."""
    if Path(revision).is_dir():
        return Path(revision)
    checkout = folder / "checkout"
    subprocess.run(["git", "worktree", "add", "--detach", str(checkout), revision], check=True, capture_output=True)
    try:
        command = [sys.executable, str(Path(__file__).resolve()), "--collect", str(folder / "out")]
        command += [] if snli is None else ["--snli", str(snli)]
        subprocess.run(command, check=True, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)})
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(checkout)], check=True)
    return folder / "out"


def collect(out: Path, snli: Path | None) -> None:
    """Write data sets, results and rows into a folder, with the code of the checkout that is the current folder."""
    sys.path.insert(0, str(Path.cwd()))
    data = Path.cwd() / "merge_snli"
    out.mkdir(parents=True, exist_ok=True)
    preset = _first("preset_options", "generation.presets")("demo")
    _generate(
        out / "data" / "demo", Path.cwd() / "merge_snli" / "embedded" / "problems.jsonl", id_column="id", **preset
    )
    if snli is not None:
        part = out / "snli.jsonl"
        with snli.open(encoding="utf-8") as lines:
            part.write_text("".join(line for line, _ in zip(lines, range(PROBLEMS), strict=False)), encoding="utf-8")
        for name, filters in {"snli": {}, "snli_filtered": FILTERS}.items():
            _generate(out / "data" / name, part, mlm=preset["mlm"], inflation=INFLATION, **filters)
    for config in ("all", "noun", "verb", "adj"):
        for model in ("demo:nli-a", "demo:nli-b"):
            _score(out / "results" / config, model, data, config=config)
    _score(out / "results" / "limit", "demo:nli-a", data, limit_seeds=LIMIT)
    _score(out / "results" / "subsample", "demo:nli-b", data, subsample=3)
    _score(out / "results" / "source", "demo:nli-a", data, source="recorded")
    _score(out / "results" / "function", _rule, data)
    _score(out / "results" / "two-way", _two_way, data)
    _score(out / "results" / "async", _async_rule, data)
    if snli is not None:
        _score(out / "results" / "snli", "demo:nli-b", out / "data" / "snli")
    _import(out / "results" / "imported", data, _write_table(out / "predictions.csv"))
    simple = out / "data" / "simple_pair"
    options = _first(
        "SimplePairOptions",
        "templates.simple_pair_options",
        "merge_snli.pairs.simple_pair",
        "merge_snli.pairs.simple_pair",
    )
    _first("make_simple_pair", "templates.simple_pair", "merge_snli.pairs.simple_pair")(simple, options(premises=40))
    for path in sorted((simple / "data").glob("*/test.parquet")):
        _score(out / "results" / "simple_pair", "demo:nli-a", simple, config=path.parent.name)
    models: tuple[Any, ...] = ("demo:nli-b", _surely)
    for model in models:
        _score(
            out / "results" / "grouped", model, _write_groups(out / "grouped.csv"), group_column="pattern", by=["kind"]
        )


def _first(name: str, *modules: str) -> Any:  # noqa: ANN401 - a function or a class of some revision
    """Return what the first module that exists calls by a name."""
    for module in modules:
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"{name} is in none of {', '.join(modules)}: add its module to {Path(__file__).name}")


def _generate(out: Path, problems: Path, **more: Any) -> None:  # noqa: ANN401 - options
    if out.exists():
        return
    options, generate = _first("Options", "generation"), _first("generate", "generation")
    try:
        generate(options(problems=str(problems), **more), out)
    except TypeError:  # since the problems are not an option any more
        generate(str(problems), options(**more), out=out)


def _score(out: Path, model: Any, data: Path, **options: Any) -> None:  # noqa: ANN401 - of several types
    _first("score", "scoring", "merge_snli")(model, str(data), out=out, **options)


def _import(out: Path, data: Path, table: Path) -> None:
    import_files = _first(
        "import_files", "merge_snli.language_models.import_files", "merge_snli.scoring.imports.import_files"
    )
    import_files([table], str(data), out=out, model="imported")


def _number(pair: tuple[str, str]) -> int:
    return sum(map(ord, " ".join(pair)))


def _rule(pairs: Sequence[tuple[str, str]]) -> list[str | None]:
    """Answer by the letters of a pair; every seventh pair gets no answer."""
    return [None if _number(pair) % 7 == 0 else LABELS[_number(pair) % 3] for pair in pairs]


def _two_way(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["not_entailment" if _number(pair) % 3 else "entailment" for pair in pairs]


def _surely(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [LABELS[_number(pair) % 2] for pair in pairs]


async def _async_rule(pair: tuple[str, str]) -> str | None:
    return _rule([pair])[0]


def _write_table(path: Path) -> Path:
    import pyarrow.parquet as pq

    rows = pq.read_table("merge_snli/data/all/test.parquet").to_pylist()
    seeds = {row["seed_id"]: (row["seed_premise"], row["seed_hypothesis"]) for row in rows}
    pairs = [(row["variant_id"], (row["premise"], row["hypothesis"])) for row in rows] + [*seeds.items()]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label"])
        writer.writerows([name, LABELS[_number(pair) // 2 % 3]] for name, pair in pairs)
    return path


def _write_groups(path: Path) -> Path:
    import pyarrow.parquet as pq

    rows = pq.read_table("merge_snli/data/noun/test.parquet").to_pylist()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["premise", "hypothesis", "label", "pattern", "kind"])
        writer.writerows(
            [
                row["premise"],
                row["hypothesis"],
                LABELS[row["label"]],
                row["seed_id"],
                f"kind {len(row['original']) % 3}",
            ]
            for row in rows[:2000]
        )
    return path


def compare(old: Path, new: Path) -> Iterator[str]:
    """Yield a sentence for each difference between what two revisions computed."""
    made = {each.name for folder in (old, new) for each in (folder / "data").iterdir() if each.suffix != ".work"}
    for name in sorted(made):
        yield from _different(f"data {name}", _data_numbers(old / "data" / name), _data_numbers(new / "data" / name))
    before, after = (dict(_results(folder / "results")) for folder in (old, new))
    for key in sorted({*before, *after}):
        yield from _different(key, before.get(key, {}), after.get(key, {}))


def _different(name: str, before: Numbers, after: Numbers) -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        if key not in before or key not in after:
            yield f"{name}: {key} is only in the {'new' if key in after else 'old'} one"
        elif not _equal(before[key], after[key]):
            yield f"{name}: {key} is {str(before[key])[:60]} and then {str(after[key])[:60]}"


def _equal(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


def _data_numbers(folder: Path) -> Numbers:
    """Return the rows of each split by column, and the counts of a record."""
    import pyarrow.parquet as pq

    numbers: Numbers = {}
    for path in sorted((folder / "data").rglob("*.parquet")):
        table = pq.read_table(path)
        for column in table.column_names:
            numbers[f"{path.relative_to(folder)} {column}"] = table[column].to_pylist()
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    record |= record.get("generation") or {}
    for field in ("words", "filters", "standalone_filters"):
        numbers |= _flat(field, record.get(field, {}))
    return numbers


def _results(folder: Path) -> Iterator[tuple[str, Numbers]]:
    for path in sorted(folder.rglob("*.json")):
        if ".work" not in str(path):
            result = json.loads(path.read_text(encoding="utf-8"))
            key = f"{path.parent.name} {result['model']['name']} {result['dataset']['config']}"
            yield key, dict(_numbers_of(result))


def _flat(name: str, value: Any) -> Numbers:  # noqa: ANN401 - JSON values
    if isinstance(value, dict):
        return {key: each for part, inner in value.items() for key, each in _flat(f"{name}.{part}", inner).items()}
    if isinstance(value, list):
        return {key: each for at, inner in enumerate(value) for key, each in _flat(f"{name}[{at}]", inner).items()}
    return {name: value}


def _numbers_of(result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the numbers of a result of format 6 or 7 under common names."""
    reader = {6: _of_format_6, 7: _of_format_7}[result["schema_version"]]
    common = {
        name: result[name]
        for name in ("compared_labels", "notes", "quality_threshold", "thresholds", "source")
        if result.get(name) is not None
    }
    common["no_answers"] = result["run"]["no_answers"]
    common["labels"] = result["dataset"]["labels"]
    common["digest"] = result["dataset"]["digest"]
    for name, value in {**common, **reader(result)}.items():
        yield from _flat(name, value).items()


def _of_format_6(result: dict[str, Any]) -> Numbers:
    if result["kind"] == "groups":
        table = result["groups"]
        overall = _grouped_scores_6(result["scores"]) | _intervals(result["intervals"])
        parts = {
            f"parts.{column}.{value}": _grouped_scores_6(scores)
            for column, values in result["by"].items()
            for value, scores in values.items()
        }
        left = result["left_out"]
        return {
            "scores": overall,
            **parts,
            "left_out": [left["max_length"], left["groups"], left["pairs"]],
            "groups": _counts(table["group_id"], [table["sizes"]], [table["correct"]]),
            "answers": dict(zip(table["group_id"], table["predictions"], strict=True)),
        }
    table, left = result["seeds"], result["left_out"]
    columns = {"word_class": result["classes"], "label": result["labels"], "masked_lm": result["masked_lms"]}
    return {
        "scores": _scores_6(result["scores"]),
        **{
            f"parts.{column}.{value}": _scores_6(scores)
            for column, values in columns.items()
            for value, scores in values.items()
        },
        "consistency": {name: _variant_scores_6(scores) for name, scores in result["consistency"].items()},
        "left_out": [left["max_length"], left["seeds"], left["variants"]],
        "groups": _counts(table["seed_id"], table["sizes"], table["correct"]),
        "answers": dict(zip(table["seed_id"], table["variant_predictions"], strict=True)),
        "anchors": dict(zip(table["seed_id"], table["predicted"], strict=True)),
        "gold": dict(zip(table["seed_id"], table["gold"], strict=True)),
    }


def _counts(ids: Sequence[str], sizes: Sequence[Sequence[int]], correct: Sequence[Sequence[int]]) -> Numbers:
    return {name: [[row[at] for row in sizes], [row[at] for row in correct]] for at, name in enumerate(ids)}


def _intervals(intervals: dict[str, Any] | None) -> Numbers:
    if intervals is None:
        return {"intervals.none": True}
    renamed = {"seed_sample_accuracy": "anchor_accuracy"}
    ends = ("seed_sample_accuracy", "anchor_accuracy", "sample_accuracy", "pattern_accuracy", "qt")
    return {f"{renamed.get(name, name)}_interval": intervals[name] for name in ends if intervals.get(name) is not None}


def _variant_scores_6(scores: dict[str, Any]) -> Numbers:
    return {
        "rows": scores["variants"],
        "sample_accuracy": scores["sample_accuracy"],
        "all_rows": scores["test_sample_accuracy"],
        "pattern_accuracy": scores["pattern_accuracy"],
        "curve": scores["curve"]["mean"],
        "passing": scores["curve"]["passing"],
        "drawn": scores["curve"]["seeds"],
    }


def _scores_6(scores: dict[str, Any]) -> Numbers:
    return {
        **_variant_scores_6(scores["on_variants"]),
        "groups": scores["seeds"],
        "anchor_accuracy": scores["seed_sample_accuracy"],
        "qt": scores["qt"],
        "mt": scores["mt"],
        **_intervals(scores["intervals"]),
    }


def _grouped_scores_6(scores: dict[str, Any]) -> Numbers:
    return {
        "rows": scores["pairs"],
        "groups": scores["groups"],
        "sample_accuracy.mean": scores["sample_accuracy"],
        "pattern_accuracy.mean": scores["pattern_accuracy"],
        "curve": scores["curve"]["mean"],
        "passing": scores["curve"]["passing"],
        "drawn": scores["curve"]["seeds"],
        "predicted": scores["predicted"],
    }


def _of_format_7(result: dict[str, Any]) -> Numbers:
    table, left = result["groups"], result["left_out"]
    labels = result["dataset"]["labels"]
    numbers = {
        "scores": _scores_7(result["scores"]),
        **{
            f"parts.{column}.{value}": _scores_7(scores)
            for column, values in result["parts"].items()
            for value, scores in values.items()
        },
        "left_out": [left["max_length"], left["groups"], left["rows"]],
        "groups": _counts(table["id"], table["sizes"], table["correct"]),
        "answers": dict(zip(table["id"], table["predictions"], strict=True)),
    }
    if table["anchors"] is None:
        return numbers
    return numbers | {
        "consistency": {name: _row_scores_7(scores) for name, scores in result["consistency"].items()},
        "anchors": dict(zip(table["id"], table["anchors"], strict=True)),
        "gold": {name: labels[int(gold[0])] for name, gold in zip(table["id"], table["gold"], strict=True)},
    }


def _row_scores_7(scores: dict[str, Any]) -> Numbers:
    return {
        "rows": scores["rows"],
        "sample_accuracy": scores["sample_accuracy"],
        "all_rows": scores["all_rows_accuracy"],
        "pattern_accuracy": scores["pattern_accuracy"],
        "curve": scores["curve"]["mean"],
        "passing": scores["curve"]["passing"],
        "drawn": scores["curve"]["groups"],
    }


def _scores_7(scores: dict[str, Any]) -> Numbers:
    if scores["anchor_accuracy"] is None:
        return {
            "rows": scores["rows"],
            "groups": scores["groups"],
            "sample_accuracy.mean": scores["sample_accuracy"]["mean"],
            "pattern_accuracy.mean": scores["pattern_accuracy"]["mean"],
            "curve": scores["curve"]["mean"],
            "passing": scores["curve"]["passing"],
            "drawn": scores["curve"]["groups"],
            "predicted": scores["predicted"],
            **_intervals(scores["intervals"]),
        }
    return {
        **_row_scores_7(scores),
        "groups": scores["groups"],
        "anchor_accuracy": scores["anchor_accuracy"],
        "qt": scores["qt"],
        "mt": scores["mt"],
        **_intervals(scores["intervals"]),
    }


if __name__ == "__main__":
    sys.exit(main())
