"""`merge-snli demo`: its output, its files, and a second run that uses the cache."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from datasets import load_dataset

from merge_snli import cli
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    import pytest

    from tests.conftest import DemoRun

HEAVY = ("torch", "transformers", "spacy", "datasets", "datatrove", "ray")
"""Libraries that run models or take seconds to load."""


def test_it_prints_its_sections_and_writes_all_files(demo_run: DemoRun) -> None:
    titles = ["Variants to", "What was found", "Scores", "Variants, by", "Shared words", "Written", "Next"]
    places = [demo_run.printed.index(f"\n{title}") for title in titles]
    assert places == sorted(places)
    scores = demo_run.printed[places[2] : places[3]]
    assert "demo:nli-a" in scores
    assert "demo:nli-b" in scores
    for path in ("merge_snli", "results", "figures/pattern_accuracy.png", "site/index.html"):
        assert f"demo/{path}\n" in demo_run.printed[places[5] :]
        assert (demo_run.out / path).exists()
    assert (demo_run.out / "figures" / "pattern_accuracy.png").read_bytes().startswith(b"\x89PNG")


def section(printed: str, title: str) -> str:
    """Return the text below a title and its rule, up to the next section."""
    text: str = re.split(rf"\n{title}[^\n]*\n-+\n", printed)[1]
    return re.split(r"\n\n[^\n]+\n-+\n", text)[0]


def test_it_starts_with_variants_drawn_at_random_and_the_answers_of_the_models(demo_run: DemoRun) -> None:
    """Draws again as documented, and compares the answers with those in the result files."""
    assert demo_run.printed.startswith("\nVariants to look at")
    heading, *blocks = section(demo_run.printed, "Variants to").strip().split("\n\n")
    rows = load_dataset(str(demo_run.out / "merge_snli"), "all", split="test").to_list()
    assert " ".join(heading.split()).startswith(f"5 of {len(rows):,} variants, drawn at random (random seed 0): ")
    drawn = sorted(rows, key=lambda row: sha256_of_json([0, row["variant_id"]]))[:5]
    assert len(blocks) == len(drawn)
    for row, block in zip(drawn, blocks, strict=True):
        title, *lines = block.splitlines()
        gold = NLI_LABELS[row["label"]]
        assert title == f"{row['original']} -> {row['replacement']} ({gold})"
        assert " ".join(" ".join(lines[:-2]).split()) == f"P: {row['premise']} H: {row['hypothesis']}"
        place = [each["variant_id"] for each in rows if each["seed_id"] == row["seed_id"]].index(row["variant_id"])
        for name, line in zip(("nli-a", "nli-b"), lines[-2:], strict=True):
            [path] = (demo_run.out / "results").glob(f"demo-{name}-*.json")
            result = json.loads(path.read_text())
            groups = result["groups"]
            index = groups["id"].index(row["seed_id"])
            answers = groups["anchors"][index], result["compared_labels"][int(groups["predictions"][index][place])]
            seed, variant = (answer if answer == gold else f"{answer} (wrong)" for answer in answers)
            assert line == f"  demo:{name}  seed: {seed}, variant: {variant}"


def test_it_says_in_a_sentence_what_was_found(demo_run: DemoRun) -> None:
    found = " ".join(section(demo_run.printed, "What was found").split())
    for path in (demo_run.out / "results").glob("*.json"):
        scores = json.loads(path.read_text())["scores"]
        assert f"answers {100 * scores['anchor_accuracy']:.0f}% of seeds correctly." in found
        passing = f"{100 * scores['pattern_accuracy']['mean']:.0f}%"
        assert f"For {passing} of seeds, it answers at least 90% of the variants correctly." in found


def test_it_says_how_many_problems_are_seeds(demo_run: DemoRun) -> None:
    rows = load_dataset(str(demo_run.out / "merge_snli"), "all", split="test")
    problems = read_problems(ProblemOptions(problems="demo:problems")).problems
    composition = " ".join(section(demo_run.printed, "Variants, by").split())
    assert (
        f"{len(set(rows['seed_id']))} of {len(problems)} problems are seeds: in at least one word class" in composition
    )


def test_it_fits_into_80_columns_and_ends_with_the_page_and_the_next_command(demo_run: DemoRun) -> None:
    output, last = demo_run.printed.split("\nNext\n")
    assert max(map(len, output.splitlines())) <= TEXT_WIDTH
    assert (demo_run.out / "site" / "index.html").resolve().as_uri() in last
    command = shlex.split(last.splitlines()[-1])
    assert Path(command[0]).name == "merge-snli"
    assert shutil.which(command[0]) is not None
    assert command[1:] == ["score", "MODEL", "--dataset", "demo/merge_snli", "--out", "demo/results"]


def test_the_results_have_plausible_scores(demo_run: DemoRun) -> None:
    results = [json.loads(path.read_text()) for path in sorted((demo_run.out / "results").glob("*.json"))]
    assert [result["model"]["name"] for result in results] == ["demo:nli-a", "demo:nli-b"]
    for result in results:
        scores = result["scores"]
        assert 1 / 3 < scores["anchor_accuracy"] < 1
        assert -1 < scores["qt"] < 1


def run_without_models(command: list[str]) -> str:
    """Run a command in another process and return its output; fail if it loads a library that runs models."""
    code = (
        "import sys; from merge_snli.cli import main; code = main(sys.argv[1:]); "
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]"), done.stderr
    return done.stdout


def test_a_second_run_loads_no_model(demo_run: DemoRun) -> None:
    out = str(demo_run.out)
    texts = run_without_models(["demo", "--out", out]), demo_run.printed
    again, first = (text.replace(out, "demo").splitlines() for text in texts)
    assert again[:-1] == first[:-1], "the last line is a command, which may be on the PATH or not"


def test_finished_outputs_load_no_model(demo_run: DemoRun) -> None:
    data, results = str(demo_run.out / "merge_snli"), str(demo_run.out / "results")
    assert "demo:nli-a" in run_without_models(["score", "demo:nli-a", "--dataset", data, "--out", results])
    options = ["demo:problems", "--id-column", "id", "--preset", "demo"]
    assert f"data set in {data}" in run_without_models(["generate", *options, "--out", data])


def test_it_does_not_replace_another_data_set(
    demo_run: DemoRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(demo_run.out / "merge_snli", tmp_path / "merge_snli")
    record = tmp_path / "merge_snli" / "run.json"
    mine = json.loads(record.read_text())
    mine["options"] |= {"problems": "mine.jsonl", "random_seed": 5}
    record.write_text(json.dumps(mine))
    assert cli.main(["demo", "--out", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert str(tmp_path / "merge_snli") in message
    assert "random_seed" in message
    assert json.loads(record.read_text()) == mine
