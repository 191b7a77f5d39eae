"""Three made-up data sets, two of them on the same seeds, and results of models on them."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import score
from merge_snli.dataset.record import MaskedLMRecord, read_record
from merge_snli.schema import NLI_LABELS
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
    problems = pq.read_table(plain / "data/seed/test.parquet").to_pylist()
    gold = {(row["premise"], row["hypothesis"]): (row["seed_id"], row["label"]) for row in problems}
    for dataset in (plain, pos, other):
        rows = pq.read_table(dataset / "data/all/test.parquet").to_pylist()
        gold |= {(row["premise"], row["hypothesis"]): (row["seed_id"], row["label"]) for row in rows}
    source = folder / "source.jsonl"
    lines = [
        {"premise": row["premise"], "hypothesis": row["hypothesis"], "label": NLI_LABELS[row["label"]]}
        for row in problems
    ]
    more = [
        {"premise": f"A man has {n} boats.", "hypothesis": "He rows.", "label": NLI_LABELS[n % 3]} for n in range(9)
    ]
    gold |= {(line["premise"], line["hypothesis"]): ("none", NLI_LABELS.index(line["label"])) for line in more}
    source.write_text("".join(json.dumps(line) + "\n" for line in lines + more), encoding="utf-8")
    results = folder / "results"
    for name, errors in (("careful", 8), ("hasty", 30), ("middling", 20), ("half", 15)):
        for dataset in (plain, pos, other):
            given = source if dataset == plain else None
            score(answers(name, gold, errors), dataset, source=given, name=name, out=results)
    score(make_model(folder / "short-bert", limit=38), plain, out=results, source=source)
    score(answers("careful", gold, 8), plain, config="noun", name="careful", out=results)
    corpus = folder / "corpus.txt"
    words = [word for pair in list(gold)[::3] for word in pair[0].rstrip(".").split()]
    corpus.write_text("\n".join(" ".join(words[at : at + 9]) for at in range(0, len(words), 9)), encoding="utf-8")
    return Scored((plain, pos, other), results, corpus)
