"""The pipeline: its data set loads with `datasets`, does not depend on the order, and is written atomically."""

from __future__ import annotations

import json
import logging
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.work import work_folder
from merge_snli import cli
from merge_snli.base.errors import InputError
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.embedded import embedded_path
from merge_snli.schema import columns, splits
from tests.tiny_models import as_pickle

MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


def problem_lines() -> list[str]:
    path = embedded_path("demo:problems")
    assert path is not None
    return path.read_text(encoding="utf-8").splitlines()[:24]  # few, since most tests generate from them


def options(path: Path, **changes: Any) -> Options:  # noqa: ANN401 - values of any option
    return replace(Options(problems=str(path), id_column="id", mlm=MLMS), **changes)


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    path.write_text("\n".join(problem_lines()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(problems: Path, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    return run_pipeline(options(problems), tmp_path_factory.mktemp("run") / "merge_snli")


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_plain_datasets_loads_every_config_and_split(
    made: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.folder.parent)
    for config in made.configs:
        loaded = datasets.load_dataset("merge_snli", config, cache_dir=str(tmp_path))
        assert tuple(loaded) == splits(config)
        assert loaded["test"].column_names == [column.name for column in columns(config)]
        assert loaded["test"].features["label"].names == ["entailment", "neutral", "contradiction"]
    default = datasets.load_dataset("merge_snli", split="test", cache_dir=str(tmp_path))
    assert default.num_rows == made.record.configs["all"].rows


def test_the_card_names_the_folder(made: MergeDataset) -> None:
    card = (made.folder / "README.md").read_text(encoding="utf-8")
    assert 'load_dataset("./merge_snli", "all", split="subsample_0")' in card
    assert "# In the folder that contains merge_snli." in card


def test_variants_groups_and_subsamples_are_exact(made: MergeDataset) -> None:
    rows = read_split(made, "all").to_pylist()
    assert len({row["variant_id"] for row in rows}) == len(rows)
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["seed_id"], row["word_class"]), []).append(row)
        assert row["log_odds"] > 0
        assert row["premise"] != row["seed_premise"]
        assert row["replacement"] in row["premise"]
        assert row["premise_mlms"] and set(row["premise_mlms"]) <= set(MLMS)
    for group in groups.values():
        assert len(group) >= 20
        for subsample in range(10):
            assert sum(subsample in row["subsamples"] for row in group) == 20
    for subsample in range(10):
        ids = read_split(made, "all", f"subsample_{subsample}")["variant_id"].to_pylist()
        assert ids == [row["variant_id"] for row in rows if subsample in row["subsamples"]]


def test_all_is_the_union_of_the_classes_and_seed_has_its_seeds(made: MergeDataset) -> None:
    of_classes = [row for name in ("noun", "verb", "adj") if name in made.configs for row in ids(made, name)]
    assert sorted(of_classes) == sorted(ids(made, "all"))
    seeds = read_split(made, "seed").to_pylist()
    assert [seed["seed_id"] for seed in seeds] == sorted(set(read_split(made, "all")["seed_id"].to_pylist()))
    variants = read_split(made, "noun").to_pylist()
    for seed in seeds:
        of_seed = [row["original"] for row in variants if row["seed_id"] == seed["seed_id"]]
        counts = dict(zip(seed["noun_words"], seed["noun_variants"], strict=True))
        assert sum(counts.values()) == len(of_seed) or (not of_seed and sum(counts.values()) < 20)


def ids(made: MergeDataset, config: str) -> list[str]:
    ids: list[str] = read_split(made, config)["variant_id"].to_pylist()
    return ids


def test_the_bytes_do_not_depend_on_order_and_shards(
    made: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = problem_lines()
    shuffled = tmp_path / "problems.jsonl"
    shuffled.write_text("\n".join(random.Random(0).sample(lines, len(lines))), encoding="utf-8")
    monkeypatch.setattr("generation.tasks.FORMS_PER_SHARD", 50)
    other = run_pipeline(options(shuffled), tmp_path / "merge_snli", problems_per_shard=7)
    assert other.digest == made.digest
    assert files(other.folder / "data") == files(made.folder / "data")


def test_a_finished_data_set_is_not_changed(
    made: MergeDataset, problems: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")}
    monkeypatch.setattr("generation.tasks.suggest", lambda *_, **__: pytest.fail("a masked LM was run"))
    caplog.set_level(logging.INFO, logger="generation.pipeline")
    assert run_pipeline(options(problems), made.folder) == made
    assert caplog.messages[-1].startswith("nothing to do")
    assert {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")} == before


def test_pickles_need_the_option_even_with_a_run_file(
    problems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    embedded = embedded_path("demo:mlm-bpe")
    assert embedded is not None
    pickled, out = as_pickle(shutil.copytree(embedded, tmp_path / "pickled")), tmp_path / "merge_snli"
    command = ["generate", str(problems), "--limit", "6", "--inflation", "1", "--mlm", str(pickled)]
    repeated = ["generate", "--options", str(out / "run.toml"), "--out", str(tmp_path / "again"), "--quiet"]
    for line in ([*command, "--dry-run"], [*command, "--out", str(out)]):
        assert cli.main(line) == 2
        assert "--allow-pickle" in capsys.readouterr().err
    assert cli.main([*command, "--allow-pickle", "--dry-run"]) == 0
    assert cli.main([*command, "--allow-pickle", "--out", str(out), "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("6 problems"), "the dry run's; --quiet prints nothing"
    assert "pickle" not in (out / "run.toml").read_text(encoding="utf-8").replace(str(pickled), "")
    assert cli.main(repeated) == 2
    assert cli.main([*repeated, "--allow-pickle"]) == 0
    row = read_split(find_dataset(str(out)), "all").slice(0, 1).to_pydict()
    capsys.readouterr()
    assert cli.main(["explain", str(out), "--seed-id", row["seed_id"][0]]) == 0
    assert row["original"][0] in capsys.readouterr().out


def test_other_options_need_overwrite(made: MergeDataset, problems: Path, tmp_path: Path) -> None:
    out = tmp_path / "merge_snli"
    shutil.copytree(made.folder, out)
    shutil.copytree(made.folder.with_name("merge_snli.work"), tmp_path / "merge_snli.work")
    other = options(problems, random_seed=1)
    with pytest.raises(InputError, match=r"random_seed.* add overwrite=True"):
        run_pipeline(other, out)
    assert files(out) == files(made.folder)
    replaced = run_pipeline(other, out, overwrite=True)
    assert replaced.digest != made.digest
    assert replaced.record.options["random_seed"] == 1
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "data", "run.json", "run.toml"]


def test_a_damaged_file_of_a_finished_data_set_is_recreated(made: MergeDataset, problems: Path, tmp_path: Path) -> None:
    out = tmp_path / "merge_snli"
    shutil.copytree(made.folder, out)
    (out / "data" / "noun" / "test.parquet").write_bytes(b"torn")
    run_pipeline(options(problems), out)
    assert files(out) == files(made.folder)


def test_the_record_has_the_inputs_and_the_dropped_suggestions(made: MergeDataset) -> None:
    record = made.record
    assert record.options["mlm"] == list(MLMS)
    assert [mlm.name for mlm in generation_of(record).masked_lms] == list(MLMS)
    assert len(generation_of(record).tagger.digest) == 64
    for count in (of_forms.counts for of_forms in generation_of(record).filters):
        assert sum(count.get(reason, 0) for reason in REASONS) + count.get("kept", 0) == count["fillers"]
        refused = count.get("split", 0) + count.get("too long", 0)
        assert count["fillers"] == 200 * (count["forms"] - refused)


REASONS = ("no whole word", "not more probable", "in the problem", "same word again", "other class")


def test_a_config_without_rows_is_left_out_with_a_warning(
    problems: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(line for line in problem_lines() if '"demo-001"' in line), encoding="utf-8")
    made = run_pipeline(options(few, inflation=1, classes=("noun", "adv")), tmp_path / "merge_snli")
    assert made.configs == ("all", "noun", "seed")
    assert "config adv: no problem has 1 adv variants (maximum: 0)" in caplog.text
    assert "config_name: adv" not in (made.folder / "README.md").read_text()


def invalid_changes(tmp_path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    yield {"inflation": 100_000}, r"100000 variants.*demo:mlm-bpe: \d+ % of forms split .*[1-9]\.\d % of fillers kept"
    yield {"mlm": ("demo:mlm-bpe", str(tmp_path))}, r"config\.json"
    yield {"tagger": "en_nowhere"}, r"'en_nowhere'"
    yield {"problems": "nowhere.jsonl"}, r"nowhere\.jsonl"


def test_a_failed_run_leaves_no_data_set(problems: Path, tmp_path: Path) -> None:
    for changes, message in invalid_changes(tmp_path):
        with pytest.raises(InputError, match=message):
            run_pipeline(options(problems, **changes), tmp_path / "merge_snli")
        assert not (tmp_path / "merge_snli").exists()


def test_no_shared_word_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": "1", "premise": "A cat sleeps.", "hypothesis": "Dogs ran.", "label": 1}))
    with pytest.raises(InputError, match=r"noun.*verb.*adj"):
        run_pipeline(options(path, data_labels=("entailment", "neutral", "contradiction")), tmp_path / "merge_snli")


def test_a_folder_with_other_files_is_not_changed(problems: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"is not empty and not a data set"):
        run_pipeline(options(problems), tmp_path)
    with pytest.raises(InputError, match=r"thesis\.tex is a file"):
        run_pipeline(options(problems), tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_work_folder_is_locked_by_its_run(problems: Path, tmp_path: Path) -> None:
    with work_folder(tmp_path / "merge_snli"), pytest.raises(InputError, match=r"process \d+"):
        run_pipeline(options(problems), tmp_path / "merge_snli")


@pytest.mark.parametrize("where", ["pathlib.Path.write_bytes", "generation.output.write_data.write_tables"])
def test_a_full_disk_does_not_change_the_finished_data_set(
    made: MergeDataset, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    out = tmp_path / "merge_snli"
    shutil.copytree(made.folder, out)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    shutil.copytree(made.folder.with_name("merge_snli.work"), tmp_path / "merge_snli.work")
    with monkeypatch.context() as patched:
        patched.setattr(where, full)
        with pytest.raises(InputError, match=r"disk .*merge_snli.* is full"):
            run_pipeline(options(problems, random_seed=1), out, overwrite=True)
    assert files(out) == files(made.folder)
    assert find_dataset(str(out)).digest == made.digest


def test_a_failed_rename_is_undone(
    made: MergeDataset, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "merge_snli"
    shutil.copytree(made.folder, out)
    shutil.copytree(made.folder.with_name("merge_snli.work"), tmp_path / "merge_snli.work")
    rename = Path.rename
    calls: list[Path] = []

    def third_fails(self: Path, target: Path) -> Path:
        calls.append(self)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", third_fails)
    with pytest.raises(InputError, match="is full"):
        run_pipeline(options(problems, random_seed=1), out, overwrite=True)
    assert files(out) == files(made.folder)


def test_out_may_be_the_working_folder_or_a_link_but_not_inside_a_file(
    made: MergeDataset, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "target"):
        shutil.copytree(made.folder.with_name("merge_snli.work"), tmp_path / f"{name}.work")
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run_pipeline(options(problems), ".").digest == made.digest
    (tmp_path / "link").symlink_to("target")
    assert run_pipeline(options(problems), tmp_path / "link").digest == made.digest
    assert (tmp_path / "target" / "run.json").is_file()
    with pytest.raises(InputError, match=r"run\.json is a file"):
        run_pipeline(options(problems), tmp_path / "target" / "run.json" / "x")
