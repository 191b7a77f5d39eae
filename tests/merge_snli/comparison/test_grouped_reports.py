"""Tests of comparisons and figures of results on pairs in groups."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from scipy import stats

from merge_snli import Result, score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.comparison.bar_charts import LABEL_COLORS
from merge_snli.comparison.compare import Comparison, compare_results
from merge_snli.comparison.figures import draw_figures
from merge_snli.comparison.statistics_tables import comparison_tables
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.store import write_result


def comparison_text(comparison: Comparison) -> str:
    return "\n".join(table.text() for table in comparison_tables(comparison))


ROWS = [
    {
        "premise": f"Group {group} has {size} boxes.",
        "hypothesis": f"Box {number} is in group {group}.",
        "label": NLI_LABELS[(group + number) % 3],
        "set": f"g{group}",
        "kind": f"kind {number % 3} $x^2$",
    }
    for group, size in enumerate([2, 3, 5, 10] * 10)
    for number in range(size)
]
GOLD = {(row["premise"], row["hypothesis"]): row["label"] for row in ROWS}


def predict(pairs: Sequence[tuple[str, str]], wrong: int) -> list[str]:
    """Predict the gold label, but neutral in every group whose number is divisible by `wrong`."""
    return ["neutral" if int(pair[0].split()[1]) % wrong == 0 else str(GOLD[pair]) for pair in pairs]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [
        score(partial(predict, wrong=wrong), ROWS, group_column="set", by=["kind"], name=f"{name} <$a$>")
        for name, wrong in {"poor": 2, "fair": 5, "good": 20}.items()
    ]


def passes(wrong: int) -> list[bool]:
    """Return whether the model of `predict` has 90% of each group right."""
    return [
        sum(answer == row["label"] for row, answer in of_group) >= 0.9 * len(of_group)
        for of_group in (
            [
                (row, predict([(str(row["premise"]), str(row["hypothesis"]))], wrong)[0])
                for row in ROWS
                if row["set"] == f"g{group}"
            ]
            for group in range(40)
        )
    ]


def test_models_are_compared_over_groups(results: list[Result]) -> None:
    [comparison] = compare_results(results, test="mcnemar")
    assert (comparison.unit, comparison.seeds, comparison.left_out) == ("group", 40, 0)
    poor, fair, good = passes(2), passes(5), passes(20)
    assert comparison.pattern_accuracy["good <$a$>"] == sum(good) / 40
    assert comparison.family.models == ("good <$a$>", "fair <$a$>", "poor <$a$>")
    for pair, (first, second) in zip(comparison.family.pairs, [(good, fair), (good, poor), (fair, poor)], strict=True):
        only = sum(one and not other for one, other in zip(first, second, strict=True))
        discordant = sum(one != other for one, other in zip(first, second, strict=True))
        assert pair.result.p_value == pytest.approx(stats.binomtest(only, discordant).pvalue)
        assert pair.result.unit == "group"
    text = comparison_text(comparison)
    assert "over 40 groups, in percent" in text
    assert "subsample" not in text


def test_a_test_over_subsamples_is_refused(results: list[Result]) -> None:
    with pytest.raises(InputError, match=r"t-test.*memory:list.*permutation or mcnemar"):
        compare_results(results, test="t-test")
    with pytest.raises(InputError, match=r"poor.* on memory:list"):
        compare_results(results[:1])


def test_the_commands_read_both_kinds_of_results(
    results: list[Result], dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "results"
    for result in results:
        write_result(result, folder)
    score(lambda pairs: [0] * len(pairs), dataset, out=folder, name="zero")
    score(lambda pairs: [1] * len(pairs), dataset, out=folder, name="one")
    assert main(["compare", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "seeds, mean over 10 subsamples" in text
    assert "over 40 groups" in text
    assert main(["compare", str(folder), "--out", str(tmp_path / "figures"), "--format", "json"]) == 0
    names = [Path(path).name for path in json.loads(capsys.readouterr().out)["figures"]]
    assert sum(name.endswith(".svg") for name in names) == 5
    assert all((tmp_path / "figures" / name).stat().st_size for name in names)


def test_figures_have_a_panel_per_value_and_equal_bytes(results: list[Result], tmp_path: Path) -> None:
    first = draw_figures(results, tmp_path / "a")
    second = draw_figures(results[::-1], tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    [bars] = [path for path in first if "by-kind" in path.name and path.suffix == ".svg"]
    text = bars.read_text(encoding="utf-8")
    assert {f"kind {number} $x^2$" for number in range(3)} <= set(re.findall(r"<!-- (kind .*?) -->", text))
    assert all(color in text for label, color in LABEL_COLORS.items() if label in NLI_LABELS)


def test_columns_with_too_many_values_are_not_drawn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = [{**row, "many": number} for number, row in enumerate(ROWS)][:100]
    result = score(partial(predict, wrong=2), rows, group_column="set", by=["many", "kind"], name="poor")
    names = [path.name for path in draw_figures([result], tmp_path)]
    assert not any("many" in name for name in names)
    assert "many has 100 values" in caplog.text
