"""The sample as a project in the real Label Studio: import, annotate, export, score."""

import json
from pathlib import Path
from typing import Any

import pytest

from merge_snli.annotation.sample import read_sample
from tests.merge_snli.annotation.conftest import Annotate
from tests.merge_snli.annotation.filled import fill_csv, random_scores
from tests.merge_snli.annotation.label_studio_server import User, program, running_label_studio

pytestmark = pytest.mark.slow


def numbers(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "annotation.json").read_text("utf-8"))
    return found


def test_annotations_of_label_studio_give_the_numbers_of_the_sheets(
    annotate: Annotate, sheets: Path, tmp_path: Path
) -> None:
    if not program().is_file():
        pytest.skip(f"Label Studio is not installed: {program()} does not exist (CONTRIBUTING.md says how)")
    label_config = (sheets / "label_config.xml").read_text("utf-8")
    tasks = json.loads((sheets / "tasks.json").read_text("utf-8"))
    ids = list(read_sample(sheets / "sample.json").variant_ids)
    scores = {name: random_scores(ids, seed) for seed, name in enumerate(("a1", "a2"))}
    shared, own = tmp_path / "shared.json", {name: tmp_path / f"{name}.json" for name in scores}
    (tmp_path / "server").mkdir()
    with running_label_studio(tmp_path / "server") as url:
        users = {name: User(url, f"{name}@example.org") for name in scores}
        project = users["a1"].create_project(label_config, tasks)
        for name, user in users.items():
            own_project = user.create_project(label_config, tasks)
            for number in (project, own_project):
                for task in user.tasks(number):
                    each = task["data"]["variant_id"]
                    user.annotate(task["id"], scores[name][each], f"odd: {each}" if each == ids[0] else "")
            own[name].write_text(json.dumps(user.export(own_project)), "utf-8")
        shared.write_text(json.dumps(users["a1"].export(project)), "utf-8")

    for name, of_annotator in scores.items():
        fill_csv(sheets / f"{name}.csv", of_annotator)
    expected_code, printed = annotate("score", sheets / "a1.csv", sheets / "a2.csv", "--out", tmp_path / "expected")
    assert expected_code == 0, printed
    expected = numbers(tmp_path / "expected")
    sample = ("--sample", sheets / "sample.json")
    assert annotate("score", *own.values(), *sample, "--out", tmp_path / "own")[0] == 0
    assert numbers(tmp_path / "own") == expected
    assert annotate("score", shared, *sample, "--out", tmp_path / "shared")[0] == 0
    found = numbers(tmp_path / "shared")
    assert (found["annotators"], found["pool"]["good"]) == (["user 1", "user 2"], expected["pool"]["good"])
    assert [each["alpha"] for each in found["agreement"]] == [each["alpha"] for each in expected["agreement"]]
    adjudication = [(tmp_path / name / "adjudication.csv").read_text("utf-8") for name in ("own", "expected")]
    assert adjudication[0].replace(f"odd: {ids[0]}", "") == adjudication[1]
