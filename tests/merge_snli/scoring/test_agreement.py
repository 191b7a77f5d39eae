"""Tests of annotators' labels: scores by agreement, seeds that are left out, and the distance to people's labels."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli import InputError, analyze, compare, load, read_results, score
from merge_snli.cli import main
from merge_snli.dataset.variants import ANNOTATOR_LABELS, label_counts
from merge_snli.schema import NLI_LABELS, data_file
from merge_snli.scoring.check import on_part
from merge_snli.scoring.data import part_of_data
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.predict import PredictionStore
from merge_snli.scoring.store import work_folder
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import answers_of_groups

Pair = tuple[str, str]
VOTES = (5, 4, 3)
"""How many of five annotators gave the gold label to the first seed, the second, the third, the fourth, …"""


def given(seed: int) -> str:
    """Return what the files have for a seed; the eleventh has no labels of annotators."""
    gold, other = NLI_LABELS[seed % 3], NLI_LABELS[(seed + 1) % 3]
    votes = VOTES[seed % 4 % 3]
    return "" if seed == 10 else json.dumps([gold] * votes + [other] * (5 - votes))


@pytest.fixture(scope="module")
def annotators(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set whose twelve seeds have labels of annotators, as `--keep-column` keeps them."""
    folder = make_dataset(tmp_path_factory.mktemp("data") / "merge_people")
    path = folder / data_file("all", "test")
    table = pq.read_table(path)
    labels = [given(int(seed[1:])) for seed in table["seed_id"].to_pylist()]
    pq.write_table(table.append_column(ANNOTATOR_LABELS, pa.array(labels)), path)
    return folder


def label_of(pair: Pair) -> str:
    return NLI_LABELS[len(pair[0]) % 3]


def neutral(pairs: list[Pair]) -> list[str]:
    return ["neutral"] * len(pairs)


def by_length(pairs: list[Pair]) -> list[str]:
    return [label_of(pair) for pair in pairs]


def test_results_have_scores_by_agreement(annotators: Path) -> None:
    result = score(neutral, annotators, name="neutral")
    found = result.parts["agreement"]
    assert list(found) == ["5/5", "4/5", "3/5"]
    seeds = {"5/5": [0, 3, 4, 7, 8, 11], "4/5": [1, 5, 9], "3/5": [2, 6]}
    for name, own in seeds.items():
        assert found[name].groups == len(own)
        assert found[name].seed_accuracy == pytest.approx(np.mean([seed % 3 == 1 for seed in own]))


def test_seeds_below_an_agreement_are_left_out_of_scores(annotators: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = score(neutral, annotators, name="neutral", min_agreement=4 / 5)
    assert result.group_ids == tuple(f"s{seed:03}" for seed in (0, 1, 3, 4, 5, 7, 8, 9, 11))
    assert result.dataset.partial is not None
    assert result.dataset.partial.min_agreement == 0.8
    assert "agreement of at least 0.8" in result.dataset.title
    out = annotators.parent / "results"
    arguments = ["--dataset", str(annotators), "--out", str(out), "--min-agreement", "4/5"]
    assert main(["score", "demo:nli-a", *arguments, "--subsample", "0"]) == 0
    printed = capsys.readouterr().out
    assert "by agreement" in printed
    assert "4/5" in printed
    assert "3/5" not in printed


def test_compare_and_analyze_leave_them_out(annotators: Path, tmp_path: Path) -> None:
    results = [score(neutral, annotators, name="neutral"), score(by_length, annotators, name="by length")]
    [comparison] = compare(results, datasets=[load(str(annotators))], min_agreement=4 / 5)
    assert comparison.seeds == 9
    assert comparison.left_out == 3
    assert "agreement of at least 0.8" in comparison.title
    part = [score(model, annotators, min_agreement=4 / 5) for model in (neutral, by_length)]
    [of_part] = compare(part)
    assert [*of_part.pattern_accuracy.values()] == [*comparison.pattern_accuracy.values()]
    with pytest.raises(InputError, match="dataset"):
        compare(results, min_agreement=4 / 5)
    report = analyze(results, [load(str(annotators))], min_agreement=4 / 5)
    [scored] = report.data_sets[0].scored
    assert len(scored.ids) == 9
    assert scored.models[0].result.scores.seed_accuracy == part[0].scores.seed_accuracy


def test_compare_leaves_them_out_of_a_part(annotators: Path) -> None:
    results = [score(model, annotators, subsample=0) for model in (neutral, by_length)]
    [comparison] = compare(results, datasets=[load(str(annotators))], min_agreement=4 / 5)
    assert comparison.seeds == 9


def test_probabilities_are_compared_with_the_labels_of_people(annotators: Path, bert: Path, tmp_path: Path) -> None:
    result = score(bert, annotators, out=tmp_path / "results")
    assert result.calibration is not None
    data = open_config(annotators, "all")
    [folder] = {path.parent for path in work_folder(tmp_path / "results").rglob("*.parquet")}
    logits = {
        pair: values
        for shard in PredictionStore(folder).shards()
        if shard.logits is not None
        for pair, values in zip(shard.pairs, shard.logits, strict=True)
    }
    from merge_snli.scoring.data import pair_digest

    def distance(pair: int, seed: int) -> float:
        values = np.exp(logits[pair_digest(data.pairs[pair])].astype(float))
        shown = dict(zip(result.model.labels, values / values.sum(), strict=True))
        labels = json.loads(given(seed))
        return float(sum(abs(shown[name] - labels.count(name) / 5) for name in NLI_LABELS)) / 2

    assert data.seeds is not None
    assert data.subsamples is not None
    on_seeds = [distance(pair, seed) for seed, pair in enumerate(data.seeds.pairs.tolist()) if seed != 10]
    assert result.calibration.seed_annotator_distance == pytest.approx(np.mean(on_seeds), abs=2e-4)
    of_draws = [
        np.mean(
            [
                distance(int(data.row_pairs[row]), int(data.row_groups[row]))
                for row in np.flatnonzero(draw)
                if data.row_groups[row] != 10
            ]
        )
        for draw in data.subsamples
    ]
    assert result.calibration.annotator_distance == pytest.approx(np.mean(of_draws), abs=2e-4)


def test_stored_probabilities_give_the_distance_on_a_part(annotators: Path, bert: Path, tmp_path: Path) -> None:
    score(bert, annotators, out=tmp_path)
    [stored] = read_results(tmp_path)
    part = score(bert, annotators, min_agreement=4 / 5)
    data = open_config(annotators, "all")
    again = on_part(stored, data, part_of_data(data, min_agreement=4 / 5))
    assert again.calibration is not None
    assert part.calibration is not None
    assert part.calibration.annotator_distance is not None
    assert asdict(again.calibration) == pytest.approx(asdict(part.calibration), abs=1e-4)
    assert answers_of_groups(again).predictions == answers_of_groups(part).predictions


def test_without_labels_of_annotators(dataset: Path, bert: Path) -> None:
    result = score(bert, dataset, subsample=0)
    assert "agreement" not in result.parts
    assert result.calibration is not None
    assert result.calibration.annotator_distance is None
    with pytest.raises(InputError, match=r"min_agreement.*annotator_labels"):
        score(neutral, dataset, min_agreement=0.8)


def test_no_seed_remains(annotators: Path) -> None:
    with pytest.raises(InputError, match="min_agreement"):
        score(neutral, annotators, min_agreement=1.1)


@pytest.mark.parametrize("text", ["neutral", '{"a": 1}', '["unclear"]', "3"])
def test_other_values_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"s1.*annotator_labels"):
        label_counts(text, NLI_LABELS, "s1")


def test_empty_labels_do_not_count() -> None:
    assert label_counts('["Entailment", "", "c"]', NLI_LABELS, "s1") == [1, 0, 1]
    assert label_counts(None, NLI_LABELS, "s1") == [0, 0, 0]


@pytest.mark.parametrize("text", ["5/4", "-1", "4/0", "most"])
def test_shares_that_cannot_be_meant(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "results", "--min-agreement", text])
    assert text in capsys.readouterr().err
