"""Answers become results: the numbers equal those of the script, and what is missing or wrong is refused."""

import json
import operator
import shutil
from pathlib import Path
from statistics import fmean
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
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.prompts import read_prompt
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
    right_answers,
    run_task,
    run_tasks,
    scripted_answers,
    write_tasks,
)
from tests.oracles import answers_of_groups, missing_from, refused, written
from tests.records import copy_bundled

PART: dict[str, Any] = {"config": "verb", "limit_seeds": 3}
PART_OPTIONS = ("--config", "verb", "--limit-seeds", "3")


TASK = ("eval", "metadata", "merge_snli")
"""The path to the metadata of the task in a log of Inspect."""


def without(name: str) -> Edit:
    return put(*TASK, value=lambda task: {key: value for key, value in task.items() if key != name})


def with_answer(sample: Json, answer: str | None) -> Json:
    return sample | {"scores": {"nli_answer": sample["scores"]["nli_answer"] | {"answer": answer}}}


EXCHANGE = put(
    "samples",
    value=lambda rows: [rows[0] | {"id": rows[1]["id"]}, rows[1] | {"id": rows[0]["id"]}, *rows[2:]],
)
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
    tasks = ["merge_snli_verb_word", "merge_snli_verb_word_generate"]
    (logs,) = {path.parent for path in lm_eval_logs_of(DummyLM(), tasks, folder, num_fewshot=2)}
    return logs


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


@pytest.mark.slow
def test_a_scripted_model_reaches_the_leaderboard(run: Run, tmp_path: Path, command: Command) -> None:
    task = nli(OWN, config="all", subsample="all", limit_seeds=4, prompt="few_shot", shots=2)
    answers = scripted_answers(task, *FORMS)
    log = run(task, answers)
    results = tmp_path / "results"
    command("import", log.location, "--dataset", OWN, "--model", "scripted", "--out", results)
    (result,) = read_results(results)
    scores = result.scores
    seeds, subsamples = right_answers(task, answers, operator.eq)
    assert scores.seed_accuracy == fmean(seeds)
    passing = [fmean(fmean(rows) >= 0.9 - 1e-9 for rows in groups) for groups in subsamples]
    assert scores.pattern_accuracy.each == pytest.approx(passing)
    accuracy = fmean(fmean(right for rows in groups for right in rows) for groups in subsamples)
    assert scores.sample_accuracy.mean == pytest.approx(accuracy)
    unread = sum(answer not in NLI_LABELS for answer in answers)
    prompt = prompt_of(result)
    assert (result.run.no_answers, prompt.calls, prompt.retries) == (unread, len(answers), 0)
    tokens = (prompt.input_tokens, prompt.output_tokens, prompt.reasoning_tokens)
    assert tokens == (50 * len(answers), 2 * len(answers), len(answers))
    assert (prompt.provider, prompt.prompt, prompt.shots, prompt.temperature) == ("mockllm", "few_shot", 2, 0.0)
    assert result.title == "scripted (few_shot, 2 shots)"
    assert "".join(answers_of_groups(result).predictions).count("?") > 0
    board = tmp_path / "site"
    command("leaderboard", results, "--out", board, "--format", "json")
    first = json.loads((board / "leaderboard.json").read_text(encoding="utf-8"))["rows"][0]
    assert first["pattern_accuracy"] == scores.pattern_accuracy.mean
    assert (first["prompt"], first["shots"], first["provider"]) == ("few_shot", 2, "mockllm")
    assert first["reasoning_tokens"] == len(answers)
    command("leaderboard", results, "--out", board, "--dataset", OWN)
    assert not missing_from((board / "index.html").read_text(encoding="utf-8"), '"prompted"', "no answer")


def test_a_model_that_never_answers_is_wrong_and_never_consistent(run: Run) -> None:
    task = nli(OWN, **PART)
    (result,) = import_files([run(task, ["?"] * len(task.dataset)).location], OWN)
    assert result.scores.seed_accuracy == result.scores.sample_accuracy.mean == 0
    assert result.run.no_answers == len(task.dataset)
    assert {*(answers_of_groups(result).seeds or ())} == {None}
    assert [scores.sample_accuracy.mean for scores in (result.consistency or {}).values()] == [0, 0]


def test_imported_answers_give_the_result_of_the_function_that_gave_them(tmp_path: Path, bundled: MergeDataset) -> None:
    def rule(pairs: list[tuple[str, str]]) -> list[str]:
        return [NLI_LABELS[len(premise) * len(hypothesis) % 3] for premise, hypothesis in pairs]

    expected = score(rule, OWN, config="noun")
    pairs: dict[str, tuple[str, str]] = {}
    for row in read_split(bundled, "noun").to_pylist():
        pairs[row["seed_id"]] = row["seed_premise"], row["seed_hypothesis"]
        pairs[row["variant_id"]] = row["premise"], row["hypothesis"]
    tables: dict[str, list[dict[str, Json]]] = {"ids.csv": [], "texts.jsonl": [], "scores.csv": []}
    for row_id, (premise, hypothesis) in pairs.items():
        (answer,) = rule([(premise, hypothesis)])
        number = NLI_LABELS.index(answer)
        tables["ids.csv"].append({"id": row_id, "label": answer.upper()})
        tables["texts.jsonl"].append({"premise": premise, "hypothesis": hypothesis, "label": number})
        tables["scores.csv"].append({"id": row_id} | dict.fromkeys(NLI_LABELS, -1.0) | {answer: 2.5})
    for name, table in tables.items():
        write_table(tmp_path / name, table)
        (result,) = import_files([tmp_path / name], OWN, model="rule", config="noun")
        assert (result.scores, answers_of_groups(result)) == (expected.scores, answers_of_groups(expected))
        assert result.consistency == expected.consistency
        assert (result.model.label_origin, result.run.prompt) == ("answers", None)
        assert (result.run.seconds, result.run.dtype, result.model.architecture) == (0, None, None)


def write_table(path: Path, rows: list[dict[str, Json]]) -> None:
    frame = pd.DataFrame(rows).convert_dtypes()
    if path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)


@pytest.fixture(scope="session")
def table(bundled: MergeDataset) -> list[dict[str, Json]]:
    """Answers to every seed and variant of config verb."""
    rows = read_split(bundled, "verb").to_pylist()
    ids = dict.fromkeys([*(row["variant_id"] for row in rows), *(row["seed_id"] for row in rows)])
    return [{"id": name, "label": "neutral"} for name in ids]


def imported(path: Path, rows: list[dict[str, Json]], **options: Any) -> Result:  # noqa: ANN401 - of `import_files`
    """Write a table of config verb and import it."""
    write_table(path, rows)
    (result,) = import_files([path], OWN, model="m", config="verb", **options)
    return result


def test_an_empty_label_is_no_answer(table: list[dict[str, Json]], tmp_path: Path) -> None:
    rows = [{**row, "label": None if number == 3 else 1} for number, row in enumerate(table)]
    assert imported(tmp_path / "a.parquet", rows).run.no_answers == 1


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


def test_a_model_that_lm_eval_has_no_name_of(lm_eval_logs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(lm_eval_logs, tmp_path / "logs"))
    (file,) = folder.glob("results_*")
    run = json.loads(file.read_text(encoding="utf-8"))
    sample = next(folder.glob("samples_*"))
    for arguments, name in ({"pretrained": "ORG/model"}, "ORG/model"), ({}, "dummy"), (None, "dummy"):
        run |= {"model_name": "ORG/model", "model_source": "dummy"}
        run["config"]["model_args"] = arguments
        file.write_text(json.dumps(run), encoding="utf-8")
        (result,) = import_files([sample], OWN)
        assert result.model.name == name


def test_a_log_of_lm_eval_without_the_names_of_the_texts(lm_eval_logs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(lm_eval_logs, tmp_path / "logs"))
    (path,) = folder.glob("results_*")
    edited(path, lambda run: [config["metadata"].pop("texts") for config in run["configs"].values()])
    before, after = (
        import_files(sorted(each.glob("samples_*")), OWN, model="dummy") for each in (lm_eval_logs, folder)
    )
    for old, new in zip(before, after, strict=True):
        assert new.model.digest == old.model.digest


@pytest.mark.parametrize(
    ("edits", "options", "message"),
    [
        (
            [put("samples", value=lambda rows: rows[: len(rows) // 2])],
            [],
            "has no answers to 17 of the 33 distinct pairs",
        ),
        ([put("samples", value=[])], [], "has no answers to 33 of the 33 distinct pairs of config verb"),
        ([put("samples", 0, "scores", value=lambda old: {"match": old["nli_answer"]})], [], "not scored by nli_answer"),
        ([EXCHANGE], [], "does not ask the pair"),
        ([EXCHANGE, without("prompt_toml")], [], "does not ask the pair"),
        (
            [put("samples", 0, "id", value="unknown"), put("eval", "dataset", "sample_ids", 0, value="unknown")],
            [],
            "sample unknown is not in config verb",
        ),
        ([put("samples", 0, "scores", value=None)], [], "has no answers to 1 of the 33"),
        ([put("eval", "metadata", value=None)], [], "is a log of the task merge_snli/nli, not of"),
        ([put(*TASK, "dataset", value="1" * 64)], [], "same version of the data set"),
        ([put(*TASK, "subsample", value="first")], [], "which part of a data set"),
        ([put(*TASK, "subsample", value=40)], [], "--subsample is 40"),
        ([without("config")], [], "which part of a data set"),
        ([put(*TASK, "config", value="adv")], [], "config adv"),
        ([put(*TASK, "shots", value="two")], [], "is not a whole log"),
        ([lambda log: log.pop("eval")], [], "is not a whole log"),
        ([put("samples", value=lambda rows: rows[:1])], ["--partial"], "PATH"),
    ],
)
def test_wrong_logs_of_inspect(
    inspect_log: Path,
    edits: list[Edit],
    options: list[str],
    message: str,
    command: Command,
    tmp_path: Path,
) -> None:
    check_refused(
        [str(edited(inspect_log, *edits)), *options], message.replace("PATH", str(inspect_log)), command, tmp_path
    )


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
        (["log.json", "--subsample", "0"], "--subsample is for tables"),
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
    ("name", "edit", "message"),
    [
        ("results", None, "is not beside"),
        ("results", "{", "is not valid JSON"),
        ("results", "[]", "merge-snli harness did not write"),
        (
            "results",
            lambda run: run["configs"].pop("merge_snli_verb_word"),
            "is a log of the task merge_snli_verb_word",
        ),
        ("results", lambda run: run["configs"]["merge_snli_verb_word"].pop("metadata"), "did not write"),
        ("results", lambda run: run["n-shot"].clear(), "is a log of the task merge_snli_verb_word"),
        (
            "results",
            lambda run: run["configs"]["merge_snli_verb_word"]["fewshot_config"].update(samples=[{"text": "a"}]),
            "do not have valid settings of the prompt",
        ),
        (
            "results",
            lambda run: run["n-shot"].update(merge_snli_verb_word=None),
            "do not have valid settings of the prompt",
        ),
        (
            "results",
            lambda run: run["configs"]["merge_snli_verb_word"]["metadata"].pop("prompt_toml"),
            "do not have valid settings of the prompt",
        ),
        ("samples", "exchange", "does not ask the pair"),
        ("samples", "", "is empty"),
        ("samples", '{"doc": {"id": 1}}\n', "is not a sample of a task"),
        ("samples", '{"doc": {"id": "a"', "is not valid JSON"),
        ("rename", None, "is not named samples_TASK_DATE.jsonl"),
    ],
)
def test_wrong_logs_of_lm_eval(
    name: str,
    edit: Edit | str | None,
    message: str,
    lm_eval_logs: Path,
    command: Command,
    tmp_path: Path,
) -> None:
    folder = Path(shutil.copytree(lm_eval_logs, tmp_path / "logs"))
    (samples,) = folder.glob("samples_merge_snli_verb_word_2*")
    (results,) = folder.glob("results_*")
    if name == "rename":
        samples = samples.rename(folder / "samples_1.jsonl")
    elif edit is None:
        results.unlink()
    elif edit == "exchange":
        first, second, *others = map(json.loads, samples.read_text(encoding="utf-8").splitlines())
        first["doc"]["id"], second["doc"]["id"] = second["doc"]["id"], first["doc"]["id"]
        samples.write_text("".join(f"{json.dumps(row)}\n" for row in (first, second, *others)), encoding="utf-8")
    elif isinstance(edit, str):
        (results if name == "results" else samples).write_text(edit, encoding="utf-8")
    else:
        edited(results, edit)
    check_refused([str(samples)], message, command, tmp_path)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("id,label\na,neutral\n", [], "none of 1 row"),
        ("id,label\na,neutral\n", ["--model", ""], "give --model NAME"),
        ("id,label\na,neutral\n", ["no model"], "give --model NAME"),
        ("text,label\na,neutral\n", [], "add id, or premise and hypothesis"),
        ("id,answer\na,neutral\n", [], "add label, or one column per label"),
        ("id,entailment,neutral\na,1,2\n", [], "add label, or one column per label"),
        ("id,label,prediction\na,neutral,neutral\n", [], "remove the gold label"),
        ("id,label\na,perhaps\n", [], "line 2: label 'perhaps'"),
        ("id,label\na,7\n", [], "line 2: label '7'"),
        ("id,label\n,neutral\n", [], "line 2 has no id"),
        ("id,entailment,neutral,contradiction\na,1,2,high\n", [], "contradiction is 'high'"),
        ("id,entailment,neutral,contradiction\na,1,2,nan\n", [], "contradiction is 'nan'"),
        ("id,label\na,neutral,2\n", [], "line 2 has 3 fields"),
        ("", [], "is empty"),
        ("id,label\n{0},neutral\n{0},entailment\n", [], "has another label in an earlier row"),
        ("id,label\n{0},neutral\n", [], "distinct pairs of config all"),
        ("id,label\n{0},neutral\n", ["--partial"], "no seed of config all"),
        ("id,label\n{0},neutral\n", ["--config", "adv"], "config adv"),
        ("id,label\n{0},neutral\n", ["--subsample", "99"], "--subsample is 99"),
        ("id,label\n{0},neutral\n", ["--limit-seeds", "0"], "--limit-seeds is 0"),
    ],
)
def test_wrong_tables(
    content: str,
    options: list[str],
    message: str,
    table: list[dict[str, Json]],
    command: Command,
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "predictions.csv", content.replace("{0}", table[0]["id"]))
    named = [] if options == ["no model"] else ["--model", "m", *options]
    check_refused([str(path), *named], message, command, tmp_path)


def test_the_results_folder_is_checked_first(inspect_log: Path, command: Command) -> None:
    assert "is a file" in command("import", inspect_log, "--dataset", OWN, "--out", inspect_log, code=2).err


def test_a_retried_log_counts_reused_samples_once(inspect_log: Path) -> None:
    first = edited(inspect_log, put("samples", value=lambda samples: samples[:20]), name="first.json")
    (result,) = import_files([first, inspect_log], OWN)
    prompt = prompt_of(result)
    assert (prompt.calls, prompt.input_tokens, prompt.output_tokens) == (33, 33 * 50, 33 * 2)


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
    stored: str | None,
    inspect_log: Path,
    tmp_path: Path,
    command: Command,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (expected,) = import_files([inspect_log], OWN)
    assert "stored with another label" not in caplog.text

    edits = [
        put("samples", at, value=lambda sample: with_answer(sample, sample["target"] if stored == "gold" else stored))
        for at in range(33)
    ]
    out = tmp_path / "results"
    options = ["--dataset", OWN, "--out", str(out)]
    command("import", edited(inspect_log, *edits, name="edited.json"), *options)
    assert "stored with another label" in caplog.text
    (path,) = out.glob("*.json")
    check_refused([str(path)], "--again", command, tmp_path / "none")
    (named,) = import_files([path], OWN, again=True, model="other")
    assert (named.model.name, named.model.digest) == ("other", expected.model.digest)
    command("import", path, "--again", *options)
    (after,) = read_results(out)
    assert 0 < after.run.no_answers < 33
    assert (after.model, after.run.prompt) == (expected.model, expected.run.prompt)
    assert (answers_of_groups(after), after.scores) == (answers_of_groups(expected), expected.scores)
    unread = command("import", path, "--again", "--unread", "--format", "json", *options).json["unread"]
    assert len(unread) == after.run.no_answers
    assert {each["text"] for each in unread} <= {"?", "entailment or neutral"}


def test_again_needs_the_answers_beside_a_result(inspect_log: Path, tmp_path: Path, command: Command) -> None:
    import_files([inspect_log], OWN, out=tmp_path / "out")
    (path,) = (tmp_path / "out").glob("*.json")
    path.with_suffix(".parquet").unlink()
    check_refused([str(path), "--again"], path.with_suffix(".parquet").name, command, tmp_path)


def test_unread_answers_of_lm_eval_are_listed(lm_eval_logs: Path, tmp_path: Path, command: Command) -> None:
    (samples,) = lm_eval_logs.glob("samples_merge_snli_verb_word_generate*")
    options = ["--model", "dummy", "--dataset", OWN, "--out", str(tmp_path / "out"), "--unread"]
    assert len(command("import", samples, *options).out.splitlines()) >= 33


ORDER = "letter-2-3-1"


def right_letters(prompt: str, limit_seeds: int = 3) -> dict[tuple[str, str], str]:
    """Return the right answer to each pair."""
    scope = Scope(config="verb", limit_seeds=limit_seeds)
    filled, asked = FilledPrompt(read_prompt(prompt), NLI_LABELS), read_questions(OWN, scope)
    return {(each.premise, each.hypothesis): filled.answer_for(each.label) for each in asked.questions}


@pytest.mark.slow
def test_letters_in_other_orders_are_read_from_logs_of_inspect(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = ["letter", ORDER, "letter-3-1-2"]
    answers = [text for name in names for text in right_letters(name, 1).values()]
    asked = {"dataset": OWN, **PART, "limit_seeds": 1, "prompt": "letter", "orders": "balanced"}
    logs = run_tasks("merge_snli/nli", answers, tmp_path, task_args=asked)
    results = import_files([log.location for log in logs], OWN)
    assert [(prompt_of(result).prompt, result.pattern_accuracy) for result in results] == [(name, 1) for name in names]
    assert "another label" not in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "_generate"])
def test_letters_in_another_order_are_read_from_logs_of_lm_eval(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    right = right_letters(ORDER)

    def answer(text: str) -> str:
        return next(letter for (premise, hypothesis), letter in right.items() if premise in text and hypothesis in text)

    class Scripted(LM):  # type: ignore[misc]
        """Knows the right letter."""

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(float(request.args[1].strip() == answer(request.args[0])), False) for request in requests]

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [answer(request.args[0]) for request in requests]

        loglikelihood_rolling = generate_until

    write_tasks(tmp_path, *PART_OPTIONS, "--prompt", ORDER)
    (result,) = import_files(lm_eval_logs_of(Scripted(), [f"merge_snli_verb_{ORDER}{kind}"], tmp_path), OWN)
    assert (result.pattern_accuracy, prompt_of(result).order) == (1, (2, 3, 1))
    assert "another label" not in caplog.text
