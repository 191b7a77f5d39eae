"""Each benchmark that the docs cite runs on a tiny size, and what it prints is consistent."""

import csv
import re
from pathlib import Path

import pytest

from benchmarks import readable_variants, statistics_simulation
from benchmarks.host import answering_classifier, made_up_pairs, memory
from benchmarks.matmul_bound import flop_of_forms
from merge_snli import read_results
from merge_snli.answers.sentences import PAIRS_PER_BATCH
from tests import ROOT
from tests.benchmarks.conftest import Benchmark, tables
from tests.records import bundled
from tests.systems import linux_only

pytestmark = pytest.mark.slow

PIPELINES = ("pipeline, one by one", "pipeline, batch_size=32")


def number(cell: str) -> float:
    """Return the number that a cell begins with."""
    return float(cell.split()[0].removesuffix("%").replace(",", ""))


def test_suggestions(benchmark: Benchmark) -> None:
    options = ["--limit", 40, "--forms", 30, "--pipeline-forms", 8, "--rounds", 1, "--layers", 1, "--changes", 30]
    printed = benchmark("suggestions", *options, "--dtypes", "float32")
    rates, ratios, changes = tables(printed)
    found = {name: number(row["forms per second"]) for name, row in rates.items()}
    assert list(found) == [*PIPELINES, "generation, float32", "matmul bound, float32"]
    assert number(ratios["float32"]["ratio"]) == pytest.approx(
        found["generation, float32"] / found["matmul bound, float32"], abs=0.01
    )
    for row in changes.values():
        assert 0 <= number(row["changed forms"]) <= number(row["forms"]) <= 30
        assert 0 <= number(row["in one dtype only"]) < number(row["suggestions"])


def test_operations_of_forms_are_those_of_the_layers_and_of_the_head_on_one_token() -> None:
    shape = {"hidden_size": 2, "num_hidden_layers": 3, "intermediate_size": 5, "vocab_size": 7}
    of_token = 4 * 2 * 2 + 2 * 2 * 5
    attention = 2 * 11 * 2
    head = 2 * (2 + 7)
    assert flop_of_forms([11], shape) == 2 * (3 * 11 * (of_token + attention) + head)
    assert flop_of_forms([11, 11], shape) == 2 * flop_of_forms([11], shape)


def test_scoring(benchmark: Benchmark) -> None:
    options = ["--limit", 40, "--rounds", 1, "--hidden-size", 64, "--layers", 1, "--methods", "float32"]
    printed = benchmark("scoring", *options, "--long-premises")
    of_files = tables(printed)
    assert len(of_files) == 3
    for rows in of_files:
        peers = [f"CrossEncoder, float32, batch_size={size}" for size in (32, 128, 512)]
        assert list(rows) == ["scoring, float32", *peers, "pipeline, batch_size=32"]
        row = rows["scoring, float32"]
        best = max(number(rows[peer]["pairs per second"]) for peer in peers)
        ratio = number(row["pairs per second"]) / best
        assert number(row["vs. CrossEncoder's best"]) == pytest.approx(ratio, abs=0.02)
        same, _, count = row["equal labels"].split()
        assert same == count
        assert number(row["largest difference"]) < 1e-4
    tokens = [int(line.split()[-4]) for line in printed.splitlines() if line.endswith("tokens on average")]
    assert tokens[0] < tokens[1]


def test_ranked_answers(benchmark: Benchmark) -> None:
    options = ["--limit", 6, "--rounds", 1, "--hidden-size", 64, "--layers", 1, "--batch-sizes", 2, 4]
    (rows,) = tables(benchmark("ranked_answers", *options, "--prompt", "word"))
    row = rows["`word`"]
    assert number(row["equal"]) == number(row["clear answers"])
    assert number(row["largest difference"]) < 1e-3
    ratio = number(row["`score --prompt`"]) / number(row["lm-evaluation-harness"])
    assert number(row["ratio"]) == pytest.approx(ratio, abs=0.1)


def test_stages(benchmark: Benchmark) -> None:
    options = ["--problems", bundled("demo:problems"), "--limit", 20]
    (rows,) = tables(benchmark("stages", *options, "--runs", ".:1", ".:2"))
    for run in (".:1", ".:2"):
        whole = number(rows["whole command"][run])
        parts = [number(row[run]) for name, row in rows.items() if name not in ("whole command", "CPU time")]
        assert len(parts) == 6 and 0 < sum(parts) <= whole + 0.5
    (simulated,) = tables(benchmark("stages", *options, "--simulate", 2))
    assert list(simulated) == ["read and tag", "filters and sets"]
    assert all(50 <= number(row["per core"]) <= 100 for row in simulated.values())


def test_generation_share(benchmark: Benchmark) -> None:
    name = "electra-base-generator"
    printed = benchmark("generation_share", "--limit", 10, "--layers", 1, "--shapes", name)
    (rows,) = tables(printed)
    shares = {stage: number(row["share"]) for stage, row in rows.items()}
    assert sum(shares.values()) == pytest.approx(100, abs=0.5)
    others = number(printed.partition("not masked LMs: ")[2])
    assert others == pytest.approx(100 - shares[name], abs=0.2)
    assert number(printed.partition("peak memory: ")[2]) > 100


def test_readable_variants(benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    every = readable_variants.chosen_filters()
    monkeypatch.setattr(readable_variants, "chosen_filters", lambda: {name: every[name] for name in ("none", "strict")})
    studies, _, counts = tables(benchmark("readable_variants", "--problems", bundled("demo:problems"), "--limit", 20))
    with (Path(readable_variants.__file__).parent / "veto_study.csv").open(encoding="utf-8") as file:
        judged = [row for row in csv.DictReader(file) if "strict" in row["filters"].split(" and ")]
    first_study = [row for name, row in studies.items() if name.startswith("first study of the veto: strict")]
    assert 0 < sum(int(row["judged"]) for row in first_study) <= len(judged)
    for degree, cell in counts["none"].items():
        if degree != "filters":
            seeds, variants = map(number, cell.split(" / "))
            fewer_seeds, fewer_variants = map(number, counts["strict"][degree].split(" / "))
            assert fewer_seeds <= seeds
            assert fewer_variants < variants


def test_false_alarms_of_equal_models_are_those_of_the_docs() -> None:
    text = " ".join((ROOT / "docs" / "compare.md").read_text(encoding="utf-8").split())
    for name, sentence in {
        "paired t-test over 10 overlapping subsamples": "it found {:.1%} different",
        "permutation test over seeds in 10 overlapping subsamples": "the permutation test {:.1%},",
        "McNemar's test over seeds in 10 overlapping subsamples": "McNemar's test, which is conservative, {:.1%} (",
    }.items():
        rate = statistics_simulation.false_positives(name, 1_000).rate
        assert sentence.format(rate) in text


def test_statistics_simulation(benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics_simulation, "FAMILIES", (2,))
    (rows,) = tables(benchmark("statistics_simulation", "--simulations", 10))
    kinds = {name.partition(":")[0] for name in rows}
    assert kinds == {"false positives", "coverage", "family-wise false positives", "power"}
    for row in rows.values():
        low, high = map(number, row["expected"].split(" to "))
        assert row["within"] == ("yes" if low <= number(row["rate"]) <= high else "no")


def test_reports(benchmark: Benchmark, tmp_path: Path) -> None:
    (rows,) = tables(benchmark("reports", "--seeds", 12, "--variants", 21, "--models", 2, "--folder", tmp_path))
    commands = ["validate", "compare", "compare --all-thresholds", "leaderboard", "explore", "analyze"]
    assert list(rows) == ["score", *commands]
    for row in rows.values():
        assert number(row["CPU seconds"]) > 0 and number(row["peak MiB"]) > 50
    assert [result.model.name for result in read_results(tmp_path / "results")] == ["m0", "m1"]


def test_every_benchmark_has_a_test() -> None:
    tested = {path.stem for path in Path(__file__).parent.glob("test_*.py")} | set(globals())
    for module in Path(readable_variants.__file__).parent.glob("*.py"):
        if "def main(" in module.read_text(encoding="utf-8"):
            assert f"test_{module.stem}" in tested


def test_host(benchmark: Benchmark) -> None:
    (rows,) = tables(benchmark("host", "--limit", 60, "--form-problems", 20, "--rounds", 1))
    whole, tokenizer, forms = (number(row["per CPU second"]) for row in rows.values())
    assert min(whole, tokenizer, forms) > 0
    assert number(rows["pairs, whole host"]["vs. the tokenizer alone"]) == pytest.approx(whole / tokenizer, abs=0.02)


@linux_only
def test_memory_beside_texts() -> None:
    assert len(set(made_up_pairs(PAIRS_PER_BATCH + 1))) == PAIRS_PER_BATCH + 1
    assert re.fullmatch(r"\d+ MiB of texts, and at most \d+ MiB beside them", memory(answering_classifier(), 300))
