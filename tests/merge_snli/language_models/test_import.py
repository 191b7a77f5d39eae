"""Answers become results: the numbers equal those of the script, and what is missing or wrong is refused."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from merge_snli import read_results, score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.language_models.import_files import import_files
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN, Run, lm_eval_logs_of, run_task
from tests.oracles import answers_of_groups

if TYPE_CHECKING:
    pass

Json = Any
PART = {"config": "verb", "limit_seeds": 3}


def task_of(**arguments: Json) -> Json:
    from merge_snli.language_models.inspect_task import nli

    return nli(OWN, **arguments)


def script(task: Json) -> list[str]:
    """Answer six of ten right, two wrong and two so that they cannot be read."""
    chosen, answers = random.Random(3), []
    for sample in task.dataset:
        wrong = NLI_LABELS[(NLI_LABELS.index(str(sample.target)) + 1) % 3]
        answers.append(chosen.choice([str(sample.target)] * 6 + [wrong, wrong, "?", "entailment or neutral"]))
    return answers


@pytest.fixture(scope="session")
def scripted_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole log of Inspect, `log.eval`, and beside it the same in JSON."""
    from inspect_ai.log import write_eval_log

    folder = tmp_path_factory.mktemp("inspect")
    task = task_of(**PART)
    log = run_task(task, script(task), folder / "logs")
    write_eval_log(log, str(folder / "log.eval"))
    write_eval_log(log, str(folder / "log.json"))
    return folder / "log.eval"


@pytest.fixture
def inspect_log(scripted_log: Path, tmp_path: Path) -> Path:
    """A whole log of Inspect in JSON, to be edited."""
    return Path(shutil.copy(scripted_log.with_suffix(".json"), tmp_path))


@pytest.fixture(scope="session")
def lm_eval_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples of two tasks of lm-evaluation-harness, and their results."""
    from lm_eval.models.dummy import DummyLM

    folder = tmp_path_factory.mktemp("lm_eval")
    assert main(["harness", OWN, "--config", "verb", "--limit-seeds", "3", "--out", str(folder / "tasks")]) == 0
    tasks = ["merge_snli_verb_word", "merge_snli_verb_word_generate"]
    (logs,) = {path.parent for path in lm_eval_logs_of(DummyLM(), tasks, folder, num_fewshot=2)}
    return logs


@pytest.fixture(scope="session")
def other_dataset(bundled: MergeDataset, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Another version of the bundled data set."""
    folder = tmp_path_factory.mktemp("other") / "merge_snli"
    shutil.copytree(Path(OWN) / "data", folder / "data")
    for name in ("run.json", "README.md"):
        text = (Path(OWN) / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(bundled.digest, "0" * 64), encoding="utf-8")
    return str(folder)


def test_one_name_for_the_logs_of_several_models_is_refused(inspect_log: Path, tmp_path: Path) -> None:
    log = json.loads(inspect_log.read_text(encoding="utf-8"))
    log["eval"]["model"] = "mockllm/other"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(log), encoding="utf-8")
    with pytest.raises(InputError, match=r"model is 'mine'.*2 models, model, other"):
        import_files([inspect_log, other], OWN, model="mine", out=tmp_path / "results")
    assert not (tmp_path / "results").exists()
    assert [result.model.name for result in import_files([inspect_log, other], OWN)] == ["model", "other"]
    assert [result.model.name for result in import_files([other], OWN, model="mine")] == ["mine"]


def test_a_scripted_model_reaches_the_leaderboard(run: Run, tmp_path: Path) -> None:
    task = task_of(config="all", subsample="all", limit_seeds=12, prompt="few_shot", shots=2)
    answers = script(task)
    log = run(task, answers)
    results = tmp_path / "results"
    assert main(["import", log.location, "--dataset", OWN, "--model", "scripted", "--out", str(results)]) == 0
    seeds: list[bool] = []
    by_draw: dict[int, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for sample, answer in zip(task.dataset, answers, strict=True):
        metadata = dict(sample.metadata or {})
        for use in [metadata, *metadata.get("also", [])]:
            right = use["label"] == answer
            if "variant_id" not in use:
                seeds.append(right)
            for number in use.get("subsamples", ()):
                by_draw[number][use["seed_id"]].append(right)
    (result,) = read_results(results)
    scores = result.scores
    assert scores.seed_accuracy == fmean(seeds)
    shares = [[fmean(rows) for rows in groups.values()] for _, groups in sorted(by_draw.items())]
    passing = [fmean(share >= 0.9 - 1e-9 for share in row) for row in shares]
    assert scores.pattern_accuracy.each == pytest.approx(passing)
    rows = [[right for group in groups.values() for right in group] for groups in by_draw.values()]
    assert scores.sample_accuracy.mean == pytest.approx(fmean(map(fmean, rows)))
    unread = sum(answer not in NLI_LABELS for answer in answers)
    prompt = result.run.prompt
    assert prompt is not None
    assert (result.run.no_answers, prompt.calls, prompt.retries) == (unread, len(answers), 0)
    assert (prompt.input_tokens, prompt.output_tokens) == (50 * len(answers), 2 * len(answers))
    assert (prompt.provider, prompt.prompt, prompt.shots, prompt.temperature) == ("mockllm", "few_shot", 2, 0.0)
    assert result.title == "scripted (few_shot, 2 shots)"
    assert "".join(answers_of_groups(result).predictions).count("?") > 0
    board = tmp_path / "site"
    assert main(["leaderboard", str(results), "--out", str(board), "--format", "json"]) == 0
    first = json.loads((board / "leaderboard.json").read_text(encoding="utf-8"))["rows"][0]
    assert first["pattern_accuracy"] == scores.pattern_accuracy.mean
    assert (first["prompt"], first["shots"], first["provider"]) == ("few_shot", 2, "mockllm")
    assert main(["leaderboard", str(results), "--out", str(board), "--dataset", OWN]) == 0
    page = (board / "index.html").read_text(encoding="utf-8")
    assert '"prompted"' in page
    assert "no answer" in page


def test_a_model_that_never_answers_is_wrong_and_never_consistent(run: Run) -> None:
    task = task_of(**PART)
    (result,) = import_files([run(task, ["?"] * len(task.dataset)).location], OWN)
    assert result.scores.seed_accuracy == result.scores.sample_accuracy.mean == 0
    assert result.run.no_answers == len(task.dataset)
    assert {*(answers_of_groups(result).seeds or ())} == {None}
    assert [scores.sample_accuracy.mean for scores in (result.consistency or {}).values()] == [0, 0]


def test_imported_answers_give_the_result_of_the_function_that_gave_them(tmp_path: Path, bundled: MergeDataset) -> None:
    def rule(pairs: list[tuple[str, str]]) -> list[str]:
        return [NLI_LABELS[len(premise) * len(hypothesis) % 3] for premise, hypothesis in pairs]

    expected = score(rule, OWN, config="noun")
    rows = read_split(bundled, "noun").to_pylist()
    asked = [(row["variant_id"], row["premise"], row["hypothesis"]) for row in rows]
    asked += list({(row["seed_id"], row["seed_premise"], row["seed_hypothesis"]) for row in rows})
    answers = [(name, pair, rule([pair])[0]) for name, *pair in asked]  # type: ignore[list-item]
    tables = {
        "ids.csv": [{"id": name, "label": answer.upper()} for name, _, answer in answers],
        "texts.jsonl": [
            {"premise": pair[0], "hypothesis": pair[1], "label": NLI_LABELS.index(answer)}
            for _, pair, answer in answers
        ],
        "scores.csv": [
            {"id": name, **{x: 2.5 if x == answer else -1 for x in NLI_LABELS}} for name, _, answer in answers
        ],
    }
    for name, table in tables.items():
        write_table(tmp_path / name, table)
        (result,) = import_files([tmp_path / name], OWN, model="rule", config="noun")
        assert result.scores == expected.scores
        assert answers_of_groups(result) == answers_of_groups(expected)
        assert result.consistency == expected.consistency
        assert (result.model.label_origin, result.run.prompt) == ("answers", None)


def write_table(path: Path, rows: list[dict[str, Json]]) -> None:
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="session")
def table(bundled: MergeDataset) -> list[dict[str, Json]]:
    """Answers to every seed and variant of config verb."""
    rows = read_split(bundled, "verb").to_pylist()
    ids = dict.fromkeys([*(row["variant_id"] for row in rows), *(row["seed_id"] for row in rows)])
    return [{"id": name, "label": "neutral"} for name in ids]


def test_an_empty_label_is_no_answer(table: list[dict[str, Json]], tmp_path: Path) -> None:
    write_table(
        tmp_path / "a.parquet", [{**row, "label": None if number == 3 else 1} for number, row in enumerate(table)]
    )
    (result,) = import_files([tmp_path / "a.parquet"], OWN, model="m", config="verb")
    assert result.run.no_answers == 1


def test_tied_scores_are_counted(table: list[dict[str, Json]], tmp_path: Path) -> None:
    even = dict.fromkeys(NLI_LABELS, 0.25)
    rows = [{"id": row["id"], **even, "neutral": 0.25 if number < 3 else 0.5} for number, row in enumerate(table)]
    write_table(tmp_path / "a.csv", rows)
    (result,) = import_files([tmp_path / "a.csv"], OWN, model="m", config="verb")
    (note,) = (note for note in result.notes if "tied" in note)
    assert f"tied on 3 of {len(table)} distinct pairs" in note
    write_table(tmp_path / "b.csv", [{"id": row["id"], **even} for row in table])
    with pytest.raises(InputError, match=r"tied in every row of .*b\.csv"):
        import_files([tmp_path / "b.csv"], OWN, model="m", config="verb")


def test_partial_leaves_out_and_counts_seeds(table: list[dict[str, Json]], tmp_path: Path) -> None:
    write_table(tmp_path / "a.csv", table[1:])
    (result,) = import_files([tmp_path / "a.csv"], OWN, model="m", config="verb", partial=True)
    seed = table[0]["id"].partition(":")[0]
    assert result.left_out.groups == 1
    assert result.left_out.rows == sum(row["id"].startswith(f"{seed}:") for row in table)
    assert seed not in result.group_ids
    assert any("not all of a seed's answers were imported" in note for note in result.notes)


def test_a_subsample_in_a_table(table: list[dict[str, Json]], bundled: MergeDataset, tmp_path: Path) -> None:
    drawn = {row["variant_id"] for row in read_split(bundled, "verb").to_pylist() if 2 in row["subsamples"]}
    write_table(tmp_path / "a.csv", [row for row in table if ":" not in row["id"] or row["id"] in drawn])
    (result,) = import_files([tmp_path / "a.csv"], OWN, model="m", config="verb", subsample=2)
    expected = score(lambda pairs: ["neutral"] * len(pairs), OWN, config="verb", subsample=2)
    assert result.dataset == expected.dataset
    assert result.scores == expected.scores


def test_logs_of_one_run_are_joined(run: Run) -> None:
    logs = []
    for seeds in ("only", "without"):
        task = task_of(**PART, seeds=seeds)
        logs.append(run(task, [str(sample.target) for sample in task.dataset]).location)
    with pytest.raises(InputError, match=r"no answers to 3 of the 33"):
        import_files(logs[1:], OWN)
    (result,) = import_files(logs, OWN)
    assert result.scores.pattern_accuracy.mean == 1
    assert result.run.prompt is not None
    assert result.run.prompt.calls == 33


def test_both_tasks_of_lm_eval(lm_eval_logs: Path, tmp_path: Path) -> None:
    results = import_files(sorted(lm_eval_logs.glob("samples_*")), OWN, model="dummy", out=tmp_path / "out")
    ranked, generated = results
    assert ranked.title == "dummy (word, 2 shots, ranked)"
    assert generated.title == "dummy (word, 2 shots)"
    assert (ranked.run.no_answers, generated.run.unread) == (0, {"perhaps stopped": 33})
    (run,) = [json.loads(path.read_text(encoding="utf-8")) for path in lm_eval_logs.glob("results_*")]
    logged = run["results"]["merge_snli_verb_word"]
    assert ranked.scores.seed_accuracy == logged["seed_sample_accuracy,none"]
    assert ranked.scores.sample_accuracy.mean == pytest.approx(logged["sample_accuracy,none"])
    assert ranked.run.prompt is not None
    assert (ranked.run.prompt.calls, ranked.run.prompt.temperature) == (3 * 33, None)
    assert len(read_results(tmp_path / "out")) == 2


def test_a_log_without_the_prompt_in_full(inspect_log: Path) -> None:
    content = json.loads(inspect_log.read_text(encoding="utf-8"))
    record = content["eval"]["metadata"]["merge_snli"]
    del record["prompt_toml"]
    record["prompt"] = "zero_shot"
    inspect_log.write_text(json.dumps(content), encoding="utf-8")
    for again in (False, True):
        (result,) = import_files([inspect_log], OWN, again=again)
        assert result.title == "model (zero_shot)"


def test_a_log_of_lm_eval_without_the_names_of_the_texts(lm_eval_logs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(lm_eval_logs, tmp_path / "logs"))
    (path,) = folder.glob("results_*")
    run = json.loads(path.read_text(encoding="utf-8"))
    for config in run["configs"].values():
        del config["metadata"]["texts"]
    path.write_text(json.dumps(run), encoding="utf-8")
    before, after = (
        import_files(sorted(each.glob("samples_*")), OWN, model="dummy") for each in (lm_eval_logs, folder)
    )
    assert [result.model.digest for result in after] == [result.model.digest for result in before]


Edit = Callable[[Json], Json]


def first_only(log: Json) -> None:
    log["samples"] = log["samples"][: len(log["samples"]) // 2]


def rename_score(log: Json) -> None:
    log["samples"][0]["scores"] = {"match": log["samples"][0]["scores"]["nli_answer"]}


def exchange_samples(log: Json) -> None:
    first, second = log["samples"][:2]
    first["id"], second["id"] = second["id"], first["id"]


def exchange_samples_without_prompt(log: Json) -> None:
    exchange_samples(log)
    del log["eval"]["metadata"]["merge_snli"]["prompt_toml"]


def rename_sample(log: Json) -> None:
    log["samples"][0]["id"] = log["eval"]["dataset"]["sample_ids"][0] = "unknown"


LOG_EDITS: list[tuple[Edit, str]] = [
    (first_only, "has no answers to 17 of the 33 distinct pairs of config verb"),
    (lambda log: log.update(samples=[]), "has no answers to 33 of the 33"),
    (rename_score, "was not scored by nli_answer"),
    (exchange_samples, "does not ask the pair"),
    (exchange_samples_without_prompt, "does not ask the pair"),
    (rename_sample, "sample unknown is not in config verb"),
    (lambda log: log["samples"][0].update(scores=None), "has no answers to 1 of the 33"),
    (lambda log: log["eval"].update(metadata=None), "is a log of the task merge_snli/nli, not of"),
    (lambda log: log["eval"]["metadata"]["merge_snli"].update(dataset="1" * 64), "same version of the data set"),
    (lambda log: log["eval"]["metadata"]["merge_snli"].update(subsample="first"), "which part of a data set"),
    (lambda log: log["eval"]["metadata"]["merge_snli"].update(subsample=40), "--subsample is 40"),
    (lambda log: log["eval"]["metadata"]["merge_snli"].pop("config"), "which part of a data set"),
    (lambda log: log["eval"]["metadata"]["merge_snli"].update(config="adv"), "config adv"),
    (lambda log: log["eval"]["metadata"]["merge_snli"].update(shots="two"), "is not a whole log"),
    (lambda log: log.pop("eval"), "is not a whole log"),
]


@pytest.mark.parametrize(("edit", "message"), LOG_EDITS)
def test_wrong_logs_of_inspect(
    inspect_log: Path, edit: Edit, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    content = json.loads(inspect_log.read_text(encoding="utf-8"))
    edit(content)
    inspect_log.write_text(json.dumps(content), encoding="utf-8")
    refused([str(inspect_log)], message, capsys, tmp_path)


def refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, dataset: str = OWN
) -> None:
    out = tmp_path / "results"
    assert main(["import", *options, "--dataset", dataset, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not out.exists()


def cut(path: Path) -> str:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])
    return str(path)


def test_broken_files(
    scripted_log: Path, inspect_log: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    archive = Path(shutil.copy(scripted_log, tmp_path))
    for path in (archive, inspect_log):
        refused([cut(path)], "is not a whole log", capsys, tmp_path)
    archive.write_bytes(b"")
    refused([str(archive)], "is not a whole log", capsys, tmp_path)
    inspect_log.write_text('[{"id": "a", "label": "neutral"}]', encoding="utf-8")
    refused([str(inspect_log)], "is not a whole log", capsys, tmp_path)


def test_a_log_of_another_version(
    inspect_log: Path, other_dataset: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    refused([str(inspect_log)], f"not on {other_dataset}", capsys, tmp_path, other_dataset)


def test_two_logs_that_differ(inspect_log: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    content = json.loads(inspect_log.read_text(encoding="utf-8"))
    content["samples"][0]["output"]["completion"] = "?"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content), encoding="utf-8")
    refused([str(inspect_log), str(other)], "has another answer in an earlier log", capsys, tmp_path)


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
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("id,label\n", encoding="utf-8")
    refused([*options, *(["--model", "m"] if options == ["."] else [])], message, capsys, tmp_path)
    assert inspect_log.exists()


def without_task(run: Json) -> None:
    run["configs"].pop("merge_snli_verb_word")


@pytest.mark.parametrize(
    ("name", "edit", "message"),
    [
        ("results", None, "is not beside"),
        ("results", "{", "is not valid JSON"),
        ("results", "[]", "merge-snli harness did not write"),
        ("results", without_task, "is a log of the task merge_snli_verb_word"),
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
        ("samples", '{"doc": {}}\n', "is not a sample of a task"),
        ("samples", '{"doc": {"id": "a"', "is not valid JSON"),
        ("rename", None, "is not named samples_TASK_DATE.jsonl"),
    ],
)
def test_wrong_logs_of_lm_eval(
    name: str,
    edit: Edit | str | None,
    message: str,
    lm_eval_logs: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "logs"
    shutil.copytree(lm_eval_logs, folder)
    (samples,) = folder.glob("samples_merge_snli_verb_word_2*")
    (results,) = folder.glob("results_*")
    if name == "rename":
        samples = samples.rename(folder / "samples_1.jsonl")
    elif edit is None:
        results.unlink()
    elif edit == "exchange":
        rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
        first, second = rows[0]["doc"], rows[1]["doc"]
        first["id"], second["id"] = second["id"], first["id"]
        samples.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    elif isinstance(edit, str):
        (results if name == "results" else samples).write_text(edit, encoding="utf-8")
    else:
        run = json.loads(results.read_text(encoding="utf-8"))
        edit(run)
        results.write_text(json.dumps(run), encoding="utf-8")
    refused([str(samples)], message, capsys, tmp_path)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("id,label\na,neutral\n", [], "none of 1 row"),
        ("id,label\na,neutral\n", ["--model", ""], "give --model NAME"),
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
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text(content.replace("{0}", table[0]["id"]), encoding="utf-8")
    refused([str(path), "--model", "m", *options], message, capsys, tmp_path)


def test_a_table_needs_the_name_of_its_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,label\na,neutral\n", encoding="utf-8")
    refused([str(tmp_path / "a.csv")], "give --model NAME", capsys, tmp_path)


def test_the_results_folder_is_checked_first(inspect_log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(inspect_log), "--dataset", OWN, "--out", str(inspect_log)]) == 2
    assert "is a file" in capsys.readouterr().err


def test_a_retried_log_counts_reused_samples_once(run: Run, tmp_path: Path) -> None:
    task = task_of(**PART)
    log = json.loads(_as_json(run(task, ["neutral"] * len(task.dataset)), tmp_path))
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    second.write_text(json.dumps(log), encoding="utf-8")
    log["samples"] = log["samples"][:20]
    first.write_text(json.dumps(log), encoding="utf-8")
    (result,) = import_files([first, second], OWN)
    prompt = result.run.prompt
    assert prompt is not None
    assert (prompt.calls, prompt.input_tokens, prompt.output_tokens) == (33, 33 * 50, 33 * 2)


def _as_json(log: Json, folder: Path) -> str:
    from inspect_ai.log import write_eval_log

    write_eval_log(log, str(folder / "whole.json"))
    return (folder / "whole.json").read_text(encoding="utf-8")


def test_a_failed_log_does_not_stop_the_others(
    inspect_log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    failed = json.loads(inspect_log.read_text(encoding="utf-8"))
    failed["samples"] = []
    failed["eval"]["metadata"]["merge_snli"]["limit_seeds"] = 2
    names = {"failed.json": json.dumps(failed), "broken.eval": ""}
    for name, content in names.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    paths = [str(tmp_path / name) for name in names]
    out = tmp_path / "results"
    assert main(["import", *paths, str(inspect_log), "--dataset", OWN, "--out", str(out)]) == 0
    assert all(path in caplog.text for path in paths)
    assert len(read_results(out)) == 1
    refused(paths, "none of 2 files", capsys, tmp_path / "none")


def test_a_partial_import_without_a_whole_seed_names_its_file(
    inspect_log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(inspect_log.read_text(encoding="utf-8"))
    content["samples"] = content["samples"][:1]
    inspect_log.write_text(json.dumps(content), encoding="utf-8")
    refused([str(inspect_log), "--partial"], str(inspect_log), capsys, tmp_path)


@pytest.mark.parametrize("stored", [None, "gold", "perhaps"])
def test_stored_answers_do_not_count_but_their_texts(
    stored: str | None,
    inspect_log: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    (expected,) = import_files([inspect_log], OWN)
    assert "stored with another label" not in caplog.text
    content = json.loads(inspect_log.read_text(encoding="utf-8"))
    for sample in content["samples"]:
        sample["scores"]["nli_answer"]["answer"] = sample["target"] if stored == "gold" else stored
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(content), encoding="utf-8")
    out = tmp_path / "results"
    options = ["--dataset", OWN, "--out", str(out)]
    assert main(["import", str(edited), *options]) == 0
    assert "stored with another label" in caplog.text
    (path,) = out.glob("*.json")
    refused([str(path)], "--again", capsys, tmp_path / "none")
    (named,) = import_files([path], OWN, again=True, model="other")
    assert (named.model.name, named.model.digest) == ("other", expected.model.digest)
    assert main(["import", str(path), "--again", *options]) == 0
    (after,) = read_results(out)
    assert 0 < after.run.no_answers < 33
    assert (after.model, after.run.prompt) == (expected.model, expected.run.prompt)
    assert (answers_of_groups(after), after.scores) == (answers_of_groups(expected), expected.scores)
    assert main(["import", str(path), "--again", "--unread", "--format", "json", *options]) == 0
    output = capsys.readouterr().out
    unread = json.loads(output[output.index('{\n  "results"') :])["unread"]
    assert len(unread) == after.run.no_answers
    assert {each["text"] for each in unread} <= {"?", "entailment or neutral"}


def test_again_needs_the_answers_beside_a_result(
    inspect_log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_files([inspect_log], OWN, out=tmp_path / "out")
    (path,) = (tmp_path / "out").glob("*.json")
    path.with_suffix(".parquet").unlink()
    refused([str(path), "--again"], path.with_suffix(".parquet").name, capsys, tmp_path)


def test_unread_answers_of_lm_eval_are_listed(
    lm_eval_logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (samples,) = lm_eval_logs.glob("samples_merge_snli_verb_word_generate*")
    options = ["--model", "dummy", "--dataset", OWN, "--out", str(tmp_path / "out"), "--unread"]
    assert main(["import", str(samples), *options]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 33
