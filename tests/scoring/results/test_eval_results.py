"""Results in the Hub's form: for models of the Hub only, by the Hub id of the data set."""

import dataclasses
from pathlib import Path

import pytest

from merge_snli.errors import InputError
from scoring import score
from scoring.results.eval_results import EvalTask, eval_results_file, eval_tasks, write_eval_results


def test_what_is_no_repository_has_no_eval_results(
    dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = score(lambda pairs: [0] * len(pairs), dataset, name="always")
    assert write_eval_results([result], tmp_path, dataset_id="me/merge_snli") == []
    assert "always is no repository of the Hub: no eval results are written for it" in caplog.text
    model = dataclasses.replace(result.model, name="org/a", revision="c0ffee")
    of_hub = dataclasses.replace(result, model=model)
    coarse = dataclasses.replace(of_hub, run=dataclasses.replace(result.run, dtype="int8"))
    assert write_eval_results([coarse], tmp_path, dataset_id="me/merge_snli") == []
    assert "org/a (int8) is left out of the eval results" in caplog.text
    [path] = write_eval_results([result, of_hub], tmp_path, dataset_id="me/merge_snli")
    assert path == eval_results_file("org/a", tmp_path)


@pytest.mark.parametrize("name", ["merge_snli", "./merge_snli", "/data/merge_snli", "a/b/c", ""])
def test_only_a_hub_id_names_the_data_set(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no Hub id of a data set"):
        write_eval_results([], tmp_path, dataset_id=name)


def test_tasks_of_a_data_set() -> None:
    assert eval_tasks(["noun"]) == (
        EvalTask("noun_pattern_accuracy", "noun", "test"),
        EvalTask("noun_sample_accuracy", "noun", "test"),
    )
