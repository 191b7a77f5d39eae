"""`merge-snli demo`: its output and files with made-up answers; slow tests run all of it, and again from the cache."""

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from merge_snli import cli
from merge_snli.answers.data import ScoredData
from merge_snli.base.files import read_json, sha256_of_json
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.dataset.stored import FOLDER
from merge_snli.models.labels import Pair
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.results.result import Result
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.score import score
from tests.commands import Command
from tests.conftest import DemoRun
from tests.oracles import missing_from
from tests.processes import PROGRAM


@pytest.fixture(scope="module")
def made_up_run(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """A run that finds the bundled data set in its folder, with made-up answers of the models."""
    folder = tmp_path_factory.mktemp("made-up")
    data = folder / "demo" / "merge_snli"
    shutil.copytree(FOLDER / "data", data / "data")
    for name in ("README.md", "run.json", "run.toml"):
        shutil.copy(FOLDER / name, data)

    def score_models(
        models: Mapping[str, str], data: ScoredData, *, options: object, out: Path
    ) -> tuple[list[Result], dict[str, str]]:
        del options
        return [
            score(answers_of(name, data), str(folder / "demo" / "merge_snli"), name=name, out=out) for name in models
        ], {}

    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.chdir(folder)
        patch.setattr("merge_snli.scoring.score_models.score_models", score_models)
        patch.setattr("sys.argv", [PROGRAM])
        assert cli.main(["demo"]) == 0
    return DemoRun(folder / "demo", printed.getvalue())


def answers_of(name: str, data: ScoredData) -> Callable[[Sequence[Pair]], list[int]]:
    """Return a function that answers about four of five pairs right."""
    gold = dict(zip([data.pairs[pair] for pair in data.row_pairs], data.row_labels.tolist(), strict=True))

    def answer(pairs: Sequence[Pair]) -> list[int]:
        wrong = [zlib.crc32(repr((name, pair)).encode()) % 5 == 0 for pair in pairs]
        return [(gold.get(pair, 0) + is_wrong) % 3 for pair, is_wrong in zip(pairs, wrong, strict=True)]

    return answer


@pytest.fixture(params=["made-up answers", pytest.param("whole run", marks=pytest.mark.slow)])
def demo(request: pytest.FixtureRequest) -> DemoRun:
    run: DemoRun = request.getfixturevalue("made_up_run" if request.param == "made-up answers" else "demo_run")
    return run


HEAVY = ("torch", "transformers", "spacy", "datasets", "datatrove", "ray")
"""Libraries that run models or take seconds to load."""


def test_it_prints_its_sections_and_writes_all_files(demo: DemoRun) -> None:
    titles = ["Variants to", "What was found", "Scores", "Variants, by", "Shared words", "Written", "Next"]
    places = [demo.printed.index(f"\n{title}") for title in titles]
    assert places == sorted(places)
    assert not missing_from(demo.printed[places[2] : places[3]], "demo:nli-a", "demo:nli-b")
    for path in ("merge_snli", "results", "figures/pattern_accuracy.png", "site/index.html"):
        assert f"demo/{path}\n" in demo.printed[places[5] :]
        assert (demo.out / path).exists()
    assert (demo.out / "figures" / "pattern_accuracy.png").read_bytes().startswith(b"\x89PNG")


def section(printed: str, title: str) -> str:
    """Return the text below a title and its rule, up to the next section."""
    text: str = re.split(rf"\n{title}[^\n]*\n-+\n", printed)[1]
    return re.split(r"\n\n[^\n]+\n-+\n", text)[0]


def test_it_starts_with_variants_drawn_at_random_and_the_answers_of_the_models(demo: DemoRun) -> None:
    """Draws again as documented, and compares the answers with those in the result files."""
    assert demo.printed.startswith("\nVariants to look at")
    heading, *blocks = section(demo.printed, "Variants to").strip().split("\n\n")
    rows = load_dataset(str(demo.out / "merge_snli"), "all", split="test").to_list()
    assert " ".join(heading.split()).startswith(f"5 of {len(rows):,} variants, drawn at random (random seed 0): ")
    answers: dict[str, dict[str, str]] = {}
    for name in ("nli-a", "nli-b"):
        [path] = (demo.out / "results").glob(f"demo-{name}-*.parquet")
        given = pq.read_table(path).to_pylist()
        answers[name] = {row["row_id"]: row["answer"] for row in given}
    drawn = sorted(rows, key=lambda row: sha256_of_json([0, row["variant_id"]]))[:5]
    for row, block in zip(drawn, blocks, strict=True):
        title, *lines = block.splitlines()
        gold = NLI_LABELS[row["label"]]
        assert title == f"{row['original']} -> {row['replacement']} ({gold})"
        assert " ".join(" ".join(lines[:-2]).split()) == f"P: {row['premise']} H: {row['hypothesis']}"
        for line, (name, of_model) in zip(lines[-2:], answers.items(), strict=True):
            seed = of_model[row["seed_id"]]
            variant = of_model[row["variant_id"]]
            shown = line.replace(" (wrong)", "")
            assert shown == f"  demo:{name}  seed: {seed}, variant: {variant}"
            assert line.count(" (wrong)") == (seed != gold) + (variant != gold)


def test_it_says_in_a_sentence_what_was_found(demo: DemoRun) -> None:
    found = " ".join(section(demo.printed, "What was found").split())
    for path in (demo.out / "results").glob("*.json"):
        scores = read_json(path)["scores"]
        assert f"answers {100 * scores['seed_accuracy']:.0f}% of seeds correctly." in found
        passing = f"{100 * scores['pattern_accuracy']['mean']:.0f}%"
        assert f"For {passing} of seeds, it answers at least 90% of the variants correctly." in found


def test_it_says_how_many_problems_are_seeds(demo: DemoRun) -> None:
    seeds = len(set(load_dataset(str(demo.out / "merge_snli"), "all", split="test")["seed_id"]))
    problems = len(read_problems(ProblemOptions(problems="demo:problems")).problems)
    composition = " ".join(section(demo.printed, "Variants, by").split())
    assert f"{seeds} of {problems} problems are seeds: in at least one word class" in composition


def test_it_fits_into_80_columns_and_ends_with_the_page_and_the_next_command(demo: DemoRun) -> None:
    output, last = demo.printed.split("\nNext\n")
    assert max(map(len, output.splitlines())) <= TEXT_WIDTH
    assert (demo.out / "site" / "index.html").resolve().as_uri() in last
    command = shlex.split(last.splitlines()[-1])
    assert Path(command[0]).name == "merge-snli"
    assert shutil.which(command[0]) is not None
    assert command[1:] == ["score", "MODEL", "--dataset", "demo/merge_snli", "--out", "demo/results"]


def run_without_models(command: list[str]) -> str:
    """Run a command in another process and return its output; fail if it loads a library that runs models."""
    code = (
        "import sys; from merge_snli.cli import main; code = main(sys.argv[1:]); "
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]"), done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_second_run_loads_no_model(demo_run: DemoRun) -> None:
    out = str(demo_run.out)
    texts = run_without_models(["demo", "--out", out]), demo_run.printed
    again, first = (text.replace(out, "demo").splitlines() for text in texts)
    assert again[:-1] == first[:-1], "the last line is a command, which may be on the PATH or not"


@pytest.mark.slow
def test_finished_outputs_load_no_model(demo_run: DemoRun) -> None:
    data = str(demo_run.out / "merge_snli")
    results = str(demo_run.out / "results")
    assert "demo:nli-a" in run_without_models(["score", "demo:nli-a", "--dataset", data, "--out", results])
    options = ["--options", f"{data}/run.toml"]
    assert f"data set in {data}" in run_without_models(["generate", *options, "--out", data])


def test_it_does_not_replace_another_data_set(made_up_run: DemoRun, tmp_path: Path, command: Command) -> None:
    record = Path(shutil.copytree(made_up_run.out / "merge_snli", tmp_path / "merge_snli")) / "run.json"
    mine = read_json(record)
    mine["options"] |= {"problems": "mine.jsonl", "random_seed": 5}
    record.write_text(json.dumps(mine))
    assert not missing_from(
        command("demo", "--out", str(tmp_path), code=2).err, str(tmp_path / "merge_snli"), "random_seed"
    )
    assert read_json(record) == mine
