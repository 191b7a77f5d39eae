"""The check of submissions: good results pass, forged ones are found, and what is wrong is named."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from merge_snli import Result, score
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.leaderboard.space import LIMITS, check_files
from merge_snli.scoring.predictions.reading import read_config
from merge_snli.scoring.results.evaluate import fields_of
from merge_snli.scoring.results.files import file_name, parse_result, to_json
from merge_snli.scoring.results.measure import scores
from merge_snli.scoring.results.recompute import answers_of, differences
from merge_snli.scoring.results.scores import Scores
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.leaderboard.conftest import SHIPPED, unchecked

Json = dict[str, Any]


@pytest.fixture(scope="module")
def data() -> MergeDataset:
    return find_dataset(str(SHIPPED))


@pytest.fixture(scope="module")
def good(results: list[Result]) -> Result:
    return results[1]


def written(result: Result) -> dict[str, bytes]:
    return {file_name(result): json.dumps(to_json(result)).encode()}


def check(data: MergeDataset, content: Json | Result, name: str | None = None, **accepted: Result) -> list[str]:
    """Check one file; its name is that of the result that it was made from."""
    if isinstance(content, Result):
        name, content = file_name(content), to_json(content)
    assert name is not None
    known = {file: text for result in accepted.values() for file, text in written(result).items()}
    [problems] = check_files({name: json.dumps(content).encode()}, known, [data]).values()
    return problems


def test_good_results_pass(results: list[Result], data: MergeDataset) -> None:
    hasty, careful, small, _, neutral, nouns = results
    files = {name: text for result in (hasty, careful, small, neutral, nouns) for name, text in written(result).items()}
    assert check_files(files, {}, [data]) == {name: [] for name in files}


def better_answers(result: Result, seeds: int) -> Result:
    """Return a result whose answers to the variants of some seeds are all right; nothing else is changed."""
    table = result.groups
    right = [str(result.compared_labels.index(gold)) * len(answers) for gold, answers in answers_by_gold(result)]
    answers = (*right[:seeds], *table.predictions[seeds:])
    return dataclasses.replace(
        result, groups=dataclasses.replace(table, predictions=answers), scores=_counted(result, answers)
    )


def _counted(result: Result, answers: Sequence[str]) -> Scores:
    """Return the scores of a result with the numbers of predicted labels that its answers have."""
    rows = Counter((gold, label) for gold, each in zip(gold_of(result), answers, strict=True) for label in each)
    predicted = {
        gold: {label: rows[gold, str(at)] for at, label in enumerate(result.compared_labels)}
        for gold in result.scores.predicted
    }
    return dataclasses.replace(result.scores, predicted=predicted)


def gold_of(result: Result) -> list[str]:
    return [result.dataset.labels[int(digits[0])] for digits in result.groups.gold]


def answers_by_gold(result: Result) -> list[tuple[str, str]]:
    return list(zip(gold_of(result), result.groups.predictions, strict=True))


def set_at(*path: str | int, value: Any) -> Callable[[Json], None]:  # noqa: ANN401 - any JSON value
    def change(content: Any) -> None:  # noqa: ANN401
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value(content[path[-1]]) if callable(value) else value

    return change


def add(amount: float) -> Callable[[float], float]:
    return lambda number: number + amount


def swap_first_two_labels(content: Json) -> None:
    swapped = str.maketrans("01", "10")
    content["groups"]["predictions"] = [answers.translate(swapped) for answers in content["groups"]["predictions"]]
    first, second, _ = content["compared_labels"]
    for row in content["scores"]["predicted"].values():
        row[first], row[second] = row[second], row[first]


def gold_as_predicted(content: Json) -> None:
    content["groups"]["gold"] = [str(content["dataset"]["labels"].index(name)) for name in content["groups"]["anchors"]]


def without_seed(content: Json) -> None:
    table, scores = content["groups"], content["scores"]
    label = content["dataset"]["labels"][int(table["gold"][-1])]
    for digit in table["predictions"][-1]:
        scores["predicted"][label][content["compared_labels"][int(digit)]] -= 1
    scores["rows"] -= len(table["predictions"][-1])
    scores["groups"] -= 1
    draw = scores["curve"]
    if draw:
        draw["groups"] = [number - 1 for number in draw["groups"]]
        draw["passing"] = [
            [min(each, number) for each in row] for row, number in zip(draw["passing"], draw["groups"], strict=True)
        ]
    for name in ("id", "gold", "anchors", "predictions"):
        table[name].pop()
    for name in ("sizes", "correct"):
        for row in table[name]:
            row.pop()


def with_source(content: Json) -> None:
    accuracy = {"problems": 10, "sample_accuracy": 1.0, "interval": [0.7, 1.0]}
    content["source"] = {
        "name": "snli",
        "digest": "0" * 64,
        "without_label": 0,
        "too_long": 0,
        "overall": accuracy,
        "labels": {"entailment": accuracy},
    }


FORGED: dict[str, tuple[Callable[[Json], None], str]] = {
    "sample accuracy on seeds": (set_at("scores", "anchor_accuracy", value=add(0.01)), "scores.anchor_accuracy"),
    "sample accuracy on variants": (set_at("scores", "sample_accuracy", "mean", value=add(0.01)), "sample_accuracy"),
    "sample accuracy of a subsample": (set_at("scores", "sample_accuracy", "each", 3, value=1.0), "each.3"),
    "pattern accuracy": (set_at("scores", "pattern_accuracy", "mean", value=add(0.01)), "pattern_accuracy.mean"),
    "spread of pattern accuracy": (set_at("scores", "pattern_accuracy", "std", value=0.0), "pattern_accuracy.std"),
    "curve": (set_at("scores", "curve", "passing", 0, 100, value=add(1)), "passing.0.100"),
    "mean curve": (set_at("scores", "curve", "mean", 95, value=add(0.02)), "mean.95"),
    "quality threshold": (set_at("scores", "qt", value=add(0.05)), "scores.qt"),
    "matching threshold": (set_at("scores", "mt", value="0.99"), "scores.mt"),
    "interval": (set_at("scores", "intervals", "pattern_accuracy", 0, value=add(0.01)), "intervals.pattern_accuracy"),
    "word class": (set_at("parts", "word_class", "noun", "qt", value=add(0.01)), "parts.word_class.noun.qt"),
    "gold label": (set_at("parts", "label", "neutral", "rows", value=add(1)), "parts.label.neutral.rows"),
    "masked LM": (set_at("parts", "masked_lm", value=lambda parts: dict(list(parts.items())[:1])), "parts.masked_lm"),
    "consistency": (
        set_at("consistency", "seed", "sample_accuracy", "mean", value=add(0.004)),
        "consistency.seed.sample_accuracy",
    ),
    "counts of a seed": (set_at("groups", "correct", 0, 0, value=lambda count: count - 1), "groups.correct.0.0"),
    "sizes of a seed": (set_at("groups", "sizes", 0, 0, value=add(1)), "groups.sizes.0.0"),
    "swapped labels of answers": (swap_first_two_labels, "scores."),
    "swapped labels of the model": (
        set_at("model", "labels", value=["entailment", "not_entailment"]),
        "is not one of entailment, not_entailment",
    ),
    "gold labels from the answers": (gold_as_predicted, "groups.gold"),
    "seed of another data set": (set_at("groups", "id", 0, value="invented"), "'invented' is not in config"),
    "an answer less": (set_at("groups", "predictions", 0, value=lambda text: f"-{text}"), "variants, and the"),
    "digest of another data set": (set_at("dataset", "digest", value="0" * 64), "digest 00000000"),
    "title of another data set": (set_at("dataset", "title", value="MERGE on SNLI"), "dataset.title"),
    "other config": (set_at("dataset", "config", value="noun"), "is not in config noun"),
    "part as the whole": (
        set_at("dataset", "partial", value={"limit_seeds": 5, "subsample": None, "of": "0" * 64}),
        "score the whole",
    ),
    "a hard seed less": (without_seed, "left_out.groups"),
    "seeds left out": (set_at("left_out", "groups", value=2), "leaves out 2 seeds"),
    "scores on the source": (with_source, "--source"),
    "unread answers": (set_at("run", "no_answers", value=3), "run.no_answers"),
    "another version": (set_at("schema_version", value=1), "format version 1"),
    "a share above 1": (set_at("scores", "anchor_accuracy", value=1.2), "anchor_accuracy"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_result_is_found(good: Result, data: MergeDataset, forged: str) -> None:
    change, named = FORGED[forged]
    content = copy.deepcopy(to_json(good))
    change(content)
    if forged in {"digest of another data set", "other config"}:  # which the name of the file contains
        name = file_name(parse_result(json.dumps(content).encode(), "forged"))
    else:
        name = file_name(good)
    problems = check(data, content, name)
    assert any(named in problem for problem in problems), problems


def test_answers_without_their_numbers_are_found(good: Result, data: MergeDataset) -> None:
    assert any("scores." in problem for problem in check(data, better_answers(good, 20)))


def test_a_part_that_claims_to_be_whole_is_found(data: MergeDataset, good: Result) -> None:
    part = score(lambda pairs: ["neutral"] * len(pairs), SHIPPED, name="part", limit_seeds=10)
    whole = dataclasses.replace(part, dataset=good.dataset)
    assert any("left_out.groups" in problem for problem in check(data, whole))


def test_a_result_on_other_data_is_found(data: MergeDataset, make_dataset: MakeDataset, tmp_path: Path) -> None:
    other = score(lambda pairs: ["neutral"] * len(pairs), make_dataset(tmp_path / "other", seeds=4), name="other")
    assert "digest" in check(data, other)[0]
    claimed = dataclasses.replace(other, dataset=dataclasses.replace(other.dataset, digest=data.digest))
    assert "is not in config all" in check(data, claimed)[0]


def test_copies_are_found(results: list[Result], data: MergeDataset) -> None:
    hasty, careful, small, *_ = results
    renamed = dataclasses.replace(careful, model=dataclasses.replace(careful.model, name="org/new", digest="1" * 64))
    assert check(data, renamed, careful=careful) == [f"has the same answers as {file_name(careful)}"]
    again = dataclasses.replace(small, model=dataclasses.replace(small.model, digest=careful.model.digest))
    assert check(data, again, careful=careful) == [f"is of the same model as {file_name(careful)}"]
    files = written(careful) | written(renamed)
    assert [bool(problems) for problems in check_files(files, {}, [data]).values()] == [False, True]
    assert check(data, hasty, careful=careful, small=small) == []


def test_two_answers_to_one_pair_are_found(data: MergeDataset, good: Result) -> None:
    config = read_config(data, "all")
    order = np.argsort(config.row_groups, kind="stable")
    counts = {pair: np.flatnonzero(config.row_pairs == pair) for pair in config.row_pairs.tolist()}
    repeated = next((places for places in counts.values() if len(places) > 1), None)
    if repeated is None:  # no pair of the bundled data set repeats: repeat one
        changed = config.row_pairs.copy()
        changed[order[1]] = changed[order[0]]
        config = dataclasses.replace(config, row_pairs=changed)
        repeated = order[:2]
    seed = int(config.row_groups[repeated[0]])
    own = np.flatnonzero(config.row_groups == seed).tolist()
    answers = list(good.groups.predictions[seed])
    answers[own.index(int(repeated[0]))], answers[own.index(int(repeated[1]))] = "0", "1"
    predictions = (
        *good.groups.predictions[:seed],
        "".join(answers),
        *good.groups.predictions[seed + 1 :],
    )
    forged = unchecked(good, groups=dataclasses.replace(good.groups, predictions=predictions))
    with pytest.raises(InputError, match="two different answers"):
        list(differences(forged, config))


def test_a_missing_warning_is_found(results: list[Result], data: MergeDataset) -> None:
    neutral = results[4]
    assert neutral.notes[-1].startswith("warning")
    assert "notes" in check(data, dataclasses.replace(neutral, notes=()))[0]
    assert check(data, neutral) == []


@pytest.mark.parametrize("added", ["Best model ever, see http://spam.example", "labels given as neutral"])
def test_a_note_that_the_answers_do_not_give_is_found(
    results: list[Result], good: Result, data: MergeDataset, added: str
) -> None:
    assert good.notes == ()
    [problem] = check(data, dataclasses.replace(good, notes=(added,)))
    assert problem.startswith("notes is")
    warned = results[4]
    [problem] = check(data, dataclasses.replace(warned, notes=(f"{warned.notes[0]}. {added}",)))
    assert problem.startswith("notes.0 is")


def test_the_notes_of_results_pass(data: MergeDataset) -> None:
    def two_way(pairs: Sequence[tuple[str, str]]) -> list[str | None]:
        return [None if len(premise) % 9 == 0 else "not_entailment" for premise, _ in pairs]

    result = score(two_way, SHIPPED, name="two-way")
    assert [note.split(":")[0][:12] for note in result.notes] == ["two-way mode", "no answer to", "warning"]
    assert check(data, result) == []


def test_the_name_of_a_file_is_checked(good: Result, data: MergeDataset) -> None:
    assert check(data, to_json(good), "best.json") == [f"is not named {file_name(good)}"]
    assert "is not a result" in check_files({"x.json": b"{"}, {}, [data])["x.json"][0]


def test_invented_answers_pass_as_the_page_says(good: Result, data: MergeDataset) -> None:
    """No check of a file can find answers that no model gave."""
    table, config = good.groups, read_config(data, "all")
    answers = tuple(str(good.compared_labels.index(gold)) * len(each) for gold, each in answers_by_gold(good))
    perfect = unchecked(good, groups=dataclasses.replace(table, anchors=tuple(gold_of(good)), predictions=answers))
    predicted = answers_of(perfect, config)
    invented = unchecked(perfect, scores=scores(predicted), **fields_of(predicted, config))
    assert check(data, invented) == []
    assert "Invented answers pass it" in LIMITS
