"""Shots are drawn from other problems than the questions, and the same ones each time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.language_models.shots import shots_for
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.reading import read_config


def test_shots_are_reproducible_balanced_and_never_asked(bundled: MergeDataset) -> None:
    data = read_config(bundled, "all")
    shots = shots_for(data, "demo:problems", 6)
    assert shots == shots_for(data, "demo:problems", 6)
    assert [shot.label for shot in shots] == [*NLI_LABELS, *NLI_LABELS]
    assert not {shot.premise for shot in shots} & {premise for premise, _ in data.pairs}
    assert shots[:3] == shots_for(data, "demo:problems", 3)
    assert shots != shots_for(data, "demo:problems", 6, random_seed=1)


def test_premises_of_other_configs_and_in_other_spellings_are_no_shots(bundled: MergeDataset, tmp_path: Path) -> None:
    whole, verb = read_config(bundled, "all"), read_config(bundled, "verb")
    own = {premise for premise, _ in verb.pairs}
    premise = next(premise for premise, _ in whole.pairs if premise not in own)
    leaks = [premise, premise.upper(), f" {premise.rstrip('.')} ", premise.replace(" ", "  ").replace(".", " !")]
    rows = [{"premise": text, "hypothesis": "c d", "label": NLI_LABELS[0]} for text in leaks]
    leaking = tmp_path / "leaking.jsonl"
    leaking.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(InputError, match=f"0 problems for 1 shots.*{premise}"):
        shots_for(verb, str(leaking), 1)
    new = {"premise": "A new one.", "hypothesis": "c d", "label": NLI_LABELS[0]}
    leaking.write_text("\n".join(map(json.dumps, [*rows, new])), encoding="utf-8")
    assert [shot.premise for shot in shots_for(verb, str(leaking), 1)] == ["A new one."]


def test_wrong_shots(bundled: MergeDataset, tmp_path: Path) -> None:
    data = read_config(bundled, "noun")
    two = tmp_path / "two.jsonl"
    two.write_text('{"premise": "a b", "hypothesis": "c d", "label": "not_entailment"}\n')
    asked = tmp_path / "asked.jsonl"
    premise, hypothesis = data.pairs[0]
    asked.write_text(f'{{"premise": "{premise}", "hypothesis": "{hypothesis}", "label": "neutral"}}\n')
    unlabeled = tmp_path / "unlabeled.jsonl"
    unlabeled.write_text('{"premise": "a b", "hypothesis": "c d", "gold": "neutral"}\n')
    for source, count, message in (
        ("demo:problems", -1, "shots is -1"),
        ("demo:problems", 10**6, "has only [0-9]+ problems for 1000000 shots"),
        (str(asked), 1, "has only 0 problems for 1 shots"),
        (str(two), 1, "labels of .*two.jsonl are .*not_entailment"),
        (str(tmp_path / "none.jsonl"), 1, "none.jsonl"),
        (str(unlabeled), 1, "no column 'label' .*label_column, which shots_from does not take"),
    ):
        with pytest.raises(InputError, match=message):
            shots_for(data, source, count)
