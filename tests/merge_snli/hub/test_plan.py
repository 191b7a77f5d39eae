"""The plan: files, card and record as they are published, licenses, names."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai._eval.task import hf

from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.record_file import as_json, encode_record
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.hub.contents import eval_yaml
from merge_snli.hub.plan import Plan, Target, plan, plan_text
from merge_snli.results.eval_results import eval_tasks
from tests.merge_snli.hub.conftest import OWN, REPO, SPACE
from tests.merge_snli.language_models.conftest import run_task
from tests.oracles import known, missing_from, refused, written
from tests.records import changed, files_in


def with_options(dataset: MergeDataset, **options: object) -> MergeDataset:
    """Change options in the record of a data set."""
    chosen = dataset.record.options | options
    terms = replace(dataset.record.terms, license=chosen["license"])
    (dataset.folder / "run.json").write_bytes(encode_record(replace(dataset.record, options=chosen, terms=terms)))
    return find_dataset(str(dataset.folder))


def metadata_of(planned: Plan) -> dict[str, Any]:
    metadata: dict[str, Any] = yaml.safe_load(published(planned, "README.md").split("---\n")[1])
    return metadata


def run_of(planned: Plan) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(published(planned, "run.json"))
    return run


def published(planned: Plan, path: str) -> str:
    content = planned.branches[0].files[path]
    assert isinstance(content, bytes)
    return content.decode()


def test_card_examples_name_repository_and_metric(planned: Plan) -> None:
    card = published(planned, "README.md")
    assert not missing_from(card, f'load_dataset("{REPO}", "noun", split="subsample_0")', f'evaluate.load("{SPACE}")')
    assert "merge-snli register" not in card


def test_record_has_the_digests_of_the_published_files(planned: Plan, dataset: MergeDataset) -> None:
    run = run_of(planned)
    assert run["published"] == {"dataset": REPO, "metric": SPACE}
    assert run["card"] == hashlib.sha256(published(planned, "README.md").encode()).hexdigest()
    assert run.pop("digest") == sha256_of_json(run)
    assert run["data"] == as_json(dataset.record)["data"]
    assert dataset.record.published is None


@pytest.mark.parametrize("problems", ["/home/secret/mine.jsonl", "secret/mine.jsonl", "secret/set"])
def test_local_paths_are_not_published(
    dataset: MergeDataset, problems: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret" / "set").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    first, second = generation_of(dataset.record).masked_lms
    mlms = replace(first, name="bert"), replace(second, name="org/bert", revision="c0ffee")
    dataset = replace(dataset, record=changed(dataset.record, masked_lms=mlms))
    (dataset.folder / "run.toml").write_text("of the run")
    dataset = with_options(
        dataset,
        mlm=["secret/bert", "org/bert"],
        tagger="secret/tagger",
        license="mit",
        problems=problems,
        seeds_from="secret/set",
    )
    planned = plan(dataset, Target(REPO))
    for path in ("README.md", "run.json", "run.toml"):
        assert "secret" not in published(planned, path)
    assert "source_datasets" not in published(planned, "README.md")
    named = run_of(planned)["options"]
    file = problems.rpartition("/")[2]
    assert named["problems"] == file
    assert named["mlm"] == ["bert", "org/bert"]
    assert named["tagger"] == "tagger"
    assert named["seeds_from"] == "set"
    assert f'problems = "{file}"' in published(planned, "run.toml")


def test_hub_id_is_published_in_full(dataset: MergeDataset) -> None:
    planned = plan(with_options(dataset, problems="org/nli-1.0@refs/pr/3", license="mit"), Target(REPO))
    assert run_of(planned)["options"]["problems"] == "org/nli-1.0@refs/pr/3"
    metadata = metadata_of(planned)
    assert metadata["source_datasets"] == ["org/nli-1.0"]
    assert metadata["pretty_name"] == dataset.record.title


def test_unknown_license(dataset: MergeDataset) -> None:
    dataset = with_options(dataset, problems="mine.jsonl")
    refused(r"license .* is unknown.*license ID, such as license='cc-by-4.0'", plan, dataset, Target(REPO))
    before = files_in(dataset.folder)
    planned = plan(dataset, Target(REPO, license_id="CC-BY-4.0"))
    assert metadata_of(planned)["license"] == "cc-by-4.0"
    assert run_of(planned)["terms"]["license"] == "cc-by-4.0"
    assert files_in(dataset.folder) == before


@pytest.mark.parametrize(
    ("options", "license_id", "message"),
    [
        ({}, "mit", "license mit contradicts .*apache"),
        ({"problems": "mine.jsonl"}, "CC BY 4.0", r"license is 'cc by 4\.0'"),
        ({"problems": "mine.jsonl", "license": "as it is"}, None, "license is 'as it is'"),
    ],
)
def test_contradicting_and_invalid_licenses(
    dataset: MergeDataset, options: dict[str, str], license_id: str | None, message: str
) -> None:
    target = Target(REPO, license_id=license_id)
    refused(message, plan, with_options(dataset, **options) if options else dataset, target)


def test_a_license_takes_the_place_of_an_unclear_one(dataset: MergeDataset) -> None:
    unclear = with_options(dataset, problems="mine.jsonl", license="as it is")
    assert run_of(plan(unclear, Target(REPO, license_id="mit")))["options"]["license"] == "mit"


def test_eval_yaml_has_the_tasks_of_results(planned: Plan) -> None:
    content = yaml.safe_load(published(planned, "eval.yaml"))
    assert list(content) == ["name", "description", "evaluation_framework", "tasks"]
    assert f"-T dataset={REPO} -T config=all" in content["description"]
    configs = {task["id"]: task["config"] for task in content["tasks"]}
    assert configs == eval_tasks(("all", "noun", "verb", "adj"))
    for task in content["tasks"]:
        assert task["split"] == "test"
        assert [scorer["name"] for scorer in task["scorers"]] == ["pattern"]


QUESTION = "Premise: {premise}\nHypothesis: {hypothesis}\nAnswer:"
ABOUT_TEXTS = (
    "Each problem has two texts: question and sentence_A. Which label is right for them? Answer with one label: "
)


@pytest.mark.parametrize(
    ("names", "start", "end"),
    [
        ((None, None), "How does the hypothesis relate to the premise? Answer with one word: ", QUESTION),
        (("question", "sentence_A"), ABOUT_TEXTS, "question: {premise}\nsentence_A: {hypothesis}\nAnswer:"),
    ],
)
def test_eval_yaml_asks_as_the_prompts_do(
    dataset: MergeDataset, names: tuple[str | None, str | None], start: str, end: str
) -> None:
    premise, hypothesis = names
    named = with_options(dataset, premise_column=premise, hypothesis_column=hypothesis)
    answers = "0 (entailment), 1 (neutral) or 2 (contradiction). Give only the number."
    for task in yaml.safe_load(eval_yaml(named, REPO))["tasks"]:
        assert task["solvers"][0]["args"]["template"] == f"{start}{answers}\n\n{end}"


@pytest.mark.slow
def test_inspect_runs_a_task_of_eval_yaml(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "eval.yaml", published(planned, "eval.yaml"))
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda **_: str(file))
    original = getattr(hf, "hf_dataset")  # noqa: B009 - not exported
    monkeypatch.setattr(hf, "hf_dataset", lambda path, revision, **options: original(str(OWN), limit=3, **options))
    (task,) = hf.task_create_from_hf(f"hf/{REPO}/verb_sample_accuracy")
    samples = run_task(task, ("0", "It is 1.", "none"), tmp_path / "logs").samples or []
    for sample, answer in zip(samples, ("0", "1", None), strict=True):
        score = known(sample.scores)["pattern"]
        assert answer in (None, score.answer)
        assert (score.value == "C") == (sample.target == answer)
    assert samples[0].metadata["hypothesis"] in samples[0].messages[0].text


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
def test_invalid_names(options: dict[str, Any], message: str) -> None:
    refused(message, Target, **{"repo": REPO, **options})


@pytest.mark.parametrize("name", ["", "script", "refs/pr/1", "no good", "-d", "a//b"])
def test_invalid_names_of_branches(name: str) -> None:
    refused(f"revision {name!r} is not a valid name", Target, REPO, revision=name)


def test_draft_branch(dataset: MergeDataset, planned: Plan) -> None:
    tag = Target(REPO, revision=str(planned.tag))
    refused(f"revision {planned.tag} is the name of the tag", plan, dataset, tag)
    assert plan(dataset, Target(REPO, revision="drafts/v2.0")).branches[0].name == "drafts/v2.0"


def test_text_sums_files_by_folder(planned: Plan, dataset: MergeDataset) -> None:
    lines = plan_text(planned).splitlines()
    size = (dataset.folder / "data/all/test.parquet").stat().st_size
    assert lines.count(f"  {size:>14,} bytes  data/all/*, 1 file") == 2
    assert f"  {len(published(planned, 'README.md').encode()):>14,} bytes  README.md, 1 file" in lines
    files = planned.branches[0].files.values()
    total = sum(len(each) if isinstance(each, bytes) else each.stat().st_size for each in files)
    assert f"  {total:>14,} bytes in {len(files)} files" in lines
    assert [line for line in lines if not line.startswith("  ")] == [
        f"data set {REPO}, branch main",
        f"data set {REPO}, branch script",
        f"Space {SPACE}, branch main",
        f"tag {planned.tag} on main of {REPO}",
    ]
