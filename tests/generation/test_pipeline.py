"""The pipeline: its data set loads with `datasets`, does not depend on the order, and is written atomically."""

import logging
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import datasets
import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.work import work_folder
from merge_snli.base.errors import InputError
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.schema import SEED, columns, splits
from tests.cases import first_fast
from tests.commands import Command
from tests.oracles import read_jsonl, refused, rows_of
from tests.records import bundled, files_in, first_problems
from tests.tiny_models import as_pickle

MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_problems(tmp_path_factory.mktemp("problems"), 12)  # few, since most tests generate from them


def options(problems: object, /, **changes: Any) -> Options:  # noqa: ANN401 - values of any option
    return replace(Options(problems=problems, id_column="id", mlm=MLMS), **changes)


@pytest.fixture(scope="module")
def made(problems: Path, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    return run_pipeline(options(problems), tmp_path_factory.mktemp("run") / "merge_snli")


def copied(made: MergeDataset, out: Path) -> Path:
    """Copy a data set with its work folder."""
    shutil.copytree(made.folder.with_name("merge_snli.work"), out.with_name(f"{out.name}.work"))
    return Path(shutil.copytree(made.folder, out))


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_plain_datasets_loads_it(made: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made.folder.parent)
    assert set(made.configs) == {"all", "noun", "verb", "adj", SEED}
    default = datasets.load_dataset("merge_snli", split="test", cache_dir=str(tmp_path))
    assert default.num_rows == made.record.configs["all"].rows
    loaded = datasets.load_dataset("merge_snli", "noun", cache_dir=str(tmp_path))
    assert tuple(loaded) == splits("noun")
    assert loaded["test"].column_names == [column.name for column in columns("noun")]
    assert loaded["test"].features["label"].names == ["entailment", "neutral", "contradiction"]


def test_variants_groups_and_subsamples_are_exact(made: MergeDataset) -> None:
    rows = read_split(made, "all").to_pylist()
    assert len({row["variant_id"] for row in rows}) == len(rows)
    sizes: Counter[tuple[str, str]] = Counter()
    drawn: list[Counter[tuple[str, str]]] = [Counter() for _ in range(10)]
    for row in rows:
        assert row["log_odds"] > 0
        assert row["replacement"] in row["premise"] != row["seed_premise"]
        assert row["premise_mlms"]
        assert set(row["premise_mlms"]) <= set(MLMS)
        group = row["seed_id"], row["word_class"]
        sizes[group] += 1
        for subsample in row["subsamples"]:
            drawn[subsample][group] += 1
    assert min(sizes.values()) >= 20
    for counted in drawn:
        assert counted == dict.fromkeys(sizes, 20)


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_order_and_shards(
    made: MergeDataset, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = problems.read_text(encoding="utf-8").splitlines()
    shuffled = tmp_path / "problems.jsonl"
    shuffled.write_text("\n".join(random.Random(0).sample(lines, len(lines))), encoding="utf-8")
    monkeypatch.setattr("merge_snli.models.runner.runner.INPUTS_PER_SHARD", 50)
    other = run_pipeline(options(shuffled), tmp_path / "merge_snli", problems_per_shard=7)
    assert other.digest == made.digest
    assert files_in(other.folder / "data") == files_in(made.folder / "data")


def test_a_finished_data_set_is_not_changed(
    made: MergeDataset, problems: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")}
    monkeypatch.setattr("generation.tasks.suggest", lambda *_, **__: pytest.fail("a masked LM was run"))
    caplog.set_level(logging.INFO, logger="generation.pipeline")
    assert run_pipeline(options(problems), made.folder) == made
    assert caplog.messages[-1].startswith("nothing to do")
    assert {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")} == before


@pytest.mark.slow
def test_pickles_need_the_option_even_with_a_run_file(problems: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "merge_snli"
    pickled = as_pickle(shutil.copytree(bundled("demo:mlm-bpe"), tmp_path / "pickled"))
    given = ("generate", problems, "--limit", 6, "--inflation", 1, "--mlm", pickled)
    repeated = ("generate", "--options", out / "run.toml", "--out", tmp_path / "again", "--quiet")
    assert "--allow-pickle" in command(*given, "--dry-run", code=2).err
    assert "--allow-pickle" in command(*given, "--out", out, code=2).err
    assert command(*given, "--allow-pickle", "--dry-run").out.startswith("6 problems")
    command(*given, "--allow-pickle", "--out", out, "--quiet")
    assert "pickle" not in (out / "run.toml").read_text(encoding="utf-8").replace(str(pickled), "")
    assert "--allow-pickle" in command(*repeated, code=2).err
    command(*repeated, "--allow-pickle")
    row = rows_of(out)[0]
    assert row["original"] in command("explain", out, "--seed-id", row["seed_id"]).out


def test_other_options_need_overwrite(made: MergeDataset, problems: Path, tmp_path: Path) -> None:
    out = copied(made, tmp_path / "merge_snli")
    other = options(problems, random_seed=1)
    refused(r"random_seed.* add overwrite=True", run_pipeline, other, out)
    assert files_in(out) == files_in(made.folder)
    replaced = run_pipeline(other, out, overwrite=True)
    assert replaced.digest != made.digest and replaced.record.options["random_seed"] == 1
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "data", "run.json", "run.toml"]


def test_a_damaged_file_of_a_finished_data_set_is_recreated(made: MergeDataset, problems: Path, tmp_path: Path) -> None:
    out = copied(made, tmp_path / "merge_snli")
    (out / "data" / "noun" / "test.parquet").write_bytes(b"torn")
    run_pipeline(options(problems), out)
    assert files_in(out) == files_in(made.folder)


def test_the_record_has_the_inputs_and_the_dropped_suggestions(made: MergeDataset) -> None:
    generation = generation_of(made.record)
    assert made.record.options["mlm"] == [mlm.name for mlm in generation.masked_lms] == list(MLMS)
    assert len(generation.tagger.digest) == 64
    reasons = ("no whole word", "not more probable", "in the problem", "same word again", "other class", "kept")
    for of_forms in generation.filters:
        count = Counter(of_forms.counts)
        assert sum(count[reason] for reason in reasons) == count["fillers"]
        assert count["fillers"] == 200 * (count["forms"] - count["split"] - count["too long"])


@pytest.mark.slow
def test_few_seeds_say_what_a_lower_inflation_gives(
    made: MergeDataset, problems: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    most = max(max(counts) for counts in read_split(made, "seed")["noun_variants"].to_pylist() if counts)
    run_pipeline(options(problems, inflation=most), tmp_path / "merge_snli")
    found = re.search(rf"few seeds: (\d+) have {most} variants .* inflation={most // 2} gives (\d+)", caplog.text)
    assert found is not None
    assert int(found[1]) < int(found[2])


@pytest.mark.slow
def test_a_config_without_rows_is_left_out_with_a_warning(
    problems: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    few = [row for row in read_jsonl(problems) if row["id"] == "demo-001"]
    made = run_pipeline(options(few, inflation=1, classes=("noun", "adv")), tmp_path / "merge_snli")
    assert made.configs == ("all", "noun", "seed")
    assert "config adv: no problem has 1 adv variants (maximum: 0)" in caplog.text
    assert "config_name: adv" not in (made.folder / "README.md").read_text()


def problem(premise: str, hypothesis: str) -> dict[str, str]:
    return {"id": premise, "premise": premise, "hypothesis": hypothesis, "label": "neutral"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"inflation": 100_000},
            r"100000 variants.*demo:mlm-bpe: \d+ % of forms split .*[1-9]\d* % without a suggestion",
        ),
        ({"mlm": ("demo:mlm-bpe", ".")}, r"config\.json"),
        ({"tagger": "en_nowhere"}, r"'en_nowhere'"),
        ({"problems": "nowhere.jsonl"}, r"nowhere\.jsonl"),
        ({"problems": [problem("A cat sleeps.", "Dogs ran.")]}, r"noun.*verb.*adj"),
    ],
    ids=["inflation", "masked LM", "tagger", "problems", "no shared word"],
)
def test_a_failed_run_leaves_no_data_set(
    made: MergeDataset,
    problems: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    work = made.folder.with_name("merge_snli.work")
    refused(message, run_pipeline, options(problems, **changes), tmp_path / "merge_snli", work=work)
    assert not (tmp_path / "merge_snli").exists()


def test_a_folder_with_other_files_is_not_changed(problems: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    refused(r"is not empty and not a data set", run_pipeline, options(problems), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_work_folder_is_locked_by_its_run(problems: Path, tmp_path: Path) -> None:
    with work_folder(tmp_path / "merge_snli"), pytest.raises(InputError, match=r"process \d+"):
        run_pipeline(options(problems), tmp_path / "merge_snli")


@pytest.mark.parametrize(
    "where", first_fast(["third rename", "pathlib.Path.write_bytes", "generation.output.write_data.write_tables"])
)
def test_a_full_disk_does_not_change_the_finished_data_set(
    made: MergeDataset, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    out = copied(made, tmp_path / "merge_snli")
    outcomes: Iterator[Callable[..., Any]] = chain([Path.rename] * 2, [full], repeat(Path.rename))
    with monkeypatch.context() as patched:
        if where == "third rename":
            patched.setattr(Path, "rename", lambda *paths: next(outcomes)(*paths))
        else:
            patched.setattr(where, full)
        refused(r"disk .*merge_snli.* is full", run_pipeline, options(problems, random_seed=1), out, overwrite=True)
    assert files_in(out) == files_in(made.folder)


def test_out_may_be_the_working_folder(
    made: MergeDataset, problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(made.folder.with_name("merge_snli.work"), tmp_path / "here.work")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run_pipeline(options(problems), ".").digest == made.digest
