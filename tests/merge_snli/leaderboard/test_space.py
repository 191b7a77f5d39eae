"""A leaderboard Space: the check of its submissions, its repository, and pull requests on a stand-in for the Hub."""

import copy
import dataclasses
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

from merge_snli import Result, score
from merge_snli.cli import main
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.leaderboard.space import LIMITS, RESULTS, Checked, _results_of, check_results
from merge_snli.scoring.answers import Answers
from merge_snli.scoring.check import differences
from merge_snli.scoring.measure import consistency, scores
from merge_snli.scoring.reading import read_config
from merge_snli.scoring.store import FILE, answers_name, file_name, to_files, to_json, write_result
from tests.commands import Command
from tests.hub.server import Hub
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.leaderboard.conftest import SHIPPED, unchecked
from tests.oracles import refused, scored_again, write_results

Json = dict[str, Any]


@pytest.fixture(scope="module")
def data() -> MergeDataset:
    return find_dataset(str(SHIPPED))


@pytest.fixture(scope="module")
def good(results: list[Result]) -> Result:
    return results[1]


def content_of(*results: Result) -> dict[str, bytes]:
    """Return the files of results by name."""
    return {name: content for result in results for name, content in to_files(result).items()}


def check_files(files: dict[str, bytes], accepted: dict[str, bytes], data: Sequence[MergeDataset]) -> Checked:
    submitted, known = (
        _results_of({f"{RESULTS}/{name}": content for name, content in each.items()}) for each in (files, accepted)
    )
    return check_results(submitted, {name: each for name, each in known.items() if isinstance(each, Result)}, data)


def check(data: MergeDataset, result: Result, content: Json | None = None, **accepted: Result) -> list[str]:
    """Check the two files of a result, of which the JSON file has other content."""
    files, name = to_files(result), file_name(result)
    if content is not None:
        content["answers_sha256"] = json.loads(files[name])["answers_sha256"]
        files[name] = json.dumps(content).encode()
    return check_files(files, content_of(*accepted.values()), [data])[name]


def test_good_results_pass(results: list[Result], data: MergeDataset) -> None:
    passing = [*results[:3], *results[4:]]
    assert check_files(content_of(*passing), {}, [data]) == {file_name(result): [] for result in passing}


def set_at(*path: str | int, value: Any) -> Callable[[Json], None]:  # noqa: ANN401 - any JSON value
    def change(content: Any) -> None:  # noqa: ANN401
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value(content[path[-1]]) if callable(value) else value

    return change


def add(amount: float) -> Callable[[float], float]:
    return lambda number: number + amount


def with_source(content: Json) -> None:
    accuracy = {"problems": 10, "sample_accuracy": 1.0, "interval": [0.7, 1.0]}
    content["source"] = {
        "name": "snli",
        "digest": "0" * 64,
        "without_label": 0,
        "too_long": 0,
        "overall": accuracy,
        "labels": {"entailment": accuracy},
    }


FORGED: dict[str, tuple[Callable[[Json], None], str]] = {
    "sample accuracy on seeds": (set_at("scores", "seed_accuracy", value=add(0.01)), "qt is"),
    "sample accuracy on variants": (set_at("scores", "sample_accuracy", "mean", value=add(0.01)), "sample_accuracy"),
    "sample accuracy of a subsample": (set_at("scores", "sample_accuracy", "each", 3, value=1.0), "each.3"),
    "pattern accuracy": (set_at("scores", "pattern_accuracy", "mean", value=add(0.01)), "qt is"),
    "spread of pattern accuracy": (set_at("scores", "pattern_accuracy", "std", value=0.0), "pattern_accuracy.std"),
    "curve": (set_at("scores", "curve", "passing", 0, 100, value=add(1)), "passing.0.100"),
    "mean curve": (set_at("scores", "curve", "mean", 95, value=add(0.02)), "mean.95"),
    "quality threshold": (set_at("scores", "qt", value=add(0.05)), "qt is"),
    "matching threshold": (set_at("scores", "mt", value="0.99"), "scores.mt"),
    "interval": (set_at("scores", "intervals", "pattern_accuracy", 0, value=add(0.01)), "intervals.pattern_accuracy"),
    "word class": (set_at("parts", "word_class", "noun", "qt", value=add(0.01)), "parts.word_class.noun: qt is"),
    "gold label": (set_at("parts", "label", "neutral", "rows", value=add(1)), "parts.label.neutral.rows"),
    "masked LM": (set_at("parts", "masked_lm", value=lambda parts: dict(list(parts.items())[:1])), "parts.masked_lm"),
    "consistency": (
        set_at("consistency", "seed", "sample_accuracy", "mean", value=add(0.004)),
        "consistency.seed.sample_accuracy",
    ),
    "swapped labels of the model": (
        set_at("model", "labels", value=["entailment", "not_entailment"]),
        "compared_labels is",
    ),
    "digest of another data set": (set_at("dataset", "digest", value="0" * 64), "digest 00000000"),
    "title of another data set": (set_at("dataset", "title", value="MERGE on SNLI"), "dataset.title"),
    "other config": (set_at("dataset", "config", value="noun"), "is not in config noun"),
    "part as the whole": (
        set_at("dataset", "partial", value={"limit_seeds": 5, "subsample": None, "of": "0" * 64}),
        "dataset.digest is",
    ),
    "seeds left out": (set_at("left_out", "groups", value=2), "leaves out 2 seeds"),
    "scores on the source": (with_source, "source.overall.interval"),
    "unread answers": (set_at("run", "no_answers", value=3), "run.no_answers"),
    "another version": (set_at("schema_version", value=1), "format version 1"),
    "a share above 1": (set_at("scores", "seed_accuracy", value=1.2), "seed_accuracy"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_result_is_found(good: Result, data: MergeDataset, forged: str) -> None:
    change, named = FORGED[forged]
    content = copy.deepcopy(to_json(good))
    change(content)
    result = good
    if forged in {"digest of another data set", "other config"}:  # which the name of the file contains
        result = unchecked(good, dataset=FILE.validate_json(json.dumps(content)).dataset)
    problems = check(data, result, content)
    assert any(named in problem for problem in problems), problems


@pytest.mark.parametrize(
    "lacking", [("consistency",), ("scores", "intervals"), ("parts", "word_class", "noun", "intervals")]
)
def test_a_field_that_an_older_result_lacks_is_not_a_forgery(
    good: Result, data: MergeDataset, lacking: tuple[str, ...]
) -> None:
    content: Any = copy.deepcopy(to_json(good))
    (*path, last), parent = lacking, content
    for key in path:
        parent = parent[key]
    del parent[last]
    assert check(data, good, content) == []


FORGED_ANSWERS: dict[str, Callable[[Answers], Answers]] = {
    "swapped labels": lambda own: dataclasses.replace(own, predicted=np.array([1, 0, 2])[own.predicted]),
    "gold as predicted": lambda own: dataclasses.replace(own, gold=own.predicted),
    "unknown seed": lambda own: dataclasses.replace(own, group_ids=("invented", *own.group_ids[1:])),
    "without the first row": lambda own: own.take(rows=np.arange(len(own.predicted)) > 0),
    "without the last seed": lambda own: own.take(groups=np.arange(len(own.group_ids)) < len(own.group_ids) - 1),
    "other subsamples": lambda own: dataclasses.replace(own, subsamples=np.roll(np.asarray(own.subsamples), 1, axis=1)),
    "other word": lambda own: with_other_word(own),
}


def with_other_word(answers: Answers) -> Answers:
    words = pa.array(["invented", *answers.table["replacement"].cast("string").to_pylist()[1:]])
    at = answers.table.column_names.index("replacement")
    return dataclasses.replace(answers, table=answers.table.set_column(at, "replacement", words))


@pytest.mark.parametrize(
    ("forge", "named", "named_with_its_scores"),
    [
        ("swapped labels", "scores.", ""),
        ("gold as predicted", "scores.", "column label"),
        ("unknown seed", "'invented' is not in", "'invented' is not in"),
        ("without the first row", "scores.rows", "leaves out"),
        ("without the last seed", "scores.", "left_out.groups"),
        ("other subsamples", "scores.", "column subsamples"),
        ("other word", "column replacement", "column replacement"),
    ],
)
def test_a_forged_table_is_found(
    good: Result, data: MergeDataset, forge: str, named: str, named_with_its_scores: str
) -> None:
    """Both with the numbers as they were, and with those that the forged answers give."""
    answers = FORGED_ANSWERS[forge](good.answers)
    [problem, *_] = check(data, unchecked(good, answers=answers))
    assert named in problem
    if named_with_its_scores:
        recomputed = unchecked(good, answers=answers, scores=scores(answers), consistency=consistency(answers))
        problems = check(data, recomputed)
        assert any(named_with_its_scores in each or "parts." in each for each in problems), problems


def test_a_table_alone_is_named(good: Result, data: MergeDataset) -> None:
    name = file_name(good)
    for alone, message in ((answers_name(name), "of no result"), (name, "has no answers")):
        assert message in check_files({alone: to_files(good)[alone]}, {}, [data])[alone][0]


def test_a_part_that_claims_to_be_whole_is_found(data: MergeDataset, good: Result) -> None:
    part = score(lambda pairs: ["neutral"] * len(pairs), SHIPPED, name="part", limit_seeds=10)
    assert any("left_out.groups" in problem for problem in check(data, dataclasses.replace(part, dataset=good.dataset)))


def test_a_result_on_other_data_is_found(data: MergeDataset, make_dataset: MakeDataset, tmp_path: Path) -> None:
    other = score(lambda pairs: ["neutral"] * len(pairs), make_dataset(tmp_path / "other", seeds=4), name="other")
    assert "digest" in check(data, other)[0]
    claimed = dataclasses.replace(other, dataset=dataclasses.replace(other.dataset, digest=data.digest))
    assert "is not in config all" in check(data, claimed)[0]


def test_copies_are_found(results: list[Result], data: MergeDataset) -> None:
    hasty, careful, small, *_ = results
    renamed = dataclasses.replace(careful, model=dataclasses.replace(careful.model, name="org/new", digest="1" * 64))
    assert check(data, renamed, careful=careful) == [f"has the same answers as {file_name(careful)}"]
    again = dataclasses.replace(small, model=dataclasses.replace(small.model, digest=careful.model.digest))
    assert check(data, again, careful=careful) == [f"is of the same model as {file_name(careful)}"]
    assert [*map(bool, check_files(content_of(careful, renamed), {}, [data]).values())] == [False, True]
    assert check(data, hasty, careful=careful, small=small) == []


def test_two_answers_to_one_pair_are_found(data: MergeDataset, good: Result) -> None:
    config = read_config(data, "all")
    first, second = np.flatnonzero(config.row_groups == 0)[:2].tolist()
    pairs, predicted = config.row_pairs.copy(), good.answers.predicted.copy()
    pairs[second], predicted[first], predicted[second] = pairs[first], 0, 1
    forged = unchecked(good, answers=dataclasses.replace(good.answers, predicted=predicted))
    refused("two different answers", list, differences(forged, dataclasses.replace(config, row_pairs=pairs)))


def test_a_missing_warning_is_found(results: list[Result], data: MergeDataset) -> None:
    assert results[4].notes[-1].startswith("warning")
    assert "notes" in check(data, dataclasses.replace(results[4], notes=()))[0]


@pytest.mark.parametrize("added", ["Best model ever, see http://spam.example", "labels given as neutral"])
def test_a_note_that_the_answers_do_not_give_is_found(
    results: list[Result], good: Result, data: MergeDataset, added: str
) -> None:
    assert good.notes == ()
    [problem] = check(data, dataclasses.replace(good, notes=(added,)))
    assert problem.startswith("notes is")
    [problem] = check(data, dataclasses.replace(results[4], notes=(f"{results[4].notes[0]}. {added}",)))
    assert problem.startswith("notes.0 is")


def test_the_notes_of_results_pass(data: MergeDataset) -> None:
    def two_way(pairs: Sequence[tuple[str, str]]) -> list[str | None]:
        return [None if len(premise) % 9 == 0 else "not_entailment" for premise, _ in pairs]

    result = score(two_way, SHIPPED, name="two-way")
    assert [note.split(":")[0][:12] for note in result.notes] == ["two-way mode", "no answer to", "warning"]
    assert check(data, result) == []


def test_the_name_of_a_file_is_checked(good: Result, data: MergeDataset) -> None:
    answers, numbers = to_files(good).values()
    renamed = check_files({"best.parquet": answers, "best.json": numbers}, {}, [data])
    assert renamed == {"best.json": [f"is not named {file_name(good)}"]}
    assert "x.json is damaged" in check_files({"x.json": b"{"}, {}, [data])["x.json"][0]


def test_invented_answers_pass_as_the_page_says(good: Result, data: MergeDataset) -> None:
    """No check of a file can find answers that no model gave."""
    answers = good.answers
    assert answers.seeds is not None
    seeds = dataclasses.replace(answers.seeds, predicted=answers.seeds.gold)
    perfect = dataclasses.replace(answers, predicted=answers.gold, seeds=seeds)
    assert check(data, scored_again(good, perfect, read_config(data, "all"))) == []
    assert "Invented answers pass it" in LIMITS


SPACE = "org/leaderboard"


@pytest.fixture(scope="module")
def space(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    scored = write_results(folder / "scored", [results[0], results[4]])
    command = ["leaderboard", str(scored), "--init-space", SPACE, "--dataset", str(SHIPPED)]
    assert main([*command, "--out", str(folder / "space")]) == 0
    return folder / "space"


def forge(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    content["scores"]["qt"] = 0.5
    path.write_text(json.dumps(content), encoding="utf-8")


def test_the_repository_of_a_space(space: Path, results: list[Result]) -> None:
    files = {path.relative_to(space).as_posix() for path in space.rglob("*") if path.is_file()}
    names = {f"results/{name}" for index in (0, 4) for name in to_files(results[index])}
    assert files == {"README.md", "index.html", "leaderboard.json", *names}
    card, page = ((space / name).read_text(encoding="utf-8") for name in ("README.md", "index.html"))
    front = yaml.safe_load(card.split("---\n")[1])
    assert (front["sdk"], front["app_file"]) == ("static", "index.html")
    for text in (card, page):
        assert SPACE in text
        assert "only running the model can find them" in re.sub(r"\s+", " ", text)
    assert not re.search(r"SPACE_ID|DATA_SETS|LIMITS", card)
    [listed] = json.loads((space / "leaderboard.json").read_text(encoding="utf-8"))["datasets"]
    assert (listed["name"], listed["revision"]) == ("demo:dataset", None)
    assert listed["digest"] in card


def test_the_page_is_rebuilt_if_all_results_pass(
    space: Path, results: list[Result], tmp_path: Path, command: Command
) -> None:
    folder = Path(shutil.copytree(space, tmp_path / "space"))
    write_result(results[1], folder / "results")
    assert command("leaderboard", "--space", folder).out.count(": passed\n") == 3
    assert "org/careful-large" in (folder / "index.html").read_text(encoding="utf-8")
    forge(folder / "results" / file_name(results[1]))
    (folder / "index.html").write_text("old", encoding="utf-8")
    assert "qt is 0.5" in command("leaderboard", "--space", folder, code=2).out
    assert (folder / "index.html").read_text(encoding="utf-8") == "old"


def propose(content: dict[str, bytes], *, delete: str | None = None) -> None:
    """Open a pull request."""
    added = [CommitOperationAdd(path, text) for path, text in content.items()]
    deleted = [] if delete is None else [CommitOperationDelete(delete)]
    HfApi().create_commit(SPACE, [*added, *deleted], commit_message="Add a result", repo_type="space", create_pr=True)


def test_pull_requests_are_checked(
    space: Path,
    results: list[Result],
    hub: Hub,
    token: str,
    command: Command,
) -> None:
    api = HfApi()
    api.create_repo(SPACE, repo_type="space", space_sdk="static")
    api.upload_folder(repo_id=SPACE, folder_path=space, repo_type="space")
    path, taken = (f"results/{file_name(results[index])}" for index in (1, 0))
    good = {f"results/{name}": content for name, content in to_files(results[1]).items()}
    invented = replace(results[1], notes=("warning: invented",))
    propose(good)
    propose({f"results/{name}": content for name, content in to_files(invented).items()})
    propose({**good, "index.html": b"<h1>mine</h1>"}, delete=taken)
    propose({"notes.txt": b"hello"})
    for number, (status, expected) in enumerate(
        [
            (0, [f"{path}: passed"]),
            (2, [f"{path}: notes"]),
            (2, ["index.html: is changed", f"{taken}: is changed", f"{path}: passed"]),
            (2, ["notes.txt: is changed", "pull request 4: adds no result"]),
        ],
        start=1,
    ):
        out = command("leaderboard", "--space", SPACE, "--pull-request", number, code=status).out
        assert [line for line in expected if line not in out] == []
    message = f"cannot download Space {SPACE} at revision refs/pr/9.*without --pull-request"
    assert re.search(message, command("leaderboard", "--space", SPACE, "--pull-request", "9", code=2).err)


def test_bad_input_is_one_sentence(space: Path, results: list[Result], tmp_path: Path, command: Command) -> None:
    scored, out = str(tmp_path / "scored"), str(tmp_path / "out")
    write_result(results[0], Path(scored))
    (tmp_path / "empty").mkdir()
    for arguments, message in {
        ("--space", str(tmp_path / "empty")): "is not a leaderboard Space",
        ("--space", str(space), "--out", out): "takes no --out",
        ("--space", str(space), scored): "remove it",
        ("--pull-request", "3"): "--pull-request needs --space",
        ("--out", out): "name results folders",
        (scored,): "name a folder with --out",
        (scored, "--init-space", "x", "--dataset", str(SHIPPED), "--out", out): "--init-space x is not",
        (scored, "--init-space", SPACE, "--out", out): "--init-space needs --dataset",
        (scored, "--init-space", SPACE, "--dataset", str(SHIPPED), "--out", str(space)): "README.md",
    }.items():
        assert message in command("leaderboard", *arguments, code=2).err
    forge(next(Path(scored).glob("*.json")))
    assert (
        "qt is 0.5"
        in command("leaderboard", scored, "--init-space", SPACE, "--dataset", SHIPPED, "--out", out, code=2).err
    )
    assert not any(Path(out).rglob("*"))
