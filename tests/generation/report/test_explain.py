"""The explanation of a problem agrees with the run, and the work folder has what later runs need."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from generation import Options
from generation.answers.store import recorded_cache_keys
from generation.pipeline import run_pipeline
from generation.replacements.finding import combine, count_filtered, filter_words
from generation.report.explain import explain, trace_form
from generation.report.read_again import filter_again, stored_answers
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import InPlaceTagger, tag
from generation.sentences.words import shared_words
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.tagger import Tagger
from merge_snli.problems.reading import read_problems
from tests.commands import Command
from tests.oracles import missing_from, refused
from tests.records import first_problems

MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")
LONG = " It is warm." * 64


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Options:
    more = (
        '{"id": "odd", "premise": "A dog runs after a Dog.", "hypothesis": "A dog runs.", "label": "entailment"}',
        '{"id": "parts", "premise": "He\'s not running.", "hypothesis": "He\'s not walking.", "label": "neutral"}',
        f'{{"id": "long", "premise": "A dog runs.{LONG}", "hypothesis": "A dog runs.", "label": "neutral"}}',
    )
    problems = str(first_problems(tmp_path_factory.mktemp("problems"), 8, *more))
    return Options(problems=problems, id_column="id", mlm=MLMS, inflation=5, subsamples=1)


@pytest.fixture(scope="module")
def made(options: Options, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    return run_pipeline(options, tmp_path_factory.mktemp("run") / "merge_snli")


@pytest.fixture(scope="module")
def work(made: MergeDataset) -> Path:
    return made.folder.with_name("merge_snli.work")


@pytest.fixture(scope="module")
def seed(made: MergeDataset) -> str:
    return str(read_split(made, "seed")["seed_id"][0].as_py())


@pytest.mark.parametrize(
    "changed",
    [
        {},
        pytest.param({"filters": ("pos",)}, marks=pytest.mark.slow),
        pytest.param({"filters": ()}, marks=pytest.mark.slow),
    ],
    ids=["all", "pos", "none"],
)
def test_the_trace_agrees_with_the_counts(
    made: MergeDataset, options: Options, work: Path, tagger: Tagger, changed: dict[str, Any]
) -> None:
    options, in_place = replace(options, **changed), InPlaceTagger(tagger)
    problems = [
        (tagged, replaced_words(shared_words(tagged), options.classes))
        for tagged in tag(read_problems(options).problems, tagger)
    ]
    with stored_answers(made, options, work) as answers_to:
        answers = answers_to(problems)
    words = [combine(word, options) for word in filter_words(problems, answers, in_place, options)]
    counted = count_filtered(words)
    traced: dict[tuple[str, str, str], Counter[str]] = {}
    for word in words:
        for form in word.forms:
            fillers = trace_form(form, answers[form.masked_lm])
            count = traced.setdefault((word.word.word_class, form.masked_lm, form.side), Counter())
            count.update({"forms": 1, "fillers": len(fillers), "in a window": form.in_window})
            count.update(filler.dropped or "kept" for filler in fillers)
            count["no suggestion"] += bool(fillers) and all(filler.dropped for filler in fillers)
            count.update([form.refused] if form.refused is not None else [])
    assert {key: +count for key, count in traced.items()} == {key: +count for key, count in counted.items()}
    assert any(word.replacements for word in words)


def test_the_explanation_of_a_seed_agrees_with_its_variants(made: MergeDataset, seed: str, work: Path) -> None:
    explanation = explain(made, seed, work)
    rows = [row for row in read_split(made, "all").to_pylist() if row["seed_id"] == seed]
    assert sum(explanation.variants.values()) == len(rows)
    explained: dict[Any, Any] = {}
    for word in explanation.words:
        explained |= {(word.word.text, replacement.word): replacement for replacement in word.replacements}
    for row in rows:
        replacement = explained[row["original"], row["replacement"]]
        assert list(replacement.premise_mlms) == row["premise_mlms"]
        assert replacement.log_odds == pytest.approx(row["log_odds"], abs=1e-5)
    for word in explanation.words:
        validated = set()
        for form in word.forms:
            validated |= {(filler.word, form.masked_lm) for filler in explanation.fillers(form) if not filler.dropped}
        for replacement in word.replacements:
            mlms = {*replacement.premise_mlms, *replacement.hypothesis_mlms}
            assert {(replacement.word, name) for name in mlms} <= validated


def test_a_problem_that_is_not_a_seed_is_read_again(made: MergeDataset, work: Path) -> None:
    explanation = explain(made, "odd", work)
    assert explanation.variants == {}
    assert ("dog", "other case") in [(word.word.text, word.word.left_out) for word in explanation.words]
    assert not any(word.forms for word in explanation.words if word.word.left_out is not None)


def test_a_tagger_that_the_record_names_is_not_loaded_from_a_folder(
    made: MergeDataset, seed: str, work: Path, tagger: Tagger
) -> None:
    options = made.record.options | {"tagger": str(tagger.path)}
    of_folder = replace(made, record=replace(made.record, options=options))
    refused("not an installed package.*with tagger", explain, of_folder, seed, work)
    refused("not an installed package.*with tagger", next, filter_again(of_folder, work))
    assert explain(of_folder, seed, work, str(tagger.path)).variants == explain(made, seed, work).variants


def test_a_problem_after_the_limit_is_not_found(made: MergeDataset, options: Options, work: Path) -> None:
    limited = replace(made, record=replace(made.record, options=made.record.options | {"limit": 5}))
    refused(r"no problem 'odd', as far as the run read", explain, limited, "odd", work)


def test_parts_of_words_and_negations_are_counted(made: MergeDataset) -> None:
    words = generation_of(made.record).words
    assert (words["verb"].left_out["part of a word"], words["adv"].left_out["negation"]) == (1, 1)


@pytest.mark.parametrize(
    ("seed_id", "texts"),
    [
        (
            "parts",
            (
                "'s (verb; 1 in the premise, 1 in the hypothesis)\n  left out: part of a word",
                "not (adv; 1 in the premise, 1 in the hypothesis)\n  left out: negation",
            ),
        ),
        (
            "long",
            (
                *(f"{mlm}, premise at 2, in a window of the text:" for mlm in MLMS),
                *(f"{mlm}, hypothesis at 2:" for mlm in MLMS),
            ),
        ),
        (
            "odd",
            (
                "dog (noun; 1 in the premise, 1 in the hypothesis)\n  left out: other case",
                "a seed needs 5: not a seed of config noun",
            ),
        ),
    ],
)
def test_the_text_explains_what_was_left_out_or_seen_in_part(
    made: MergeDataset, seed_id: str, texts: tuple[str, ...], command: Command
) -> None:
    printed = command("explain", str(made.folder), "--seed-id", seed_id).out
    assert not missing_from(printed, *texts)


def test_a_seed_is_chosen_by_its_number_in_the_list(made: MergeDataset, command: Command) -> None:
    seeds = read_split(made, "seed").to_pylist()
    listed = command("explain", made.folder, "--list", "--format", "json").json["rows"]
    assert [row["seed"] for row in listed] == [*range(1, len(seeds) + 1)]
    for row, seed in zip(listed, seeds, strict=True):
        texts = (row["id"], row["premise"], row["hypothesis"])
        assert texts == (seed["seed_id"], seed["premise"], seed["hypothesis"])
        assert row["noun"] == sum(seed["noun_variants"])
    last = len(seeds)
    by_number = command("explain", made.folder, "--seed", last, "--format", "json").json
    assert by_number == command("explain", made.folder, "--seed-id", listed[-1]["id"], "--format", "json").json
    assert listed[0]["id"] in command("explain", made.folder, "--list").out
    for number in (0, last + 1):
        error = command("explain", made.folder, "--seed", number, code=2).err
        assert f"--seed is {number}" in error and "--list" in error


def test_json(made: MergeDataset, seed: str, command: Command) -> None:
    document = json.loads(command("explain", str(made.folder), "--seed-id", seed, "--format", "json").out)
    assert document["id"] == seed
    forms_of_words = [form for word in document["words"] for form in word["forms"]]
    assert {form["masked_lm"] for form in forms_of_words} == set(MLMS)
    assert {None, "not more probable"} <= {filler["dropped"] for form in forms_of_words for filler in form["fillers"]}


def test_missing_or_changed_inputs_are_input_errors(
    made: MergeDataset, seed: str, options: Options, tmp_path: Path, command: Command
) -> None:
    refused("has no problem 'nobody'", explain, made, "nobody", tmp_path)
    advice = ".*demo:mlm-wordpiece.* work folder of the run of .* with work, .*merge-snli generate --options"
    refused(f"{re.escape(str(tmp_path))} {advice}", explain, made, seed, tmp_path)
    assert list(tmp_path.iterdir()) == [], "looking up answers creates no folder"
    copy = tmp_path / "copy"
    shutil.copytree(made.folder, copy)
    record = json.loads((copy / "run.json").read_text(encoding="utf-8"))
    record["options"]["problems"] = str(tmp_path / "gone.jsonl")
    (copy / "run.json").write_text(json.dumps(record), encoding="utf-8")
    err = command("explain", str(copy), "--seed-id", "odd", code=2).err
    assert not missing_from(err, "'odd' is not a seed of", "no such file")
    assert err.count("\n") == 1
    record["generation"]["masked_lms"][0]["digest"] = "0" * 64
    (copy / "run.json").write_text(json.dumps(record), encoding="utf-8")
    assert "000000000000" in command("explain", str(copy), "--seed-id", seed, code=2).err


def test_the_run_file_reproduces_the_data_set(made: MergeDataset, command: Command) -> None:
    before = (made.folder / "run.json").read_bytes()
    printed = command("generate", "--options", made.folder / "run.toml", "--out", made.folder).out
    assert str(made.folder) in printed and (made.folder / "run.json").read_bytes() == before


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("used a masked LM")


@dataclass(frozen=True)
class TinyRun:
    """A data set, its work folder and its options."""

    options: Options
    work: Path
    dataset: MergeDataset

    def run(self, step: str, command: Command) -> dict[str, Any]:
        """Run a step of `merge-snli work` on it and return the document."""
        report: dict[str, Any] = json.loads(
            command("work", step, self.dataset.folder, "--work", self.work, "--format", "json").out
        )
        return report


@pytest.fixture
def tiny_run(tiny_mlm: Callable[[str], Path], tmp_path: Path) -> TinyRun:
    problems = first_problems(tmp_path, 8)
    mlms = tuple(str(tiny_mlm(kind)) for kind in ("bert", "roberta"))
    options = Options(
        problems=str(problems), id_column="id", mlm=mlms, top_k=40, inflation=2, subsamples=1, device="cpu"
    )
    work = tmp_path / "shared"
    return TinyRun(options, work, run_pipeline(options, tmp_path / "merge_snli", work=work))


@pytest.mark.slow
def test_runs_with_other_options_reuse_the_answers(
    tiny_run: TinyRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generation.masked_lms.masked_lm.MaskedLM.fill", refuse)
    monkeypatch.setattr("generation.run.load_masked_lm", refuse)
    others: dict[str, dict[str, Any]] = {
        "union": {"sides": "union"},
        "pos": {"filters": "pos"},
        "prob": {"filters": "prob"},
        "none": {"filters": "none"},
        "scramble": {"scramble": True},
        "d": {"inflation": 3},
        "seed": {"random_seed": 7},
        "classes": {"classes": ("noun",)},
        "one": {"mlm": tiny_run.options.mlm[:1]},
    }
    variants = {"default": tiny_run.dataset.record.configs["all"].rows}
    for name, changes in others.items():
        other = run_pipeline(replace(tiny_run.options, **changes), tmp_path / name, work=tiny_run.work)
        variants[name] = other.record.configs["all"].rows
    assert variants["union"] >= variants["default"] >= variants["one"]
    assert variants["none"] >= max(variants["pos"], variants["prob"])
    assert variants["none"] > variants["default"] == variants["seed"]
    assert variants["default"] > variants["classes"]
    refused(
        "used a masked LM",
        run_pipeline,
        replace(tiny_run.options, top_k=39),
        tmp_path / "top_k",
        work=tiny_run.work,
        error=AssertionError,
    )


@pytest.mark.slow
def test_the_cache_command_lists_files_and_drops_those_not_needed(
    tiny_run: TinyRun, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_pipeline(
        replace(tiny_run.options, top_k=30, inflation=3, id_column=None), tmp_path / "other", work=tiny_run.work
    )
    before = tiny_run.run("show", command)
    kinds = [(entry["kind"], entry["masked_lm"], entry["needed"]) for entry in before["stored"]]
    answers = [("answers", name, needed) for name in ("tiny-bert", "tiny-roberta") for needed in (True, False)]
    others = [(kind, None, needed) for kind in ("tagged problems", "results") for needed in (True, False)]
    assert sorted(kinds, key=str) == sorted([*answers, *others], key=str)
    assert before["bytes"] == sum(entry["bytes"] for entry in before["stored"])
    needed = [entry for entry in before["stored"] if entry["needed"]]
    assert all(entry["rows"] > 0 and entry["shards"] > 0 and entry["bytes"] > 0 for entry in needed)
    assert tiny_run.run("drop", command)["stored"] == needed
    monkeypatch.setattr("generation.run.load_masked_lm", refuse)
    assert run_pipeline(tiny_run.options, tmp_path / "again", work=tiny_run.work).digest == tiny_run.dataset.digest


def test_the_work_command_without_a_data_set(tmp_path: Path, command: Command) -> None:
    assert str(tmp_path / "nothing.work") in command("work", "show", str(tmp_path / "nothing"), code=2).err
    (tmp_path / "killed.work").mkdir()
    assert "0.0 MiB in" in command("work", "show", str(tmp_path / "killed")).out
    assert str(tmp_path / "killed") in command("work", "drop", str(tmp_path / "killed"), code=2).err


def test_the_record_gives_the_cache_keys(tiny_run: TinyRun) -> None:
    folders = {key.folder(tiny_run.work) for key in recorded_cache_keys(tiny_run.dataset.record)}
    assert folders == set((tiny_run.work / "suggestions").iterdir())
