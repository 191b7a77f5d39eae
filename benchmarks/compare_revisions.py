"""Compare what two revisions compute: results, rows of data sets, and counts of the filters.

Run from the root of a checkout:

    python benchmarks/compare_revisions.py 5df4655 HEAD --snli ../shared/data/snli/dev.jsonl

Each revision is checked out into a temporary worktree and run there with the packages of this environment: `generate`
on the bundled problems and on 500 problems of SNLI, and `score` with the bundled models, a function, an imported
table, a source, a part, Simple Pair, and a file with a group column. Every number of the results, every column of the
rows and every count of the filters is compared; those of result formats 7 and 8 by their meaning. Ends of intervals,
digests of data sets and new columns are listed, but they do not count as differences. A revision may also be a folder
that `--collect` has filled.
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

# How far numbers may be apart: format 7 rounds probabilities to float16.
EXACT, ROUNDED = 1e-12, 2e-4

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
    preset = _first("preset_options", "generation.options", "generation.presets")("demo")
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
        elif not _equal(before[key], after[key], ROUNDED if key.startswith("calibration") else EXACT):
            yield f"{name}: {key} is {str(before[key])[:60]} and then {str(after[key])[:60]}"


def _equal(one: object, other: object, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=EXACT, abs_tol=tolerance)
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
            yield key, dict(_numbers_of(result, _answers(result, path)))


def _flat(name: str, value: Any) -> Numbers:  # noqa: ANN401 - JSON values
    if isinstance(value, dict):
        return {key: each for part, inner in value.items() for key, each in _flat(f"{name}.{part}", inner).items()}
    if isinstance(value, list):
        return {key: each for at, inner in enumerate(value) for key, each in _flat(f"{name}[{at}]", inner).items()}
    return {name: value}


def _numbers_of(result: dict[str, Any], answers: Numbers) -> Iterator[tuple[str, Any]]:
    """Yield the numbers of a result of format 7 or 8 under common names."""
    names = NAMES[result["schema_version"]]
    common = {name: result[name] for name in ("compared_labels", "notes", "source") if result.get(name) is not None}
    common |= {name: result["run"][name] for name in ("no_answers", "tied")}
    common |= {name: result["dataset"][name] for name in ("labels", "digest")}
    common["calibration"] = {
        key.replace("anchor_", "seed_").replace("people", "annotator"): value
        for key, value in (result["calibration"] or {}).items()
    }
    common["consistency"] = {name: _row_scores(scores) for name, scores in (result["consistency"] or {}).items()}
    common["left_out"] = result["left_out"]
    common["scores"] = _scores(result["scores"], names)
    for column, values in result["parts"].items():
        common |= {f"parts.{column}.{value}": _scores(scores, names) for value, scores in values.items()}
    for name, value in {**common, **answers}.items():
        yield from _flat(name, value).items()


# The names of the scores of seeds in each format.
NAMES = {7: "anchor_accuracy", 8: "seed_accuracy"}


def _answers(result: dict[str, Any], path: Path) -> Numbers:
    """Return the answers by group: one character for each predicted row, and the answer to the seed."""
    if result["schema_version"] == 7:
        table = result["groups"]
        texts = (text.replace("-", "") for text in table["predictions"])
        seeds = {} if table["anchors"] is None else dict(zip(table["id"], table["anchors"], strict=True))
        return {
            "groups": _counts(table["id"], table["sizes"], table["correct"]),
            "answers": dict(zip(table["id"], texts, strict=True)),
            "seeds": seeds,
        }
    import pyarrow.parquet as pq

    rows = pq.read_table(path.with_suffix(".parquet")).to_pylist()
    numbers = {label: str(at) for at, label in enumerate(result["compared_labels"])} | {None: "?"}
    ids = dict.fromkeys(row["group_id"] for row in rows)
    answers: dict[str, str] = dict.fromkeys(ids, "")
    counts = [{name: [0, 0] for name in ids} for _ in range(result["subsamples"] or 1)]
    for row in rows:
        if not row["is_seed"]:
            answers[row["group_id"]] += numbers[row["answer"]]
            for subsample in row.get("subsamples", [0]):
                counts[subsample][row["group_id"]][0] += 1
                counts[subsample][row["group_id"]][1] += row["answer"] == row["label"]
    sizes, correct = ([[each[name][at] for name in ids] for each in counts] for at in (0, 1))
    seeds = {row["group_id"]: row["answer"] for row in rows if row["is_seed"]}
    return {"groups": _counts([*ids], sizes, correct), "answers": answers, "seeds": seeds}


def _counts(ids: Sequence[str], sizes: Sequence[Sequence[int]], correct: Sequence[Sequence[int]]) -> Numbers:
    return {name: [[row[at] for row in sizes], [row[at] for row in correct]] for at, name in enumerate(ids)}


def _intervals(intervals: dict[str, Any] | None) -> Numbers:
    if intervals is None:
        return {"intervals.none": True}
    ends = ("anchor_accuracy", "seed_accuracy", "sample_accuracy", "pattern_accuracy", "qt")
    found = {name.replace("anchor", "seed"): intervals[name] for name in ends if intervals.get(name) is not None}
    return {f"{name}_interval": value for name, value in found.items()}


def _row_scores(scores: dict[str, Any]) -> Numbers:
    return {
        "rows": scores["rows"],
        "sample_accuracy": scores["sample_accuracy"],
        "all_rows": scores["all_rows_accuracy"],
        "pattern_accuracy": scores["pattern_accuracy"],
        "curve": scores["curve"]["mean"],
        "passing": scores["curve"]["passing"],
        "drawn": scores["curve"]["groups"],
    }


def _scores(scores: dict[str, Any], on_seeds: str) -> Numbers:
    return {
        **_row_scores(scores),
        "groups": scores["groups"],
        "predicted": scores["predicted"],
        "seed_accuracy": scores[on_seeds],
        "qt": scores["qt"],
        "mt": scores["mt"],
        **_intervals(scores["intervals"]),
    }


if __name__ == "__main__":
    sys.exit(main())
