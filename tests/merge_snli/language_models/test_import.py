"""Answers become results: the numbers equal those of the script, and what is missing or wrong is refused."""

import json
import shutil
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import write_eval_log
from lm_eval.api.model import LM
from lm_eval.models.dummy import DummyLM

from merge_snli import Result, read_results, score
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from merge_snli.schema import NLI_LABELS
from tests.cases import first_fast
from tests.commands import Command
from tests.merge_snli.language_models.conftest import (
    OWN,
    Edit,
    Json,
    Run,
    edited,
    lm_eval_logs_of,
    prompt_of,
    put,
    run_task,
    run_tasks,
    scripted_answers,
    write_tasks,
)
from tests.oracles import answers_of_groups, guess, refused, write_rows, written
from tests.records import copy_bundled

PART: dict[str, Any] = {"config": "verb", "limit_seeds": 3}
PART_OPTIONS = ("--config", "verb", "--limit-seeds", "3")

RANKED_TASK = "merge_snli_verb_word"
TASK = ("eval", "metadata", "merge_snli")
"""The path to the metadata of the task in a log of Inspect."""


def without(name: str) -> Edit:
    return put(*TASK, value=lambda task: {key: value for key, value in task.items() if key != name})


def exchange(log: Json) -> None:
    first, second, *_ = log["samples"]
    first["id"], second["id"] = second["id"], first["id"]


def exchange_without_prompt(log: Json) -> None:
    exchange(log)
    del log["eval"]["metadata"]["merge_snli"]["prompt_toml"]


def unknown_sample(log: Json) -> None:
    log["samples"][0]["id"] = log["eval"]["dataset"]["sample_ids"][0] = "unknown"


FORMS = (*["{0}"] * 6, "{2}", "{2}", "?", "entailment or neutral")


@pytest.fixture(scope="session")
def scripted_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole log of Inspect, `log.eval`, and beside it the same in JSON."""
    folder = tmp_path_factory.mktemp("inspect")
    task = nli(OWN, **PART)
    log = run_task(task, scripted_answers(task, *FORMS), folder / "logs")
    for name in ("log.eval", "log.json"):
        write_eval_log(log, str(folder / name))
    return folder / "log.eval"


@pytest.fixture
def inspect_log(scripted_log: Path, tmp_path: Path) -> Path:
    """A whole log of Inspect in JSON, to be edited."""
    return Path(shutil.copy(scripted_log.with_suffix(".json"), tmp_path))


@pytest.fixture(scope="session")
def lm_eval_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples of two tasks of lm-evaluation-harness, and their results."""
    folder = tmp_path_factory.mktemp("lm_eval")
    write_tasks(folder, *PART_OPTIONS)
    tasks = [RANKED_TASK, f"{RANKED_TASK}_generate"]
    (logs,) = {path.parent for path in lm_eval_logs_of(DummyLM(), tasks, folder, num_fewshot=2)}
    return logs


@pytest.fixture
def samples(lm_eval_logs: Path, tmp_path: Path) -> Path:
    """The samples of the task with ranked answers, which a test may change with the results beside them."""
    folder = Path(shutil.copytree(lm_eval_logs, tmp_path / "logs"))
    (path,) = folder.glob(f"samples_{RANKED_TASK}_2*")
    return path


def results_beside(samples: Path) -> Path:
    (path,) = samples.parent.glob("results_*")
    return path


@pytest.fixture(scope="session")
def other_dataset(bundled: MergeDataset, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Another version of the bundled data set."""
    folder = copy_bundled(tmp_path_factory.mktemp("other") / "merge_snli")
    for name in ("run.json", "README.md"):
        text = (Path(OWN) / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(bundled.digest, "0" * 64), encoding="utf-8")
    return str(folder)


def test_one_name_for_the_logs_of_several_models_is_check_refused(inspect_log: Path, tmp_path: Path) -> None:
    other = edited(inspect_log, put("eval", "model", value="mockllm/other"), name="other.json")
    message = r"model is 'mine'.*2 models, model, other"
    refused(message, import_files, [inspect_log, other], OWN, model="mine", out=tmp_path / "results")
    assert not (tmp_path / "results").exists()
    assert [result.model.name for result in import_files([inspect_log, other], OWN)] == ["model", "other"]
    assert [result.model.name for result in import_files([other], OWN, model="mine")] == ["mine"]


def test_the_leaderboard_has_the_prompt(inspect_log: Path, tmp_path: Path, command: Command) -> None:
    import_files([inspect_log], OWN, out=tmp_path / "results")
    command("leaderboard", tmp_path / "results", "--out", tmp_path / "site", "--format", "json")
    row = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))["rows"][0]
    assert (row["prompt"], row["shots"], row["provider"]) == ("word", 0, "mockllm")
    assert row["reasoning_tokens"] == 33


def test_a_model_that_never_answers_is_wrong_and_never_consistent(run: Run) -> None:
    task = nli(OWN, **PART)
    (result,) = import_files([run(task, ["?"] * len(task.dataset)).location], OWN)
    assert result.scores.seed_accuracy == result.scores.sample_accuracy.mean == 0
    assert result.run.no_answers == len(task.dataset)
    assert {*(answers_of_groups(result).seeds or ())} == {None}
    assert [scores.sample_accuracy.mean for scores in (result.consistency or {}).values()] == [0, 0]


def test_imported_answers_give_the_result_of_the_function_that_gave_them(tmp_path: Path, bundled: MergeDataset) -> None:
    expected = score(guess, OWN, config="noun")
    rows: dict[str, dict[str, Json]] = {}
    for row in read_split(bundled, "noun").to_pylist():
        for row_id, pair in (
            (row["seed_id"], (row["seed_premise"], row["seed_hypothesis"])),
            (row["variant_id"], (row["premise"], row["hypothesis"])),
        ):
            (answer,) = guess([pair])
            rows[row_id] = {"id": row_id} | dict.fromkeys(NLI_LABELS, -1.0) | {answer: 2.5}
    result = imported(tmp_path / "scores.csv", [*rows.values()], config="noun")
    assert result.scores == expected.scores
    assert result.consistency == expected.consistency
    assert answers_of_groups(result) == answers_of_groups(expected)
    assert result.model.label_origin == "answers"
    assert (result.run.seconds, result.run.dtype, result.model.architecture) == (0, None, None)


@pytest.fixture(scope="session")
def table(bundled: MergeDataset) -> list[dict[str, Json]]:
    """Answers to every seed and variant of config verb."""
    rows = read_split(bundled, "verb").to_pylist()
    ids = dict.fromkeys([*(row["variant_id"] for row in rows), *(row["seed_id"] for row in rows)])
    return [{"id": name, "label": "neutral"} for name in ids]


def imported(path: Path, rows: list[dict[str, Json]], config: str = "verb", **options: Any) -> Result:  # noqa: ANN401
    """Write a table and import it."""
    pd.DataFrame(rows).to_csv(path, index=False)
    (result,) = import_files([path], OWN, model="m", config=config, **options)
    return result


def test_tied_scores_are_counted(table: list[dict[str, Json]], tmp_path: Path) -> None:
    even = dict.fromkeys(NLI_LABELS, 0.25)
    rows = [{"id": row["id"], **even, "neutral": 0.25 if number < 3 else 0.5} for number, row in enumerate(table)]
    (note,) = (note for note in imported(tmp_path / "a.csv", rows).notes if "tied" in note)
    assert f"tied on 3 of {len(table)} distinct pairs" in note
    rows = [{"id": row["id"], **even} for row in table]
    refused(r"tied in every row of .*b\.csv", imported, tmp_path / "b.csv", rows)


def test_partial_leaves_out_and_counts_seeds(table: list[dict[str, Json]], tmp_path: Path) -> None:
    result = imported(tmp_path / "a.csv", table[1:], partial=True)
    seed = table[0]["id"].partition(":")[0]
    assert result.left_out.groups == 1
    assert result.left_out.rows == sum(row["id"].startswith(f"{seed}:") for row in table)
    assert seed not in result.group_ids
    assert any("not all of a seed's answers were imported" in note for note in result.notes)


def test_a_subsample_in_a_table(table: list[dict[str, Json]], bundled: MergeDataset, tmp_path: Path) -> None:
    drawn = {row["variant_id"] for row in read_split(bundled, "verb").to_pylist() if 2 in row["subsamples"]}
    rows = [row for row in table if ":" not in row["id"] or row["id"] in drawn]
    result = imported(tmp_path / "a.csv", rows, subsample=2)
    expected = score(lambda pairs: ["neutral"] * len(pairs), OWN, config="verb", subsample=2)
    assert (result.dataset, result.scores) == (expected.dataset, expected.scores)


def test_logs_of_one_run_are_joined(run: Run) -> None:
    logs = []
    for seeds in ("only", "without"):
        task = nli(OWN, **PART, seeds=seeds)
        logs.append(run(task, [str(sample.target) for sample in task.dataset]).location)
    refused(r"no answers to 3 of the 33", import_files, logs[1:], OWN)
    (result,) = import_files(logs, OWN)
    assert (result.scores.pattern_accuracy.mean, prompt_of(result).calls) == (1, 33)


def test_a_log_on_pairs_in_groups(run: Run, tmp_path: Path) -> None:
    rows = []
    for number in range(12):
        texts = {"premise": f"The poet saw judge {number}.", "hypothesis": f"Judge {number} was seen."}
        rows.append({**texts, "label": NLI_LABELS[number % 3], "template": f"t{number % 4}"})
    path = str(write_rows(tmp_path / "pairs.jsonl", rows))
    task = nli(path, group_column="template")
    _, *answers = [str(sample.target) for sample in task.dataset]
    (result,) = import_files([run(task, ["?", *answers]).location], path, out=tmp_path / "results")
    assert (result.run.no_answers, result.pattern_accuracy) == (1, 0.75)
    assert result.scores.seed_accuracy is None
    (again,) = import_files([*(tmp_path / "results").glob("*.json")], path, again=True)
    assert again.scores == result.scores


def test_both_tasks_of_lm_eval(lm_eval_logs: Path, tmp_path: Path) -> None:
    ranked, generated = import_files(sorted(lm_eval_logs.glob("samples_*")), OWN, model="dummy", out=tmp_path / "out")
    assert (ranked.title, generated.title) == ("dummy (word, 2 shots, ranked)", "dummy (word, 2 shots)")
    assert (ranked.run.no_answers, generated.run.unread) == (0, {"perhaps stopped": 33})
    (run,) = [json.loads(path.read_text(encoding="utf-8")) for path in lm_eval_logs.glob("results_*")]
    logged = run["results"]["merge_snli_verb_word"]
    assert ranked.scores.seed_accuracy == logged["seed_sample_accuracy,none"]
    assert ranked.scores.sample_accuracy.mean == pytest.approx(logged["sample_accuracy,none"])
    assert (prompt_of(ranked).calls, prompt_of(ranked).temperature) == (3 * 33, None)
    assert len(read_results(tmp_path / "out")) == 2


def test_a_log_without_the_prompt_in_full(inspect_log: Path) -> None:
    edited(inspect_log, without("prompt_toml"), put(*TASK, "prompt", value="zero_shot"))
    for again in (False, True):
        (result,) = import_files([inspect_log], OWN, again=again)
        assert result.title == "model (zero_shot)"


@pytest.mark.parametrize(
    ("arguments", "name"), [({"pretrained": "ORG/model"}, "ORG/model"), ({}, "dummy"), (None, "dummy")]
)
def test_a_model_that_lm_eval_has_no_name_of(samples: Path, arguments: Json, name: str) -> None:
    edited(
        results_beside(samples),
        put("model_name", value="ORG/model"),
        put("model_source", value="dummy"),
        put("config", "model_args", value=arguments),
    )
    (result,) = import_files([samples], OWN)
    assert result.model.name == name


def test_a_log_of_lm_eval_without_the_names_of_the_texts(samples: Path) -> None:
    (before,) = import_files([samples], OWN, model="dummy")
    edited(results_beside(samples), lambda run: run["configs"][RANKED_TASK]["metadata"].pop("texts"))
    (after,) = import_files([samples], OWN, model="dummy")
    assert after.model.digest == before.model.digest


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (put("samples", value=lambda rows: rows[: len(rows) // 2]), "has no answers to 17 of the 33 distinct pairs"),
        (put("samples", 0, "scores", value=None), "has no answers to 1 of the 33"),
        (put("samples", 0, "scores", value=lambda old: {"match": old["nli_answer"]}), "not scored by nli_answer"),
        (exchange, "does not ask the pair"),
        (exchange_without_prompt, "does not ask the pair"),
        (unknown_sample, "sample unknown is not in config verb"),
        (put("eval", "metadata", value=None), "is a log of the task merge_snli/nli, not of"),
        (put(*TASK, "dataset", value="1" * 64), "same version of the data set"),
        (put(*TASK, "subsample", value="first"), "which part of a data set"),
        (put(*TASK, "subsample", value=40), "--subsample is 40"),
        (without("config"), "which part of a data set"),
        (put(*TASK, "config", value="adv"), "config adv"),
        (put(*TASK, "shots", value="two"), "is not a whole log"),
        (lambda log: log.pop("eval"), "is not a whole log"),
    ],
)
def test_wrong_logs_of_inspect(inspect_log: Path, edit: Edit, message: str, command: Command, tmp_path: Path) -> None:
    check_refused([str(edited(inspect_log, edit))], message, command, tmp_path)


def test_a_log_without_a_whole_seed_is_named(inspect_log: Path, command: Command, tmp_path: Path) -> None:
    edited(inspect_log, put("samples", value=lambda rows: rows[:1]))
    check_refused([str(inspect_log), "--partial"], str(inspect_log), command, tmp_path)


def check_refused(options: list[str], message: str, command: Command, tmp_path: Path, dataset: str = OWN) -> None:
    out = tmp_path / "results"
    error = command("import", *options, "--dataset", dataset, "--out", out, code=2).err
    assert message in error and "Traceback" not in error
    assert not out.exists()


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
@pytest.mark.parametrize("content", ["two thirds", "", '[{"id": "a", "label": "neutral"}]'])
def test_broken_files(name: str, content: str, scripted_log: Path, command: Command, tmp_path: Path) -> None:
    whole, path = scripted_log.with_name(name).read_bytes(), tmp_path / name
    path.write_bytes(whole[: len(whole) * 2 // 3] if content == "two thirds" else content.encode())
    check_refused([str(path)], "is not a whole log", command, tmp_path)


def test_a_log_of_another_version(inspect_log: Path, other_dataset: str, command: Command, tmp_path: Path) -> None:
    check_refused([str(inspect_log)], f"not on {other_dataset}", command, tmp_path, other_dataset)


def test_two_logs_that_differ(inspect_log: Path, command: Command, tmp_path: Path) -> None:
    other = edited(inspect_log, put("samples", 0, "output", "completion", value="?"), name="other.json")
    check_refused([str(inspect_log), str(other)], "has another answer in an earlier log", command, tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["none.eval"], "none.eval does not exist"),
        (["."], "is a folder"),
        (["log.json", "--config", "noun"], "--config is for tables"),
        (["log.json", "--limit-seeds", "3"], "--limit-seeds is for tables"),
        (["log.json", "table.csv"], "import them one after the other"),
    ],
)
def test_wrong_options(
    options: list[str],
    message: str,
    inspect_log: Path,
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("id,label\n", encoding="utf-8")
    check_refused([*options, *(["--model", "m"] if options == ["."] else [])], message, command, tmp_path)
    assert inspect_log.exists()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (put("configs", RANKED_TASK, value={}), "merge-snli harness did not write"),
        (put("configs", RANKED_TASK, "fewshot_config", "samples", value=[{"text": "a"}]), "valid settings of the pr"),
        (put("configs", RANKED_TASK, "metadata", "prompt_toml", value=None), "valid settings of the prompt"),
    ],
)
def test_wrong_settings_of_lm_eval(edit: Edit, message: str, samples: Path, command: Command, tmp_path: Path) -> None:
    edited(results_beside(samples), edit)
    check_refused([str(samples)], message, command, tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("results", "{", "is not valid JSON"),
        ("results", "[]", "merge-snli harness did not write"),
        ("samples", "", "is empty"),
        ("samples", '{"doc": {"id": 1}}\n', "is not a sample of a task"),
        ("samples", '{"doc": {"id": "a"', "is not valid JSON"),
    ],
)
def test_wrong_files_of_lm_eval(
    name: str, content: str, message: str, samples: Path, command: Command, tmp_path: Path
) -> None:
    path = samples if name == "samples" else results_beside(samples)
    path.write_text(content, encoding="utf-8")
    check_refused([str(samples)], message, command, tmp_path)


def test_missing_and_renamed_files_of_lm_eval(samples: Path, command: Command, tmp_path: Path) -> None:
    results_beside(samples).unlink()
    check_refused([str(samples)], "is not beside", command, tmp_path)
    renamed = samples.rename(samples.with_name("samples_1.jsonl"))
    check_refused([str(renamed)], "is not named samples_TASK_DATE.jsonl", command, tmp_path)


def test_exchanged_questions_of_lm_eval(samples: Path, command: Command, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    rows[0]["doc"]["id"], rows[1]["doc"]["id"] = rows[1]["doc"]["id"], rows[0]["doc"]["id"]
    write_rows(samples, rows)
    check_refused([str(samples)], "does not ask the pair", command, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,label\na,neutral\n", "none of 1 row"),
        ("text,label\na,neutral\n", "add id, or premise and hypothesis"),
        ("id,answer\na,neutral\n", "add label, or one column per label"),
        ("id,entailment,neutral\na,1,2\n", "add label, or one column per label"),
        ("id,label,prediction\na,neutral,neutral\n", "remove the gold label"),
        ("id,label\na,perhaps\n", "line 2: label 'perhaps'"),
        ("id,label\n,neutral\n", "line 2 has no id"),
        ("id,entailment,neutral,contradiction\na,1,2,high\n", "contradiction is 'high'"),
        ("id,entailment,neutral,contradiction\na,1,2,nan\n", "contradiction is 'nan'"),
        ("id,label\na,neutral,2\n", "line 2 has 3 fields"),
        ("", "is empty"),
        ("id,label\n{0},neutral\n{0},entailment\n", "has another label in an earlier row"),
    ],
)
def test_wrong_tables(content: str, message: str, one_id: str, command: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "predictions.csv", content.replace("{0}", one_id))
    check_refused([str(path), "--model", "m"], message, command, tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give --model NAME"),
        (["--model", ""], "give --model NAME"),
        (["--model", "m"], "distinct pairs of config all"),
        (["--model", "m", "--partial"], "no seed of config all"),
        (["--model", "m", "--config", "adv"], "config adv"),
        (["--model", "m", "--subsample", "99"], "--subsample is 99"),
    ],
)
def test_wrong_options_of_tables(
    options: list[str], message: str, one_id: str, command: Command, tmp_path: Path
) -> None:
    path = written(tmp_path / "predictions.csv", f"id,label\n{one_id},neutral\n")
    check_refused([str(path), *options], message, command, tmp_path)


@pytest.fixture
def one_id(table: list[dict[str, Json]]) -> str:
    return str(table[0]["id"])


def test_the_results_folder_is_checked_first(inspect_log: Path, command: Command) -> None:
    assert "is a file" in command("import", inspect_log, "--dataset", OWN, "--out", inspect_log, code=2).err


def test_a_retried_log_counts_reused_samples_once(inspect_log: Path) -> None:
    first = edited(inspect_log, put("samples", value=lambda samples: samples[:20]), name="first.json")
    (result,) = import_files([first, inspect_log], OWN)
    prompt = prompt_of(result)
    assert (prompt.calls, prompt.input_tokens, prompt.output_tokens) == (33, 33 * 50, 33 * 2)
    assert (prompt.reasoning_tokens, prompt.retries, prompt.temperature) == (33, 0, 0.0)


def test_a_failed_log_does_not_stop_the_others(
    inspect_log: Path, tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    broken, out = tmp_path / "broken.eval", tmp_path / "results"
    broken.touch()
    failed = edited(inspect_log, put("samples", value=[]), put(*TASK, "limit_seeds", value=2), name="failed.json")
    paths = [str(failed), str(broken)]
    command("import", *paths, inspect_log, "--dataset", OWN, "--out", out)
    assert all(path in caplog.text for path in paths)
    assert len(read_results(out)) == 1
    check_refused(paths, "none of 2 files", command, tmp_path / "none")


@pytest.mark.parametrize("stored", first_fast(["gold", None, "perhaps"]))
def test_stored_answers_do_not_count_but_their_texts(
    stored: str | None, inspect_log: Path, tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    (expected,) = import_files([inspect_log], OWN)
    assert "stored with another label" not in caplog.text

    def store(content: Json) -> None:
        for sample in content["samples"]:
            sample["scores"]["nli_answer"]["answer"] = sample["target"] if stored == "gold" else stored

    out = tmp_path / "results"
    options = ["--dataset", OWN, "--out", str(out)]
    command("import", edited(inspect_log, store), *options)
    assert "stored with another label" in caplog.text
    (path,) = out.glob("*.json")
    check_refused([str(path)], "--again", command, tmp_path / "none")
    (named,) = import_files([path], OWN, again=True, model="other")
    assert (named.model.name, named.model.digest) == ("other", expected.model.digest)
    unread = command("import", path, "--again", "--unread", "--format", "json", *options).json["unread"]
    (after,) = read_results(out)
    assert (after.model, after.run.prompt) == (expected.model, expected.run.prompt)
    assert (answers_of_groups(after), after.scores) == (answers_of_groups(expected), expected.scores)
    assert 0 < len(unread) == after.run.no_answers < 33
    assert {each["text"] for each in unread} <= {"?", "entailment or neutral"}


def test_again_needs_the_answers_beside_a_result(inspect_log: Path, tmp_path: Path, command: Command) -> None:
    import_files([inspect_log], OWN, out=tmp_path / "out")
    (path,) = (tmp_path / "out").glob("*.json")
    path.with_suffix(".parquet").unlink()
    check_refused([str(path), "--again"], path.with_suffix(".parquet").name, command, tmp_path)


ORDER = "letter-2-3-1"


@pytest.mark.slow
def test_letters_in_other_orders_are_read_from_logs_of_inspect(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked = {"dataset": OWN, **PART, "limit_seeds": 1, "prompt": "letter", "orders": "balanced"}
    logs = run_tasks("merge_snli/nli", cycle("B"), tmp_path, task_args=asked)
    results = import_files([log.location for log in logs], OWN)
    assert [prompt_of(result).prompt for result in results] == ["letter", ORDER, "letter-3-1-2"]
    for result, label in zip(results, ("neutral", "contradiction", "entailment"), strict=True):
        assert answers_of_groups(result).seeds == (label,)
    assert "another label" not in caplog.text


class Second(LM):  # type: ignore[misc]
    """Answers with the second letter."""

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        return [(float(request.args[1].strip() == "B"), False) for request in requests]

    def generate_until(self, requests: list[Any]) -> list[str]:
        return ["B"] * len(requests)

    loglikelihood_rolling = generate_until


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "_generate"])
def test_letters_in_another_order_are_read_from_logs_of_lm_eval(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    write_tasks(tmp_path, *PART_OPTIONS, "--prompt", ORDER)
    (result,) = import_files(lm_eval_logs_of(Second(), [f"merge_snli_verb_{ORDER}{kind}"], tmp_path), OWN)
    assert {*(answers_of_groups(result).seeds or ())} == {"contradiction"}
    assert prompt_of(result).order == (2, 3, 1)
    assert "another label" not in caplog.text
