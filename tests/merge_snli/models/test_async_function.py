"""Async functions: concurrency, and answers that survive a crash."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from merge_snli import score
from merge_snli.base.errors import InputError
from merge_snli.models.function import call_all, function_name, is_async
from tests.oracles import answers_of_groups

Pair = tuple[str, str]
LABELS = ("entailment", "neutral", "contradiction")


def rule(pair: Pair) -> str | None:
    number = sum(map(ord, "".join(pair))) % 4
    return LABELS[number] if number < 3 else None


class Api:
    """Answers by rule, records how often and how concurrently it was called, and fails after some calls."""

    def __init__(self, fails_after: int | None = None) -> None:
        self.fails_after = fails_after
        self.calls = self.running = self.most = 0

    async def __call__(self, pair: Pair) -> str | None:
        self.calls += 1
        if self.fails_after is not None and self.calls > self.fails_after:
            raise ConnectionError("the service is down")
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        return rule(pair)


def test_scores_are_those_of_the_same_function_without_async(dataset: Path) -> None:
    api = Api()
    result = score(api, dataset, config="noun", concurrency=5)
    expected = score(lambda pairs: [rule(pair) for pair in pairs], dataset, config="noun", name="Api")
    assert (result.scores, answers_of_groups(result), result.title) == (
        expected.scores,
        answers_of_groups(expected),
        expected.title,
    )
    assert result.run.no_answers > 0
    assert api.most == 5


def test_no_pair_is_called_twice_after_a_crash(dataset: Path, tmp_path: Path) -> None:
    out, failing, whole = tmp_path / "results", Api(fails_after=40), Api()
    with pytest.raises(ConnectionError):
        score(failing, dataset, config="verb", out=out)
    assert not out.exists()
    (journal,) = (tmp_path / "results.work").rglob("*.jsonl")
    with journal.open("a", encoding="utf-8") as file:
        file.write('\n["cut off')
    result = score(whole, dataset, config="verb", out=out)
    plain = Api()
    assert score(plain, dataset, config="verb").scores == result.scores
    assert whole.calls == plain.calls - 40
    assert not journal.exists()
    score(whole, dataset, config="verb", out=out)
    assert whole.calls == 2 * plain.calls - 40


def test_a_version_keeps_the_answers(dataset: Path, tmp_path: Path) -> None:
    api = Api()
    score(api, dataset, config="verb", out=tmp_path / "results", version="1")
    first = api.calls
    score(api, dataset, config="verb", out=tmp_path / "results", version="1")
    assert api.calls == first
    score(api, dataset, config="verb", out=tmp_path / "results", version="2")
    assert api.calls == 2 * first


def test_a_killed_process_loses_no_answer(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
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
    called: list[Pair] = []

    async def label_of(pair: Pair) -> str:
        called.append(pair)
        return "neutral"

    pairs = [(str(number), "h") for number in range(60)]
    answers = call_all(
        label_of, pairs, read=lambda label, pair: str(label), name="label_of", concurrency=4, journal=journal
    )
    assert len(answers) == 60
    assert called == pairs[25:]


def test_it_runs_inside_an_event_loop(dataset: Path) -> None:
    async def notebook() -> float:
        return score(Api(), dataset, config="verb").pattern_accuracy

    assert 0 <= asyncio.run(notebook()) <= 1


def test_an_invalid_answer_stops_the_run_and_is_not_kept(dataset: Path, tmp_path: Path) -> None:
    called: list[Pair] = []

    async def label_of(pair: Pair) -> object:
        called.append(pair)
        return np.int64(1) if len(called) < 5 else object()

    with pytest.raises(InputError, match="label_of returned <object"):
        score(label_of, dataset, config="verb", out=tmp_path / "out", concurrency=1)  # type: ignore[arg-type]
    assert len(called) == 5
    (journal,) = (tmp_path / "out.work").rglob("*.jsonl")
    assert [json.loads(line)[1] for line in journal.read_text().splitlines() if line] == ["neutral"] * 4


def test_an_error_of_the_function_is_not_one_of_the_disk(dataset: Path, tmp_path: Path) -> None:
    async def label_of(pair: Pair) -> str:
        return Path(tmp_path / "prompt.txt").read_text()

    with pytest.raises(FileNotFoundError, match=r"prompt\.txt"):
        score(label_of, dataset, config="verb", out=tmp_path / "out")


def test_async_methods_and_partials() -> None:
    class Child(Api):
        pass

    assert is_async(Child())
    assert is_async(partial(Child()))
    assert not is_async(rule)


def test_answers_of_a_partial_with_other_arguments_are_not_mixed(dataset: Path, tmp_path: Path) -> None:
    calls: list[Pair] = []

    async def label_of(pair: Pair, *, label: str, fails: bool) -> str:
        calls.append(pair)
        if fails and len(calls) > 20:
            raise ConnectionError("the service is down")
        return label

    out = tmp_path / "results"
    with pytest.raises(ConnectionError):
        score(partial(label_of, label="entailment", fails=True), dataset, config="verb", out=out)
    neutral, contradiction = (
        score(partial(label_of, label=label, fails=False), dataset, config="verb", out=out)
        for label in ("neutral", "contradiction")
    )
    assert {*(answers_of_groups(neutral).seeds or ())} == {"neutral"}
    assert neutral.model.name != contradiction.model.name
    assert len([*out.glob("*.json")]) == 2


def test_a_name_does_not_mix_answers_of_partials(dataset: Path, tmp_path: Path) -> None:
    async def label_of(pair: Pair, *, label: str) -> str:
        return label if label == "neutral" or sum(map(ord, pair[1])) % 7 else "perhaps"

    out = tmp_path / "results"
    with pytest.raises(InputError, match="model returned 'perhaps'"):
        score(partial(label_of, label="entailment"), dataset, config="verb", out=out, name="model")
    neutral = score(partial(label_of, label="neutral"), dataset, config="verb", out=out, name="model")
    assert {*(answers_of_groups(neutral).seeds or ())} == {"neutral"}


def test_objects_in_the_arguments_of_a_partial_have_the_same_name_in_every_process() -> None:
    async def label_of(pair: Pair, *, client: Api | None = None, api_key: str = "") -> str:
        return "neutral"

    names = {function_name(partial(label_of, client=client)) for client in [Api() for _ in range(3)]}
    assert len(names) == 1
    assert names.pop().startswith("label_of-")
    assert "sk-1" not in function_name(partial(label_of, api_key="sk-1"))


def test_answers_are_kept_when_the_code_of_a_function_changes(
    dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def label_of(pair: Pair) -> str:
        called.append(pair)
        if len(called) > 30:
            raise ConnectionError("the service is down")
        return "neutral"

    called: list[Pair] = []
    failing, out = label_of, tmp_path / "results"
    with pytest.raises(ConnectionError):
        score(failing, dataset, config="verb", out=out, concurrency=1)

    async def label_of(pair: Pair) -> str:  # type: ignore[no-redef]
        called.append(pair)
        return "neutral"

    before = called[:30]
    called.clear()
    score(label_of, dataset, config="verb", out=out)
    assert not {*before} & {*called}
    assert "30 of them from before its code changed" in caplog.text


def test_wrong_options_and_labels(dataset: Path) -> None:
    async def perhaps(pair: Pair) -> str:
        return "perhaps"

    with pytest.raises(InputError, match="'perhaps'"):
        score(perhaps, dataset, config="verb")
    with pytest.raises(InputError, match="concurrency is 0"):
        score(Api(), dataset, concurrency=0)
    with pytest.raises(InputError, match="concurrency has no effect on a function"):
        score(lambda pairs: ["neutral"] * len(pairs), dataset, concurrency=2)


def test_no_answer_to_pairs_in_groups_is_wrong() -> None:
    rows = [
        {"premise": f"A dog runs {number}.", "hypothesis": "It runs.", "label": "entailment", "group": number // 2}
        for number in range(4)
    ]
    silent = score(lambda pairs: [None] * len(pairs), rows, group_column="group", name="silent")
    assert (silent.pattern_accuracy, silent.run.no_answers) == (0, 4)
    assert answers_of_groups(silent).predictions == ("??", "??")

    async def label_of(pair: Pair) -> str:
        return "entailment"

    assert score(label_of, rows, group_column="group").pattern_accuracy == 1
