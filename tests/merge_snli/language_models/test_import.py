"""Answers become results: the numbers equal those of the script, and what is missing or wrong is refused."""

import shutil
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import write_eval_log
from lm_eval.api.model import LM
from lm_eval.models.dummy import DummyLM

from merge_snli import Result, read_results, score
from merge_snli.base.files import read_json
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from merge_snli.language_models.questions import Scope, read_questions
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
from tests.oracles import always, answers_of_groups, guess, known, read_jsonl, refused, write_rows, written

PART: dict[str, Any] = {"config": "verb", "limit_seeds": 3}
Rows = list[dict[str, Json]]
PART_OPTIONS = ("--config", "verb", "--limit-seeds", "3")

RANKED_TASK = "merge_snli_verb_word"


def task_of(log: Json) -> dict[str, Json]:
    """Return the metadata of the task in a log of Inspect."""
    task: dict[str, Json] = log["eval"]["metadata"]["merge_snli"]
    return task


def task_with(name: str, value: Json) -> Edit:
    return lambda log: task_of(log).update({name: value})


def task_without(name: str) -> Edit:
    return lambda log: task_of(log).pop(name)


def exchange(rows: list[Json]) -> None:
    """Exchange the ids of the first two samples or documents."""
    first, second, *_ = rows
    first_id = first["id"]
    first["id"] = second["id"]
    second["id"] = first_id


def exchanged(log: Json) -> None:
    exchange(log["samples"])


def exchanged_without_prompt(log: Json) -> None:
    exchange(log["samples"])
    del task_of(log)["prompt_toml"]


def unknown_sample(log: Json) -> None:
    log["samples"][0]["id"] = "unknown"
    log["eval"]["dataset"]["sample_ids"][0] = "unknown"


def half_of_the_samples(log: Json) -> None:
    del log["samples"][16:]


def other_score(log: Json) -> None:
    sample = log["samples"][0]
    answer = sample["scores"].pop("nli_answer")
    sample["scores"] = {"match": answer}


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
    logs = lm_eval_logs_of(DummyLM(), tasks, folder, num_fewshot=2)
    return logs[0].parent


@pytest.fixture
def samples(lm_eval_logs: Path, tmp_path: Path) -> Path:
    """The samples of the task with ranked answers, which a test may change with the results beside them."""
    folder = Path(shutil.copytree(lm_eval_logs, tmp_path / "logs"))
    (path,) = folder.glob(f"samples_{RANKED_TASK}_2*")
    return path


def results_beside(samples: Path) -> Path:
    (path,) = samples.parent.glob("results_*")
    return path


Refuses = Callable[..., None]


@pytest.fixture
def refuses(command: Command, tmp_path: Path) -> Refuses:
    """A function that checks that an import is refused with a message, and writes nothing."""
    out = tmp_path / "refused"

    def check(message: str, *options: object) -> None:
        error = command("import", *options, "--dataset", OWN, "--out", out, code=2).err
        assert message in error
        assert "Traceback" not in error
        assert not out.exists()

    return check


def result_of(path: Path | str, **options: Any) -> Result:  # noqa: ANN401 - of `import_files`
    """Import a log on the bundled data set."""
    (result,) = import_files([path], OWN, **options)
    return result


def test_one_name_for_the_logs_of_several_models_is_refused(inspect_log: Path, tmp_path: Path) -> None:
    other = edited(inspect_log, put("eval", "model", value="mockllm/other"), name="other.json")
    out = tmp_path / "results"
    message = r"model is 'mine'.*2 models, model, other"
    refused(message, import_files, [inspect_log, other], OWN, model="mine", out=out)
    assert not out.exists()
    first, second = import_files([inspect_log, other], OWN)
    assert first.model.name == "model"
    assert second.model.name == "other"
    assert result_of(other, model="mine").model.name == "mine"


def test_the_leaderboard_has_the_prompt(inspect_log: Path, tmp_path: Path, command: Command) -> None:
    results = tmp_path / "results"
    site = tmp_path / "site"
    import_files([inspect_log], OWN, out=results)
    command("leaderboard", results, "--out", site, "--format", "json")
    page = read_json(site / "leaderboard.json")
    row = page["rows"][0]
    assert row["prompt"] == "word"
    assert row["shots"] == 0
    assert row["provider"] == "mockllm"
    assert row["reasoning_tokens"] == 33


def test_a_model_that_never_answers_is_wrong_and_never_consistent(run: Run) -> None:
    task = nli(OWN, **PART)
    log = run(task, ["?"] * len(task.dataset))
    result = result_of(log.location)
    assert result.scores.seed_accuracy == 0
    assert result.scores.sample_accuracy.mean == 0
    assert result.run.no_answers == len(task.dataset)
    assert set(known(answers_of_groups(result).seeds)) == {None}
    first, second = known(result.consistency).values()
    assert first.sample_accuracy.mean == 0
    assert second.sample_accuracy.mean == 0


def test_imported_answers_give_the_result_of_the_function_that_gave_them(tmp_path: Path) -> None:
    expected = score(guess, OWN, config="noun")
    scope = Scope(config="noun", subsample="all")
    rows: Rows = []
    for question in read_questions(OWN, scope).questions:
        (answer,) = guess([(question.premise, question.hypothesis)])
        rows.append({"id": question.id} | dict.fromkeys(NLI_LABELS, -1.0) | {answer: 2.5})
    result = imported(tmp_path / "scores.csv", rows, config="noun")
    assert result.scores == expected.scores
    assert result.consistency == expected.consistency
    assert answers_of_groups(result) == answers_of_groups(expected)
    assert result.model.label_origin == "answers"
    assert result.run.seconds == 0
    assert result.run.dtype is None
    assert result.model.architecture is None


def neutral_answers(dataset: MergeDataset, split: str) -> Rows:
    """Answers to every seed and variant in a split of config verb."""
    rows = read_split(dataset, "verb", split).to_pylist()
    ids = dict.fromkeys(row["variant_id"] for row in rows)
    ids |= dict.fromkeys(row["seed_id"] for row in rows)
    return [{"id": name, "label": "neutral"} for name in ids]


@pytest.fixture(scope="session")
def table(bundled: MergeDataset) -> Rows:
    return neutral_answers(bundled, "test")


def imported(path: Path, rows: Rows, config: str = "verb", **options: Any) -> Result:  # noqa: ANN401
    """Write a table and import it."""
    pd.DataFrame(rows).to_csv(path, index=False)
    return result_of(path, model="m", config=config, **options)


def test_tied_scores_are_counted(table: Rows, tmp_path: Path) -> None:
    even = dict.fromkeys(NLI_LABELS, 0.25)
    rows = [{"id": row["id"], **even} for row in table]
    for row in rows[3:]:
        row["neutral"] = 0.5
    result = imported(tmp_path / "a.csv", rows)
    (note,) = (note for note in result.notes if "tied" in note)
    assert f"tied on 3 of {len(table)} distinct pairs" in note


def test_partial_leaves_out_and_counts_seeds(table: Rows, tmp_path: Path) -> None:
    result = imported(tmp_path / "a.csv", table[1:], partial=True)
    seed, _, _ = table[0]["id"].partition(":")
    variants = [row for row in table if row["id"].startswith(f"{seed}:")]
    assert result.left_out.groups == 1
    assert result.left_out.rows == len(variants)
    assert seed not in result.group_ids
    assert "not all of a seed's answers were imported" in " ".join(result.notes)


def test_a_subsample_in_a_table(bundled: MergeDataset, tmp_path: Path) -> None:
    rows = neutral_answers(bundled, "subsample_2")
    result = imported(tmp_path / "a.csv", rows, subsample=2)
    expected = score(always("neutral"), OWN, config="verb", subsample=2)
    assert result.dataset == expected.dataset
    assert result.scores == expected.scores


def test_logs_of_one_run_are_joined(run: Run) -> None:
    logs = []
    for seeds in ("only", "without"):
        task = nli(OWN, **PART, seeds=seeds)
        log = run(task, scripted_answers(task, "{0}"))
        logs.append(log.location)
    refused(r"no answers to 3 of the 33", import_files, logs[1:], OWN)
    (result,) = import_files(logs, OWN)
    assert result.scores.pattern_accuracy.mean == 1
    assert prompt_of(result).calls == 33


def test_a_log_on_pairs_in_groups(run: Run, tmp_path: Path) -> None:
    rows = []
    for number in range(12):
        row = {"premise": f"The poet saw judge {number}.", "hypothesis": f"Judge {number} was seen."}
        row["label"] = NLI_LABELS[number % 3]
        row["template"] = f"t{number % 4}"
        rows.append(row)
    path = str(write_rows(tmp_path / "pairs.jsonl", rows))
    task = nli(path, group_column="template")
    answers = scripted_answers(task, "{0}")
    answers[0] = "?"
    log = run(task, answers)
    out = tmp_path / "results"
    (result,) = import_files([log.location], path, out=out)
    assert result.run.no_answers == 1
    assert result.pattern_accuracy == 0.75
    assert result.scores.seed_accuracy is None
    (again,) = import_files([*out.glob("*.json")], path, again=True)
    assert again.scores == result.scores


def test_both_tasks_of_lm_eval(lm_eval_logs: Path, tmp_path: Path) -> None:
    logs = sorted(lm_eval_logs.glob("samples_*"))
    ranked, generated = import_files(logs, OWN, model="dummy", out=tmp_path)
    assert ranked.title == "dummy (word, 2 shots, ranked)"
    assert generated.title == "dummy (word, 2 shots)"
    assert ranked.run.no_answers == 0
    assert generated.run.unread == {"perhaps stopped": 33}
    run = read_json(results_beside(logs[0]))
    logged = run["results"]["merge_snli_verb_word"]
    assert ranked.scores.seed_accuracy == logged["seed_sample_accuracy,none"]
    assert ranked.scores.sample_accuracy.mean == pytest.approx(logged["sample_accuracy,none"])
    prompt = prompt_of(ranked)
    assert prompt.calls == 3 * 33
    assert prompt.temperature is None
    assert len(read_results(tmp_path)) == 2


def test_a_log_without_the_prompt_in_full(inspect_log: Path) -> None:
    edited(inspect_log, task_without("prompt_toml"), task_with("prompt", "zero_shot"))
    for again in (False, True):
        result = result_of(inspect_log, again=again)
        assert result.title == "model (zero_shot)"


@pytest.mark.parametrize(
    ("arguments", "name"), [({"pretrained": "ORG/model"}, "ORG/model"), ({}, "dummy"), (None, "dummy")]
)
def test_a_model_that_lm_eval_has_no_name_of(samples: Path, arguments: Json, name: str) -> None:
    def change(run: Json) -> None:
        run["model_name"] = "ORG/model"
        run["model_source"] = "dummy"
        run["config"]["model_args"] = arguments

    edited(results_beside(samples), change)
    assert result_of(samples).model.name == name


def test_a_log_of_lm_eval_without_the_names_of_the_texts(samples: Path) -> None:
    before = result_of(samples, model="dummy")
    edited(results_beside(samples), lambda run: run["configs"][RANKED_TASK]["metadata"].pop("texts"))
    after = result_of(samples, model="dummy")
    assert after.model.digest == before.model.digest


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (half_of_the_samples, "has no answers to 17 of the 33 distinct pairs"),
        (put("samples", 0, "scores", value=None), "has no answers to 1 of the 33"),
        (other_score, "not scored by nli_answer"),
        (exchanged, "does not ask the pair"),
        (exchanged_without_prompt, "does not ask the pair"),
        (unknown_sample, "sample unknown is not in config verb"),
        (put("eval", "metadata", value=None), "is a log of the task merge_snli/nli, not of"),
        (task_without("config"), "which part of a data set"),
        (lambda log: log.pop("eval"), "is not a whole log"),
    ],
)
def test_wrong_logs_of_inspect(inspect_log: Path, edit: Edit, message: str, refuses: Refuses) -> None:
    refuses(message, edited(inspect_log, edit))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dataset", "1" * 64, "give --dataset the same version of the data set"),
        ("subsample", "first", "which part of a data set"),
        ("subsample", 40, "--subsample is 40"),
        ("shots", "two", "is not a whole log"),
    ],
)
def test_wrong_settings_of_inspect(inspect_log: Path, name: str, value: Json, message: str, refuses: Refuses) -> None:
    refuses(message, edited(inspect_log, task_with(name, value)))


def test_a_log_without_a_whole_seed_is_named(inspect_log: Path, refuses: Refuses) -> None:
    edited(inspect_log, put("samples", value=lambda rows: rows[:1]))
    refuses(str(inspect_log), inspect_log, "--partial")


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_broken_files(name: str, scripted_log: Path, refuses: Refuses, tmp_path: Path) -> None:
    path = tmp_path / name
    whole = scripted_log.with_name(name).read_bytes()
    for content in (whole[: len(whole) * 2 // 3], b"", b'[{"id": "a", "label": "neutral"}]'):
        path.write_bytes(content)
        refuses("is not a whole log", path)


def test_two_logs_that_differ(inspect_log: Path, refuses: Refuses) -> None:
    other = edited(inspect_log, put("samples", 0, "output", "completion", value="?"), name="other.json")
    refuses("has another answer in an earlier log", inspect_log, other)


def test_wrong_options(inspect_log: Path, refuses: Refuses, tmp_path: Path) -> None:
    table = written(tmp_path / "table.csv", "id,label\n")
    refuses("none.eval does not exist", tmp_path / "none.eval")
    refuses("is a folder", tmp_path, "--model", "m")
    refuses("--config is for tables", inspect_log, "--config", "noun")
    refuses("--limit-seeds is for tables", inspect_log, "--limit-seeds", "3")
    refuses("import them one after the other", inspect_log, table)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (dict.clear, "merge-snli harness did not write"),
        (put("fewshot_config", "samples", value=[{"text": "a"}]), "valid settings of the pr"),
        (put("metadata", "prompt_toml", value=None), "valid settings of the prompt"),
    ],
)
def test_wrong_settings_of_lm_eval(edit: Edit, message: str, samples: Path, refuses: Refuses) -> None:
    edited(results_beside(samples), lambda run: edit(run["configs"][RANKED_TASK]))
    refuses(message, samples)


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
def test_wrong_files_of_lm_eval(name: str, content: str, message: str, samples: Path, refuses: Refuses) -> None:
    path = samples if name == "samples" else results_beside(samples)
    path.write_text(content, "utf-8")
    refuses(message, samples)


def test_missing_and_renamed_files_of_lm_eval(samples: Path, refuses: Refuses) -> None:
    results_beside(samples).unlink()
    refuses("is not beside", samples)
    renamed = samples.rename(samples.with_name("samples_1.jsonl"))
    refuses("is not named samples_TASK_DATE.jsonl", renamed)


def test_exchanged_questions_of_lm_eval(samples: Path, refuses: Refuses) -> None:
    rows = read_jsonl(samples)
    exchange([row["doc"] for row in rows])
    write_rows(samples, rows)
    refuses("does not ask the pair", samples)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,label\na,neutral\n", "none of 1 row"),
        ("text,label\na,neutral\n", "add id, or premise and hypothesis"),
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
def test_wrong_tables(content: str, message: str, one_id: str, refuses: Refuses, tmp_path: Path) -> None:
    path = written(tmp_path / "predictions.csv", content.replace("{0}", one_id))
    refuses(message, path, "--model", "m")


def test_wrong_options_of_tables(one_id: str, refuses: Refuses, tmp_path: Path) -> None:
    path = written(tmp_path / "predictions.csv", f"id,label\n{one_id},neutral\n")
    refuses("give --model NAME", path, "--model", "")
    named = (path, "--model", "m")
    refuses("distinct pairs of config all", *named)
    refuses("no seed of config all", *named, "--partial")
    refuses("config adv", *named, "--config", "adv")
    refuses("--subsample is 99", *named, "--subsample", "99")


@pytest.fixture
def one_id(table: Rows) -> str:
    return str(table[0]["id"])


def test_the_results_folder_is_checked_first(inspect_log: Path, command: Command) -> None:
    assert "is a file" in command("import", inspect_log, "--dataset", OWN, "--out", inspect_log, code=2).err


def test_a_retried_log_counts_reused_samples_once(inspect_log: Path) -> None:
    first = edited(inspect_log, put("samples", value=lambda samples: samples[:20]), name="first.json")
    (result,) = import_files([first, inspect_log], OWN)
    prompt = prompt_of(result)
    assert prompt.calls == 33
    assert prompt.input_tokens == 33 * 50
    assert prompt.output_tokens == 33 * 2
    assert prompt.reasoning_tokens == 33
    assert prompt.retries == 0
    assert prompt.temperature == 0.0


def test_a_failed_log_does_not_stop_the_others(
    inspect_log: Path, tmp_path: Path, command: Command, refuses: Refuses, caplog: pytest.LogCaptureFixture
) -> None:
    broken = written(tmp_path / "broken.eval", "")
    failed = edited(inspect_log, put("samples", value=[]), task_with("limit_seeds", 2), name="failed.json")
    out = tmp_path / "results"
    command("import", failed, broken, inspect_log, "--dataset", OWN, "--out", out)
    assert str(failed) in caplog.text
    assert str(broken) in caplog.text
    assert len(read_results(out)) == 1
    refuses("none of 2 files", failed, broken)


@pytest.mark.parametrize("stored", first_fast(["gold", None, "perhaps"]))
def test_stored_answers_do_not_count_but_their_texts(
    stored: str | None,
    inspect_log: Path,
    tmp_path: Path,
    command: Command,
    refuses: Refuses,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = result_of(inspect_log)
    assert "stored with another label" not in caplog.text

    def store(content: Json) -> None:
        for sample in content["samples"]:
            answer = sample["target"] if stored == "gold" else stored
            sample["scores"]["nli_answer"]["answer"] = answer

    out = tmp_path / "results"
    options = ["--dataset", OWN, "--out", out]
    command("import", edited(inspect_log, store), *options)
    assert "stored with another label" in caplog.text
    (path,) = out.glob("*.json")
    refuses("--again", path)
    named = result_of(path, again=True, model="other")
    assert named.model.name == "other"
    assert named.model.digest == expected.model.digest
    printed = command("import", path, "--again", "--unread", "--format", "json", *options)
    unread = printed.json["unread"]
    (after,) = read_results(out)
    assert after.model == expected.model
    assert after.run.prompt == expected.run.prompt
    assert after.scores == expected.scores
    assert answers_of_groups(after) == answers_of_groups(expected)
    assert 0 < len(unread) == after.run.no_answers < 33
    for each in unread:
        assert each["text"] in ("?", "entailment or neutral")


def test_again_needs_the_answers_beside_a_result(inspect_log: Path, tmp_path: Path, refuses: Refuses) -> None:
    out = tmp_path / "out"
    import_files([inspect_log], OWN, out=out)
    (answers,) = out.glob("*.parquet")
    answers.unlink()
    refuses(answers.name, answers.with_suffix(".json"), "--again")


ORDER = "letter-2-3-1"


@pytest.mark.slow
def test_letters_in_other_orders_are_read_from_logs_of_inspect(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked = {"dataset": OWN, **PART, "limit_seeds": 1, "prompt": "letter", "orders": "balanced"}
    logs = run_tasks("merge_snli/nli", cycle("B"), tmp_path, task_args=asked)
    results = import_files([log.location for log in logs], OWN)
    prompts = ("letter", ORDER, "letter-3-1-2")
    labels = ("neutral", "contradiction", "entailment")
    for result, prompt, label in zip(results, prompts, labels, strict=True):
        assert prompt_of(result).prompt == prompt
        assert answers_of_groups(result).seeds == (label,)
    assert "another label" not in caplog.text


class Second(LM):  # type: ignore[misc]
    """Answers with the second letter."""

    def loglikelihood(self, requests: list[Any]) -> list[Any]:
        answers = [request.args[1].strip() for request in requests]
        return [(float(answer == "B"), False) for answer in answers]

    def generate_until(self, requests: list[Any]) -> list[Any]:
        return ["B"] * len(requests)

    loglikelihood_rolling = generate_until


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "_generate"])
def test_letters_in_another_order_are_read_from_logs_of_lm_eval(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    write_tasks(tmp_path, *PART_OPTIONS, "--prompt", ORDER)
    (samples,) = lm_eval_logs_of(Second(), [f"merge_snli_verb_{ORDER}{kind}"], tmp_path)
    result = result_of(samples)
    assert set(known(answers_of_groups(result).seeds)) == {"contradiction"}
    assert prompt_of(result).order == (2, 3, 1)
    assert "another label" not in caplog.text
