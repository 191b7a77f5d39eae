"""Functions as models: valid labels, probabilities and caching; async ones also run at once and survive a crash."""

import asyncio
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from merge_snli import read_results, score
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.function import call_all, function_name, is_async, label_reader
from merge_snli.models.labels import Pair
from merge_snli.schema import NLI_LABELS
from tests.oracles import answers_of_groups, refused


def always(answer: Any) -> Callable[[list[Pair]], list[Any]]:  # noqa: ANN401 - a label or an invalid value
    return lambda pairs: [answer] * len(pairs)


def test_label_names_and_numbers_are_equivalent(dataset: Path) -> None:
    by_name = score(always("Neutral"), dataset, name="f")
    assert score(always(1), dataset).scores == by_name.scores
    assert by_name.compared_labels == NLI_LABELS
    assert {*(answers_of_groups(by_name).seeds or ())} == {"neutral"}


def test_not_entailment_makes_the_comparison_two_way(dataset: Path) -> None:
    result = score(lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"], dataset)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert {*(answers_of_groups(result).seeds or ())} == {"not_entailment"}


OTHERS = [[0.5, 0.5], [0.5, 0.2, 0.2], [1.5, -0.5, 0.0], [float("nan"), 0.5, 0.5], ["a", "b", "c"]]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        *((always(answer), rf"{answer!r} for '.*' / '.*'; .*entailment, ") for answer in ("perhaps", "no", 3, -1, 0.5)),
        (always(True), r"True for '.*' / '.*'; .*entailment, "),
        *((always(row), rf"{re.escape(repr(row))} for '.*' / '.*'; .* 3 ") for row in OTHERS),
        (lambda pairs: ["neutral"], r"1 labels for \d+ pairs"),
        (lambda pairs: None, r"None for \d+ pairs"),
    ],
)
def test_invalid_answers_are_refused_with_the_pair(dataset: Path, model: Any, message: str) -> None:  # noqa: ANN401
    refused(f"^odd returned {message}", score, model, dataset, name="odd")


@pytest.mark.parametrize(
    "form", [np.asarray, np.ndarray.tolist, torch.from_numpy, lambda rows: [*torch.from_numpy(rows)]]
)
def test_a_function_may_return_probabilities(dataset: Path, tmp_path: Path, form: Callable[..., Any]) -> None:
    def shares(pairs: list[Pair]) -> NDArray[Any]:
        drawn = np.array([random.Random(str(pair)).choices(range(10), k=3) for pair in pairs]) + np.array([1, 0, 0])
        return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))

    result = score(lambda pairs: form(shares(pairs)), dataset, name="shares", out=tmp_path)
    labels = score(lambda pairs: form(shares(pairs).argmax(axis=1)), dataset, name="labels")
    assert result.scores == labels.scores and result.calibration is not labels.calibration is None
    rows = find_dataset(str(dataset)).to_pandas("all").set_index("variant_id")
    table = result.to_pandas(dataset, with_text=True).set_index("row_id").loc[rows.index]
    stored = table[[f"probability:{label}" for label in NLI_LABELS]].to_numpy()
    np.testing.assert_allclose(stored, shares([*zip(rows["premise"], rows["hypothesis"], strict=True)]), atol=1e-6)
    assert read_results(tmp_path) == [result]


def test_predictions_are_cached_by_version(dataset: Path, tmp_path: Path) -> None:
    calls: list[int] = []

    def rule(pairs: list[Pair]) -> list[str]:
        calls.append(len(pairs))
        return ["entailment"] * len(pairs)

    results, predicted = [], []
    for version in ("1", "1", "2", None):
        results.append(score(rule, dataset, out=tmp_path / "results", version=version))
        predicted.append(sum(calls))
    assert max(calls) <= 512
    assert results[0] == results[1]
    assert predicted == [times * predicted[0] for times in (1, 1, 2, 3)]
    assert len([*(tmp_path / "results").glob("rule-*.json")]) == 3


def test_labels_in_the_form_of_pipelines_are_read() -> None:
    read = label_reader(NLI_LABELS, "f")
    assert read({"label": "neutral", "score": 0.9}, ("a", "b")) == "neutral"
    refused("returned", read, {"score": 0.9}, ("a", "b"))


def rule(pair: Pair) -> str | None:
    number = sum(map(ord, "".join(pair))) % 4
    return NLI_LABELS[number] if number < 3 else None


class Api:
    """Answers by rule, records the pairs and the concurrency of its calls, and fails after some calls."""

    def __init__(self, fails_after: float = float("inf"), answer: Callable[[Pair], Any] = rule) -> None:
        self.fails_after, self.answer = fails_after, answer
        self.asked: list[Pair] = []
        self.running = self.most = 0

    @property
    def calls(self) -> int:
        return len(self.asked)

    async def __call__(self, pair: Pair) -> Any:  # noqa: ANN401 - also invalid answers
        self.asked.append(pair)
        if self.calls > self.fails_after:
            raise ConnectionError("the service is down")
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        return self.answer(pair)


def test_scores_are_those_of_the_same_function_without_async(dataset: Path) -> None:
    api = Api()
    result = score(api, dataset, config="noun", concurrency=5)
    expected = score(lambda pairs: [rule(pair) for pair in pairs], dataset, config="noun", name="Api")
    assert (result.scores, result.title) == (expected.scores, expected.title)
    assert answers_of_groups(result) == answers_of_groups(expected) and result.run.no_answers > 0
    assert api.most == 5


def test_no_pair_is_called_twice_after_a_crash(dataset: Path, tmp_path: Path) -> None:
    out, plain, whole = tmp_path / "results", Api(), Api()
    refused("", score, Api(fails_after=40), dataset, config="verb", out=out, error=ConnectionError)
    assert not out.exists()
    (journal,) = (tmp_path / "results.work").rglob("*.jsonl")
    with journal.open("a", encoding="utf-8") as file:
        file.write('\n["cut off')
    result = score(whole, dataset, config="verb", out=out)
    assert score(plain, dataset, config="verb").scores == result.scores
    assert whole.calls == plain.calls - 40
    assert not journal.exists()
    score(whole, dataset, config="verb", out=out)
    assert whole.calls == 2 * plain.calls - 40


def test_a_version_keeps_the_answers(dataset: Path, tmp_path: Path) -> None:
    api, calls = Api(), []
    for version in ("1", "1", "2"):
        score(api, dataset, config="verb", out=tmp_path / "results", version=version)
        calls.append(api.calls)
    assert calls == [times * calls[0] for times in (1, 1, 2)]


def test_a_killed_process_loses_no_answer(tmp_path: Path) -> None:
    journal, pairs = tmp_path / "journal.jsonl", [(str(number), "h") for number in range(60)]
    code = (
        "import asyncio, os\nfrom pathlib import Path\nfrom merge_snli.models.function import call_all\n"
        "calls = 0\n"
        "async def label_of(pair):\n    global calls\n    calls += 1\n    if calls > 25: os._exit(9)\n"
        "    return 'neutral'\n"
        "pairs = [(str(n), 'h') for n in range(60)]\n"
        f"options = dict(read=lambda label, pair: label, concurrency=1, journal=Path({str(journal)!r}))\n"
        "call_all(label_of, pairs, name='label_of', **options)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    api = Api(answer=lambda pair: "neutral")
    options: dict[str, Any] = {"read": lambda label, pair: str(label), "concurrency": 4, "journal": journal}
    assert len(call_all(api, pairs, name="label_of", **options)) == 60 and api.asked == pairs[25:]


def test_it_runs_inside_an_event_loop(dataset: Path) -> None:
    async def notebook() -> float:
        return score(Api(), dataset, config="verb").pattern_accuracy

    assert 0 <= asyncio.run(notebook()) <= 1


def test_an_invalid_answer_stops_the_run_and_is_not_kept(dataset: Path, tmp_path: Path) -> None:
    api = Api(answer=lambda pair: np.int64(1) if api.calls < 5 else object())
    refused("Api returned <object", score, api, dataset, config="verb", out=tmp_path / "out", concurrency=1)
    assert api.calls == 5
    (journal,) = (tmp_path / "out.work").rglob("*.jsonl")
    assert [json.loads(line)[1] for line in journal.read_text().splitlines() if line] == ["neutral"] * 4


def test_an_error_of_the_function_is_not_one_of_the_disk(dataset: Path, tmp_path: Path) -> None:
    refused(
        r"prompt\.txt",
        score,
        Api(answer=lambda pair: Path("prompt.txt").read_text()),
        dataset,
        config="verb",
        out=tmp_path / "out",
        error=FileNotFoundError,
    )


def test_async_methods_and_partials() -> None:
    class Child(Api):
        pass

    assert [is_async(function) for function in (Child(), partial(Child()), rule)] == [True, True, False]


def test_answers_of_a_partial_with_other_arguments_are_not_mixed(dataset: Path, tmp_path: Path) -> None:
    calls: list[Pair] = []

    async def label_of(pair: Pair, *, label: str, fails: bool = False) -> str:
        calls.append(pair)
        if fails and len(calls) > 20:
            raise ConnectionError("the service is down")
        return label

    out = tmp_path / "results"
    refused(
        "",
        score,
        partial(label_of, label="entailment", fails=True),
        dataset,
        config="verb",
        out=out,
        error=ConnectionError,
    )
    neutral, contradiction = (
        score(partial(label_of, label=label), dataset, config="verb", out=out) for label in ("neutral", "contradiction")
    )
    assert {*(answers_of_groups(neutral).seeds or ())} == {"neutral"}
    assert neutral.model.name != contradiction.model.name
    assert len([*out.glob("*.json")]) == 2


def test_a_name_does_not_mix_answers_of_partials(dataset: Path, tmp_path: Path) -> None:
    async def label_of(pair: Pair, *, label: str) -> str:
        return label if label == "neutral" or sum(map(ord, pair[1])) % 7 else "perhaps"

    options: dict[str, Any] = {"config": "verb", "out": tmp_path / "results", "name": "model"}
    refused("model returned 'perhaps'", score, partial(label_of, label="entailment"), dataset, **options)
    neutral = score(partial(label_of, label="neutral"), dataset, **options)
    assert {*(answers_of_groups(neutral).seeds or ())} == {"neutral"}


def test_objects_in_the_arguments_of_a_partial_have_the_same_name_in_every_process() -> None:
    async def label_of(pair: Pair, *, client: Api | None = None, api_key: str = "") -> str:
        return "neutral"

    (name,) = {function_name(partial(label_of, client=client)) for client in [Api() for _ in range(3)]}
    assert name.startswith("label_of-")
    assert "sk-1" not in function_name(partial(label_of, api_key="sk-1"))


def test_answers_are_kept_when_the_code_of_a_function_changes(
    dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failing, whole = Api(fails_after=30, answer=lambda pair: "neutral"), Api(answer=lambda pair: "neutral")

    async def label_of(pair: Pair) -> str:
        return str(await failing(pair))

    before = label_of

    async def label_of(pair: Pair) -> str:  # type: ignore[no-redef]
        return f"{await whole(pair)}"

    refused("", score, before, dataset, config="verb", out=tmp_path / "results", concurrency=1, error=ConnectionError)
    score(label_of, dataset, config="verb", out=tmp_path / "results")
    assert not {*failing.asked[:30]} & {*whole.asked}
    assert "30 of them from before its code changed" in caplog.text


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (Api(answer=lambda pair: "perhaps"), {"config": "verb"}, "'perhaps'"),
        (Api(), {"concurrency": 0}, "concurrency is 0"),
        (always("neutral"), {"concurrency": 2}, "concurrency has no effect on a function"),
    ],
)
def test_wrong_options_and_labels(dataset: Path, model: Any, options: dict[str, Any], message: str) -> None:  # noqa: ANN401
    refused(message, score, model, dataset, **options)


def test_no_answer_to_pairs_in_groups_is_wrong() -> None:
    rows = [
        {"premise": f"A dog runs {number}.", "hypothesis": "It runs.", "label": "entailment", "group": number // 2}
        for number in range(4)
    ]
    silent = score(always(None), rows, group_column="group", name="silent")
    assert (silent.pattern_accuracy, silent.run.no_answers) == (0, 4)
    assert answers_of_groups(silent).predictions == ("??", "??")
    assert score(Api(answer=lambda pair: "entailment"), rows, group_column="group").pattern_accuracy == 1
