"""The explanation of a problem agrees with the run, and the work folder has what later runs need."""

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.replacements.finding import combine, count_filtered, filter_words
from generation.report.explain import explain, trace_form
from generation.report.read_again import filter_again, stored_answers
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import InPlaceTagger, tag
from generation.sentences.words import shared_words
from merge_snli.base.files import read_json
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.models.tagger import Tagger
from merge_snli.problems.reading import read_problems
from tests.cases import slow
from tests.commands import Command
from tests.oracles import missing_from, refused
from tests.records import first_problems

MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


@pytest.fixture(scope="module")
def seed(made: MergeDataset) -> str:
    return str(read_split(made, "seed")["seed_id"][0].as_py())


def test_the_trace_agrees_with_the_counts(made: MergeDataset, options: Options, work: Path, tagger: Tagger) -> None:
    problems = []
    for tagged in tag(read_problems(options).problems, tagger):
        problems.append((tagged, replaced_words(shared_words(tagged), options.classes)))
    with stored_answers(made, options, work) as answers_to:
        answers = answers_to(problems)
    filtered = filter_words(problems, answers, InPlaceTagger(tagger), options)
    words = [combine(word, options) for word in filtered]
    assert any(word.replacements for word in words)
    traced: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for word in words:
        for form in word.forms:
            fillers = trace_form(form, answers[form.masked_lm])
            count = traced[word.word.word_class, form.masked_lm, form.side]
            count.update({"forms": 1, "fillers": len(fillers), "in a window": form.in_window})
            count.update(filler.dropped or "kept" for filler in fillers)
            count["no suggestion"] += bool(fillers) and all(filler.dropped for filler in fillers)
            if form.refused is not None:
                count[form.refused] += 1
    counted = count_filtered(words)
    assert traced.keys() == counted.keys()
    for key, count in traced.items():
        assert +count == +counted[key]


def test_the_explanation_of_a_seed_agrees_with_its_variants(made: MergeDataset, seed: str, work: Path) -> None:
    explanation = explain(made, seed, work)
    rows = [row for row in read_split(made, "all").to_pylist() if row["seed_id"] == seed]
    assert sum(explanation.variants.values()) == len(rows)
    explained = {}
    for word in explanation.words:
        validated = set()
        for form in word.forms:
            validated |= {(filler.word, form.masked_lm) for filler in explanation.fillers(form) if not filler.dropped}
        for replacement in word.replacements:
            explained[word.word.text, replacement.word] = replacement
            for name in (*replacement.premise_mlms, *replacement.hypothesis_mlms):
                assert (replacement.word, name) in validated
    for row in rows:
        replacement = explained[row["original"], row["replacement"]]
        assert list(replacement.premise_mlms) == row["premise_mlms"]
        assert replacement.log_odds == pytest.approx(row["log_odds"], abs=1e-5)


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


def test_a_problem_after_the_limit_is_not_found(made: MergeDataset, work: Path) -> None:
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
            ("'s (verb; 1 in the premise, 1 in the hypothesis)\n  left out: part of a word", "left out: negation"),
        ),
        *slow(("long", ("demo:mlm-bpe, premise at 2, in a window of the text:", "demo:mlm-bpe, hypothesis at 2:"))),
        ("odd", ("left out: other case", "a seed needs 5: not a seed of config noun")),
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
    assert [row["id"] for row in listed] == [seed["seed_id"] for seed in seeds]
    last = listed[-1]
    seed = seeds[-1]
    assert last["seed"] == len(seeds)
    assert last["premise"] == seed["premise"]
    assert last["noun"] == sum(seed["noun_variants"])
    assert last["id"] in command("explain", made.folder, "--list").out
    document = command("explain", made.folder, "--seed", last["seed"], "--format", "json").json
    assert document["id"] == last["id"]
    form = document["words"][0]["forms"][0]
    assert form["masked_lm"] in MLMS
    assert {None, "not more probable"} <= {filler["dropped"] for filler in form["fillers"]}
    for number in (0, len(seeds) + 1):
        error = command("explain", made.folder, "--seed", number, code=2).err
        assert not missing_from(error, f"--seed is {number}", "--list")


def test_missing_or_changed_inputs_are_input_errors(
    made: MergeDataset, seed: str, tmp_path: Path, command: Command
) -> None:
    refused("has no problem 'nobody'", explain, made, "nobody", tmp_path)
    advice = ".*demo:mlm-wordpiece.* work folder of the run of .* with work, .*merge-snli generate --options"
    refused(f"{re.escape(str(tmp_path))} {advice}", explain, made, seed, tmp_path)
    assert list(tmp_path.iterdir()) == [], "looking up answers creates no folder"
    file = Path(shutil.copytree(made.folder, tmp_path / "copy")) / "run.json"
    record = read_json(file)
    record["options"]["problems"] = str(tmp_path / "gone.jsonl")
    file.write_text(json.dumps(record), encoding="utf-8")
    err = command("explain", file.parent, "--seed-id", "odd", code=2).err
    assert not missing_from(err, "'odd' is not a seed of", "no such file")
    assert err.count("\n") == 1
    record["generation"]["masked_lms"][0]["digest"] = "0" * 64
    file.write_text(json.dumps(record), encoding="utf-8")
    assert "000000000000" in command("explain", file.parent, "--seed-id", seed, code=2).err


def test_the_run_file_reproduces_the_data_set(made: MergeDataset, command: Command) -> None:
    before = (made.folder / "run.json").read_bytes()
    printed = command("generate", "--options", made.folder / "run.toml", "--out", made.folder).out
    assert str(made.folder) in printed and (made.folder / "run.json").read_bytes() == before


@pytest.mark.slow
def test_the_cache_command_lists_files_and_drops_those_not_needed(
    tiny_mlm: Callable[[str], Path], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = str(first_problems(tmp_path, 8))
    mlm = (str(tiny_mlm("bert")),)
    work = tmp_path / "shared"
    options = Options(problems=problems, id_column="id", mlm=mlm, top_k=40, inflation=2, subsamples=1, device="cpu")
    dataset = run_pipeline(options, tmp_path / "merge_snli", work=work)
    run_pipeline(replace(options, top_k=30, inflation=3, id_column=None), tmp_path / "other", work=work)
    given = (dataset.folder, "--work", work, "--format", "json")
    before = command("work", "show", *given).json
    kinds = Counter((entry["kind"], entry["needed"]) for entry in before["stored"])
    assert kinds == dict.fromkeys(product(("answers", "tagged problems", "results"), (True, False)), 1)
    assert before["bytes"] == sum(entry["bytes"] for entry in before["stored"])
    needed = [entry for entry in before["stored"] if entry["needed"]]
    for entry in needed:
        assert min(entry["rows"], entry["shards"], entry["bytes"]) > 0
    assert command("work", "drop", *given).json["stored"] == needed
    monkeypatch.setattr("generation.run.load_masked_lm", None)  # all answers come from the cache
    assert run_pipeline(options, tmp_path / "again", work=work).digest == dataset.digest


def test_the_work_command_without_a_data_set(tmp_path: Path, command: Command) -> None:
    assert str(tmp_path / "nothing.work") in command("work", "show", str(tmp_path / "nothing"), code=2).err
    (tmp_path / "killed.work").mkdir()
    assert "0.0 MiB in" in command("work", "show", str(tmp_path / "killed")).out
    assert str(tmp_path / "killed") in command("work", "drop", str(tmp_path / "killed"), code=2).err
