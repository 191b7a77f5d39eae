"""Functions as models: what they may answer, and when their answers are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from merge_snli.errors import InputError
from scoring import score
from scoring.models.predictor import Pair


def always(answer: Any) -> Callable[[list[Pair]], list[Any]]:  # noqa: ANN401 - what a function may answer
    return lambda pairs: [answer] * len(pairs)


def test_names_and_numbers_mean_the_same(dataset: Path) -> None:
    by_name = score(always("Neutral"), dataset, name="f")
    assert score(always(1), dataset).scores == by_name.scores
    assert set(by_name.seeds.predicted) == {"neutral"}


def test_one_not_entailment_makes_it_two_way(dataset: Path) -> None:
    result = score(lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"], dataset)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert set(result.seeds.predicted) == {"not_entailment"}
    assert score(always("neutral"), dataset).compared_labels == ("entailment", "neutral", "contradiction")


@pytest.mark.parametrize("answer", ["perhaps", "no", 3, -1, None, 0.5, True])
def test_other_answers_are_refused_with_the_pair(dataset: Path, answer: object) -> None:
    with pytest.raises(InputError, match=rf"^odd answered {answer!r} to '.*' / '.*': it must answer entailment, "):
        score(always(answer), dataset, name="odd")


def test_too_few_answers_are_refused(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"^short gave 1 labels for \d+ pairs: it must give one each$"):
        score(lambda pairs: ["neutral"], dataset, name="short")


def test_no_answer_at_all_is_refused(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"^silent gave None for \d+ pairs: it must give a list of labels$"):
        score(lambda pairs: None, dataset, name="silent")  # type: ignore[arg-type,return-value]


def test_answers_are_kept_under_a_version(dataset: Path, tmp_path: Path) -> None:
    calls: list[int] = []

    def rule(pairs: list[Pair]) -> list[str]:
        calls.append(len(pairs))
        return ["entailment"] * len(pairs)

    out = tmp_path / "results"
    first = score(rule, dataset, out=out, version="1")
    assert max(calls) <= 512
    asked = sum(calls)
    assert score(rule, dataset, out=out, version="1") == first
    assert sum(calls) == asked
    score(rule, dataset, out=out, version="2")
    assert sum(calls) == 2 * asked
    score(rule, dataset, out=out)
    assert sum(calls) == 3 * asked
    assert len(list(out.glob("rule-*.json"))) == 3
