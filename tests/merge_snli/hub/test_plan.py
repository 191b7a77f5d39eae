"""The plan: files, card and record as they are published, licenses, names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import count
from merge_snli.dataset.record import as_json, encode_record, generation_of
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.contents import eval_yaml
from merge_snli.hub.plan import Plan, plan, plan_text
from merge_snli.scoring.eval_results import eval_tasks
from tests.merge_snli.hub.conftest import OWN, REPO, SPACE
from tests.records import changed


def with_options(dataset: MergeDataset, **options: object) -> MergeDataset:
    """Change options in the record of a data set."""
    record = dataset.record
    chosen = record.options | options
    terms = replace(record.terms, license=chosen["license"])
    (dataset.folder / "run.json").write_bytes(encode_record(replace(record, options=chosen, terms=terms)))
    return find_dataset(str(dataset.folder))


def published(planned: Plan, path: str) -> str:
    content = planned.branches[0].files[path]
    assert isinstance(content, bytes)
    return content.decode()


def test_card_examples_name_repository_and_metric(planned: Plan) -> None:
    card = published(planned, "README.md")
    assert f'load_dataset("{REPO}", "noun", split="subsample_0")' in card
    assert f'evaluate.load("{SPACE}")' in card
    assert "merge-snli register" not in card


def test_record_has_the_digests_of_the_published_files(planned: Plan, dataset: MergeDataset) -> None:
    run = json.loads(published(planned, "run.json"))
    assert run["published"] == {"dataset": REPO, "metric": SPACE}
    assert run["card"] == hashlib.sha256(published(planned, "README.md").encode()).hexdigest()
    assert run.pop("digest") == sha256_of_json(run)
    assert run["data"] == as_json(dataset.record)["data"]
    assert dataset.record.published is None


def test_local_paths_are_not_published(dataset: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret" / "set").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    first, second = generation_of(dataset.record).masked_lms
    mlms = replace(first, name="bert"), replace(second, name="org/bert", revision="c0ffee")
    dataset = replace(dataset, record=changed(dataset.record, masked_lms=mlms))
    options: dict[str, object] = {"mlm": ["secret/bert", "org/bert"], "tagger": "secret/tagger", "license": "mit"}
    (dataset.folder / "run.toml").write_text("of the run")
    for problems in ("/home/secret/mine.jsonl", "secret/mine.jsonl", "secret/set"):
        planned = plan(with_options(dataset, **options, problems=problems, seeds_from="secret/set"), REPO)
        texts = {path: published(planned, path) for path in ("README.md", "run.json", "run.toml")}
        assert not [path for path, text in texts.items() if "secret" in text]
        assert "source_datasets" not in texts["README.md"]
        named = json.loads(texts["run.json"])["options"]
        assert [named[name] for name in ("problems", "mlm", "tagger", "seeds_from")] == [
            problems.rpartition("/")[2],
            ["bert", "org/bert"],
            "tagger",
            "set",
        ]
        assert f'problems = "{problems.rpartition("/")[2]}"' in texts["run.toml"]


def test_hub_id_is_published_in_full(dataset: MergeDataset) -> None:
    planned = plan(with_options(dataset, problems="org/nli-1.0@refs/pr/3", license="mit"), REPO)
    assert json.loads(published(planned, "run.json"))["options"]["problems"] == "org/nli-1.0@refs/pr/3"
    metadata = yaml.safe_load(published(planned, "README.md").split("---\n")[1])
    assert metadata["source_datasets"] == ["org/nli-1.0"]
    assert metadata["pretty_name"] == dataset.record.title


def test_unknown_license(dataset: MergeDataset) -> None:
    dataset = with_options(dataset, problems="mine.jsonl")
    with pytest.raises(InputError, match=r"license .* is unknown.*license ID, such as license='cc-by-4.0'"):
        plan(dataset, REPO)
    before = {path: path.read_bytes() for path in dataset.folder.rglob("*") if path.is_file()}
    planned = plan(dataset, REPO, license_id="CC-BY-4.0")
    metadata = yaml.safe_load(published(planned, "README.md").split("---\n")[1])
    assert metadata["license"] == "cc-by-4.0"
    assert json.loads(published(planned, "run.json"))["terms"]["license"] == "cc-by-4.0"
    assert {path: path.read_bytes() for path in dataset.folder.rglob("*") if path.is_file()} == before


def test_contradicting_license(dataset: MergeDataset) -> None:
    with pytest.raises(InputError, match=r"license mit contradicts .*apache"):
        plan(dataset, REPO, license_id="mit")


def test_invalid_license(dataset: MergeDataset) -> None:
    with pytest.raises(InputError, match=r"license is 'cc by 4\.0'"):
        plan(with_options(dataset, problems="mine.jsonl"), REPO, license_id="CC BY 4.0")
    unclear = with_options(dataset, problems="mine.jsonl", license="as it is")
    with pytest.raises(InputError, match="license is 'as it is'"):
        plan(unclear, REPO)
    assert json.loads(published(plan(unclear, REPO, license_id="mit"), "run.json"))["options"]["license"] == "mit"


def test_eval_yaml_has_the_tasks_of_results(planned: Plan) -> None:
    content = yaml.safe_load(published(planned, "eval.yaml"))
    assert list(content) == ["name", "description", "evaluation_framework", "tasks"]
    tasks = {task["id"]: (task["config"], task["split"]) for task in content["tasks"]}
    assert tasks == {task: (config, "test") for task, config in eval_tasks(("all", "noun", "verb", "adj")).items()}
    assert {scorer["name"] for task in content["tasks"] for scorer in task["scorers"]} == {"pattern"}


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (
            (None, None),
            "How does the hypothesis relate to the premise? Answer with one word: 0 (entailment), 1 (neutral) or "
            "2 (contradiction). Give only the number.\n\nPremise: {premise}\nHypothesis: {hypothesis}\nAnswer:",
        ),
        (
            ("question", "sentence_A"),
            "Each problem has two texts: question and sentence_A. Which label is right for them? Answer with one "
            "label: 0 (entailment), 1 (neutral) or 2 (contradiction). Give only the number.\n\n"
            "question: {premise}\nsentence_A: {hypothesis}\nAnswer:",
        ),
    ],
)
def test_eval_yaml_asks_as_the_prompts_do(
    dataset: MergeDataset, columns: tuple[str | None, str | None], shown: str
) -> None:
    options = dict(zip(("premise_column", "hypothesis_column"), columns, strict=True))
    content = yaml.safe_load(eval_yaml(with_options(dataset, **options)))
    assert {task["solvers"][0]["args"]["template"] for task in content["tasks"]} == {shown}


def test_inspect_runs_a_task_of_eval_yaml(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai._eval.task import hf
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    file = tmp_path / "eval.yaml"
    file.write_text(published(planned, "eval.yaml"), encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda **_: str(file))
    original = getattr(hf, "hf_dataset")  # noqa: B009 - not exported
    monkeypatch.setattr(hf, "hf_dataset", lambda path, revision, **options: original(str(OWN), limit=3, **options))
    (task,) = hf.task_create_from_hf(f"hf/{REPO}/verb_sample_accuracy")
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in ("0", "It is 1.", "none")]
    for output in outputs:
        output.usage = ModelUsage()
    model = get_model("mockllm/model", memoize=False, custom_outputs=outputs)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", max_samples=1)
    assert log.samples is not None
    answers = [sample.scores["pattern"] for sample in log.samples if sample.scores]
    assert [score.answer for score in answers[:2]] == ["0", "1"]
    assert [score.value == "C" for score in answers] == [
        sample.target == answer for sample, answer in zip(log.samples, ("0", "1", None), strict=True)
    ]
    assert log.samples[0].metadata["hypothesis"] in log.samples[0].messages[0].text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repo": "merge_snli"}, "repo 'merge_snli' has no owner"),
        ({"repo": "org/merge/snli"}, "repo 'org/merge/snli' is not a repository id"),
        ({"repo": "org/mer..ge"}, "repo 'org/mer..ge' is not a repository id"),
        ({"repo": "org/merge_snli.v1"}, "repo org/merge_snli.v1 contains a full stop"),
        ({"metric_space": "org/pa"}, "metric_space org/pa must be named pattern_accuracy"),
        ({"create_pr": True, "revision": "draft"}, "create_pr cannot be combined with revision draft"),
    ],
)
def test_invalid_names(dataset: MergeDataset, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(dataset, **{"repo": REPO, **options})


@pytest.mark.parametrize("revision", ["", "script", "refs/pr/1", "no good", "-d", "a//b"])
def test_invalid_draft_branch(dataset: MergeDataset, revision: str) -> None:
    with pytest.raises(InputError, match=f"revision {revision!r} is not a valid name"):
        plan(dataset, REPO, revision=revision)


def test_draft_branch(dataset: MergeDataset, planned: Plan) -> None:
    with pytest.raises(InputError, match=f"revision {planned.tag} is the name of the tag"):
        plan(dataset, REPO, revision=str(planned.tag))
    assert plan(dataset, REPO, revision="drafts/v2.0").branches[0].name == "drafts/v2.0"


def test_text_sums_files_by_folder(planned: Plan, dataset: MergeDataset) -> None:
    lines = plan_text(planned).splitlines()
    files = list((dataset.folder / "data/all").iterdir())
    size = sum(path.stat().st_size for path in files)
    assert lines.count(f"  {size:>14,} bytes  data/all/*, {count(len(files), 'file')}") == 2
    written = planned.branches[0].files
    assert f"  {len(written['README.md']):>14,} bytes  README.md, 1 file" in lines  # type: ignore[arg-type]
    total = sum(len(each) if isinstance(each, bytes) else each.stat().st_size for each in written.values())
    assert f"  {total:>14,} bytes in {count(len(written), 'file')}" in lines
    assert [line for line in lines if not line.startswith("  ")] == [
        f"data set {REPO}, branch main",
        f"data set {REPO}, branch script",
        f"Space {SPACE}, branch main",
        f"tag {planned.tag} on main of {REPO}",
    ]
