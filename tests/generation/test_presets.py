"""Options: presets, run files, single options of `generate`, and the terms that they record."""

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import generation
import merge_snli as merge
from generation.options import (
    PRESETS,
    Options,
    preset_options,
    read_run_file,
    with_absolute_paths,
    write_run_file,
)
from generation.output.dataset import terms_of, title_of
from merge_snli.dataset.record import TermsRecord
from merge_snli.models.paper_models import PAPER_MLMS
from merge_snli.problems.known_datasets import known_dataset
from tests import ROOT
from tests.conftest import paper_text
from tests.oracles import missing_from, read_jsonl, refused, written
from tests.records import bundled


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_valid_options(name: str) -> None:
    chosen = preset_options(name)
    assert chosen.keys() <= {field.name for field in fields(Options)}
    options = Options(**{"problems": "demo:problems", "mlm": ("m1", "m2"), **chosen})
    assert {field: getattr(options, field) for field in chosen} == chosen


def test_the_masked_lms_of_the_paper_are_those_of_its_table_5() -> None:
    table = dict(re.findall(r"\) (\S+/\S+)\t(?:B|L|XXL)\t(E|E-D)\t", paper_text("merge-paper-pdf.txt")))
    assert len(table) == 10
    assert sorted(table) == sorted(preset_options("paper-bart")["mlm"])
    encoders = preset_options("paper")["mlm"]
    assert sorted(name for name, kind in table.items() if kind == "E") == sorted(encoders)


def test_the_slides_use_two_masked_lms_and_the_union() -> None:
    assert not missing_from(
        paper_text("merge-slides-naloma.txt"),
        "Roberta-base & Bert-base (both cased)",
        r"W_M(P, w_{>}^c) \cup W_M(H, w_{>}^c)",
    )
    chosen = preset_options("slides")
    assert set(chosen["mlm"]) == {"google-bert/bert-base-cased", "FacebookAI/roberta-base"} < set(PAPER_MLMS)
    assert chosen["sides"] == "union"


def test_an_unknown_preset_is_an_error_that_names_the_known_ones() -> None:
    refused(r"'papers'.* paper, paper-bart, slides, strict, balanced, demo", preset_options, "papers")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip()))


def run_file(folder: Path, content: str) -> Path:
    return written(folder / "run.toml", content)


def again(folder: Path, options: Options) -> Options:
    """Write options into a file of a folder and read them."""
    return Options(**read_run_file(run_file(folder, write_run_file(options))))


@given(problems=TEXT, mlm=st.lists(TEXT, min_size=1, unique=True), id_column=st.none() | TEXT, seed=st.integers())
def test_a_written_file_reads_back(
    tmp_path_factory: pytest.TempPathFactory, problems: str, mlm: list[str], id_column: str | None, seed: int
) -> None:
    options = Options(problems=problems, mlm=tuple(mlm), id_column=id_column, random_seed=seed)
    assert again(tmp_path_factory.mktemp("run"), options) == options


def test_every_option_is_written_and_read(tmp_path: Path) -> None:
    options = Options(
        problems="a.jsonl",
        mlm=("m",),
        filters=(),
        scramble=True,
        data_labels=("yes", "no"),
        keep_column=("genre", "pair"),
        limit=7,
        same_tag=True,
        min_log_odds=0.25,
    )
    plain = replace(options, filters=("pos",), limit=None, data_labels=None)
    assert again(tmp_path, options) == options
    assert again(tmp_path, plain) == plain


def test_a_run_records_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("data/p.jsonl", "mlm/bert", "other", "tagger"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    mlm = ("mlm/bert", "org/bert", "demo:mlm-bpe")
    absolute = with_absolute_paths(Options(problems="data/p.jsonl", mlm=mlm, seeds_from="other", tagger="./tagger"))
    assert str(absolute.problems) == str(tmp_path / "data" / "p.jsonl")
    assert absolute.mlm == (str(tmp_path / "mlm" / "bert"), *mlm[1:])
    assert absolute.seeds_from == str(tmp_path / "other")
    assert absolute.tagger == str(tmp_path / "tagger")
    assert str(with_absolute_paths(Options(problems="org/snli", mlm=mlm)).problems) == "org/snli"


def test_the_example_in_the_docs_is_valid(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "generate.md").read_text(encoding="utf-8")
    options = Options(**read_run_file(run_file(tmp_path, page.partition("```toml\n")[2].partition("```")[0])))
    assert (options.split, options.keep_column, options.top_k) == ("validation_matched", ("genre",), 200)


def test_keys_may_be_spelled_as_on_the_command_line(tmp_path: Path) -> None:
    assert read_run_file(run_file(tmp_path, 'top-k = 50\nseeds_from = "x"\n')) == {"top_k": 50, "seeds_from": "x"}
    assert read_run_file(run_file(tmp_path, 'mlm = "demo:mlm-bpe"')) == {"mlm": ("demo:mlm-bpe",)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("top_k = '200'", "top_k is '200', not an integer"),
        ("classes = ['noun', 3]", "classes is ['noun', 3], not a list of strings"),
        ("scramble = 1", "scramble is 1, not true or false"),
        ("problems = 3", "problems is 3, not a string"),
        ("top_k = 1\ntop-k = 2", "duplicate option 'top-k'"),
        ("topk = 3", "'topk': did you mean top_k?"),
        ("x = 3", "'x' (options: problems, "),
        ("[options]\ntop_k = 3", "unknown option 'options'"),
        ("top_k 3", "is not valid TOML: Expected '=' after a key"),
        (b"\xff\xfe", "mine.toml is not valid TOML"),
        pytest.param("top_k = " + "[" * 100_000, "mine.toml is not valid TOML", id="deep"),
    ],
)
def test_an_error_names_file_and_key(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = written(tmp_path / "mine.toml", content)
    error = str(refused("", read_run_file, path))
    assert error.startswith(f"options {path}")
    assert message in error
    assert "\n" not in error


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    refused("nowhere.toml cannot be read: No such file", read_run_file, tmp_path / "nowhere.toml")


def test_terms_come_from_the_known_data_set_or_from_the_option() -> None:
    snli = known_dataset("stanfordnlp/snli")
    assert snli is not None
    known = Options(problems="stanfordnlp/snli", mlm=("demo:mlm-bpe",))
    assert terms_of(known) == TermsRecord("cc-by-sa-4.0", snli.attribution)
    assert terms_of(Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",))) == TermsRecord(None, None)
    licensed = Options(problems="mine.jsonl", mlm=("demo:mlm-bpe",), license="cc-by-4.0")
    assert terms_of(licensed) == TermsRecord("cc-by-4.0", None)


@pytest.mark.parametrize(
    ("problems", "title"),
    [
        ("stanfordnlp/snli@main", "MERGE on SNLI (test)"),
        ("nyu-mll/multi_nli", "MERGE on MultiNLI (validation_matched)"),
        ("org/mine", "MERGE on org/mine (test)"),
        ("data/SICK.tsv", "MERGE on SICK"),
        ("data/saved", "MERGE on saved (test)"),
        ("demo:problems", "MERGE on its bundled problems"),
    ],
)
def test_title_from_the_problems(problems: str, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "saved").mkdir(parents=True)
    (tmp_path / "data" / "SICK.tsv").touch()
    options = Options(problems=problems, mlm=("demo:mlm-bpe",))
    assert title_of(options) == title
    changed = replace(options, scramble=True, filters=(), sides="union")
    assert title_of(changed) == f"{title}, scrambled, no filters, union"
    assert title_of(replace(options, filters=("pos",))) == f"{title}, filter pos only"


def test_title_from_the_options() -> None:
    assert title_of(Options(problems="org/mine", mlm=("demo:mlm-bpe",), title="MERGE on mine")) == "MERGE on mine"
    for title in (" ", "two\nlines"):
        refused("title", Options, problems="org/mine", mlm=("demo:mlm-bpe",), title=title)


MLM = "demo:mlm-wordpiece"


def problems() -> list[dict[str, str]]:
    return read_jsonl(bundled("demo:problems"))[:6]


@pytest.mark.slow
def test_options_and_single_options_give_the_same_data(tmp_path: Path) -> None:
    given = merge.Options(mlm=(MLM,), inflation=2, id_column="id")
    first = merge.generate(problems(), given, out=tmp_path / "first", quiet=True)
    second = generation.generate(problems(), mlm=MLM, inflation=2, id_column="id", out=tmp_path / "second", quiet=True)
    assert first.digest == second.digest
    assert given.problems is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give masked LMs as mlm"),
        ({"preset": "strict"}, "'strict' names none"),
        ({"preset": "nothing"}, "preset is 'nothing'"),
        ({"inflaton": 10}, "unknown option inflaton: did you mean inflation"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    refused(message, merge.generate, "demo:problems", **options, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_options_are_given_once_and_problems_at_least_once(tmp_path: Path) -> None:
    out = tmp_path / "out"
    refused("either options", merge.generate, "demo:problems", merge.Options(mlm=(MLM,)), preset="strict", out=out)
    refused("no problems are given", merge.generate, None, mlm=MLM, out=out)
