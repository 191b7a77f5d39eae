"""Tests of results in the Hub's format."""

import dataclasses
import re
from pathlib import Path

import pytest

from merge_snli import score
from merge_snli.base.errors import InputError
from merge_snli.scoring.eval_results import eval_results_file, eval_tasks, write_eval_results


def test_only_float32_results_on_hub_models_are_written(
    dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = score(lambda pairs: [0] * len(pairs), dataset, name="always")
    assert write_eval_results([result], tmp_path, dataset_id="me/merge_snli") == []
    assert "always" in caplog.text
    model = dataclasses.replace(result.model, name="org/a", revision="c0ffee")
    on_hub = dataclasses.replace(result, model=model)
    int8 = dataclasses.replace(on_hub, run=dataclasses.replace(result.run, dtype="int8"))
    assert write_eval_results([int8], tmp_path, dataset_id="me/merge_snli") == []
    assert "org/a (int8)" in caplog.text
    [path] = write_eval_results([result, on_hub], tmp_path, dataset_id="me/merge_snli")
    assert path == eval_results_file("org/a", tmp_path)


@pytest.mark.parametrize("name", ["merge_snli", "./merge_snli", "/data/merge_snli", "a/b/c", ""])
def test_data_set_id_must_be_a_hub_id(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(repr(name))):
        write_eval_results([], tmp_path, dataset_id=name)


def test_tasks_of_a_data_set() -> None:
    assert eval_tasks(["noun"]) == {"noun_sample_accuracy": "noun"}
