"""Every number of a report equals one that plain pandas computes from the predictions alone."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import score
from merge_snli.dataset.record import MaskedLMRecord
from merge_snli.dataset.record_file import read_record
from merge_snli.paper.report.analyze import analyze
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.results.independent.analyses import OF_ONE, recompute, word_counts
from tests.merge_snli.results.independent.numbers import Json, Near
from tests.oracles import pair_of, rows_of, write_rows
from tests.records import save_record

MASKED_LMS = ("google-bert/bert-base-cased", "google-bert/bert-large-cased", "FacebookAI/roberta-base")


FINE_TUNED_FROM = {"careful": MASKED_LMS[0], "hasty": MASKED_LMS[1], "short-bert": MASKED_LMS[2]}


# Seeds that the functions never answer right.
HARD = ("s004", "s009")


Pair = tuple[str, str]


Row = dict[str, Any]


@dataclass(frozen=True)
class Scored:
    """Data sets, the folder of the results on them, and a corpus."""

    folders: tuple[Path, ...]
    results: Path
    corpus: Path


def number(*parts: str) -> int:
    return int(hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8], 16)


def vary(kind: str) -> Callable[[Row, list[Row]], None]:
    """Return a change of rows: other masked LMs, log-odds and, for some kinds, fewer variants."""

    def change(_: Row, rows: list[Row]) -> None:
        for row in rows:
            chosen = number(kind, row["variant_id"]) % 7 + 1
            names = [name for at, name in enumerate(MASKED_LMS) if chosen >> at & 1]
            row["premise_mlms"], row["hypothesis_mlms"] = names, names[:1]
            row["log_odds"] = number("odds", kind, row["variant_id"]) % 1000 / 250
            if kind != "plain" and number("again", row["variant_id"]) % 3 == 0:
                row["subsamples"] = row["subsamples"][1:]

    return change


def finish(folder: Path, filters: Sequence[str]) -> Path:
    """Add the labels of annotators to the variants, and the options to the record."""
    path = folder / "data/all/test.parquet"
    table = pq.read_table(path)
    votes = [json.dumps([NLI_LABELS[label], "neutral", "", NLI_LABELS[label]]) for label in table["label"].to_pylist()]
    pq.write_table(table.append_column("annotator_labels", pa.array(votes)), path)
    record = read_record(folder / "run.json")
    save_record(
        folder,
        title=record.title,
        data=record.data,
        masked_lms=tuple(MaskedLMRecord(name, None, "a" * 64) for name in MASKED_LMS),
        options=record.options | {"mlm": list(MASKED_LMS), "filters": list(filters)},
    )
    return folder


def answers(name: str, gold: dict[Pair, tuple[str, int]], errors: int) -> Callable[[list[Pair]], list[str]]:
    """Return a function that is wrong on a share of the pairs in percent, more often on some seeds than on others."""

    def answer(pair: Pair) -> str:
        seed, label = gold[pair]
        wrong = number(name, *pair) % 100 < errors * (number(name, seed) % 4) / 2 or seed in HARD
        given = NLI_LABELS[(label + 1 + number(name, pair[0]) % 2) % 3 if wrong else label]
        return "not_entailment" if name == "half" and given != "entailment" else given

    return lambda pairs: [answer(pair) for pair in pairs]


@pytest.fixture(scope="session")
def scored(
    make_dataset: Callable[..., Path], make_model: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Scored:
    folder = tmp_path_factory.mktemp("independent")
    plain = finish(make_dataset(folder / "plain", seeds=30, change=vary("plain")), ["prob", "pos"])
    pos = finish(make_dataset(folder / "pos", seeds=30, change=vary("pos")), ["pos"])
    other = finish(make_dataset(folder / "other", seeds=6, change=vary("other")), ["prob"])
    problems = rows_of(plain, "seed")
    more = [{"premise": f"A man has {n} boats.", "hypothesis": "He rows.", "label": n % 3} for n in range(9)]
    asked = [*problems, *(row | {"seed_id": "none"} for row in more)]
    for dataset in (plain, pos, other):
        asked += rows_of(dataset)
    gold = {pair_of(row): (row["seed_id"], row["label"]) for row in asked}
    lines = [row | {"label": NLI_LABELS[row["label"]]} for row in problems + more]
    source = write_rows(folder / "source.jsonl", lines)
    results = folder / "results"
    for name, errors in (("careful", 8), ("hasty", 30), ("middling", 20), ("half", 15)):
        for dataset in (plain, pos, other):
            given = source if dataset == plain else None
            score(answers(name, gold, errors), dataset, source=given, name=name, out=results)
    score(make_model(folder / "short-bert", limit=38), plain, out=results, source=source)
    score(answers("careful", gold, 8), plain, config="noun", name="careful", out=results)
    corpus = folder / "corpus.txt"
    words = [word for pair in list(gold)[::3] for word in pair[0].rstrip(".").split()]
    corpus.write_text(" ".join(words), encoding="utf-8")
    return Scored((plain, pos, other), results, corpus)


LEFT_OUT = (HARD[0], "s001")


@pytest.mark.slow
def test_every_number_is_equal(scored: Scored) -> None:
    """One test, as its fixtures are expensive. The report repeats all analyses without some seeds."""
    report = analyze(
        [scored.results],
        scored.folders,
        fine_tuned_from=FINE_TUNED_FROM,
        corpus=str(scored.corpus),
        without_seeds=LEFT_OUT,
        common_seeds=True,
    ).as_dict()
    reported: Json = json.loads(json.dumps(report))
    check_completeness(reported)
    words = word_counts(scored.corpus.read_text(encoding="utf-8"))
    computed = recompute(reported, scored.folders, sorted(scored.results.glob("*.json")), words=words, without=LEFT_OUT)
    assert list(differences(reported, computed)) == []


def check_completeness(reported: Json) -> None:
    """Check that little is missing in the report: what needs two word classes or more seeds."""
    parts = {part["title"]: part["analyses"] for part in reported["data_sets"]}
    first, two_way, second = (parts[f"plain, config {name}"] for name in ("all", "all, two-way models", "noun"))
    assert 0 < first["table_3"]["rows"][0]["seeds"] < two_way["table_3"]["rows"][0]["seeds"]
    assert set(first) == {*OF_ONE, "word_frequency", "error_drivers"}
    assert missing(first) == missing(reported["across_data_sets"]) == set()
    assert missing(second) == {"classes", "class_pairs"}
    assert first["error_drivers"]["pooled"]["coefficients"]
    assert {row["group"] for row in first["fine_tuned"]["groups"] if row["seeds"]} == {"equiv", "size", "arch", "multi"}
    assert parts["pos, config all"]["hard_seeds"]["never_right"]
    assert "upper bound" in first["seeds_against_variants"]["over_seeds"]["test"]


def missing(analyses: Json) -> set[str]:
    return {name for name, value in analyses.items() if "not_computed" in value}


# Keys of a report whose values are texts or missing, never numbers.
TEXTS = frozenset(
    {
        "test",
        "unit",
        "method",
        "effect",
        "warning",
        "training_data",
        "reason",
        "not_computed",
        "corpus",
        "corpus_digest",
        "coverage",
    }
)


JsonValue: TypeAlias = Any


RELATIVE, ABSOLUTE = 1e-9, 1e-9


def differences(reported: JsonValue, computed: JsonValue, place: str = "report") -> Iterator[str]:
    """Yield where a report differs from the independent numbers, and each value that was not computed.

    Texts in `TEXTS` need not be computed. Anything else must be, so that a new number in the report is not forgotten.
    """
    if isinstance(reported, dict) and isinstance(computed, dict):
        for key in sorted({*reported, *computed}):
            if key not in reported:
                yield f"{place}.{key} is missing in the report"
            elif key in computed:
                yield from differences(reported[key], computed[key], f"{place}.{key}")
            elif key not in TEXTS or not isinstance(reported[key], str | list | None):
                yield f"{place}.{key} = {reported[key]!r:.60} was not computed independently"
    elif isinstance(reported, list) and isinstance(computed, list | tuple) and len(reported) == len(computed):
        for at, (one, other) in enumerate(zip(reported, computed, strict=True)):
            yield from differences(one, other, f"{place}[{at}]")
    elif not _equal(reported, computed):
        yield f"{place} = {reported!r:.60}, computed {computed!r:.60}"


def _equal(reported: JsonValue, computed: JsonValue) -> bool:
    if isinstance(computed, float) and not math.isfinite(computed):
        computed = None
    if isinstance(reported, bool) or not isinstance(reported, int | float):
        return bool(reported == computed) and type(reported) is type(computed)
    if isinstance(computed, Near):
        return abs(reported - computed.value) <= computed.tolerance
    if isinstance(computed, bool) or not isinstance(computed, int | float):
        return False
    return math.isclose(reported, computed, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
