"""Fixtures: results of functions on the bundled data set, some with names that try to inject markup."""

import copy
import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from merge_snli import Result, score
from merge_snli.answers.opening import open_config
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.seeds import read_texts
from tests.oracles import BUNDLED, always

SHIPPED = BUNDLED
SCRIPT = "<script>document.title='owned'</script>"
QUOTES = '"it\'s" </script><img src=x onerror="document.title=\'owned\'"> & {{ 7 * 7 }} \u2028'
Pair = tuple[str, str]


def chance(*parts: str) -> float:
    return int(hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8], 16) / 2**32


def noisy(name: str, gold: dict[Pair, int], errors: float) -> Callable[[list[Pair]], list[int]]:
    """Return a function that predicts a share of all pairs incorrectly, always the same ones."""

    def predict(pair: Pair) -> int:
        return (gold[pair] + 1 + (chance(name, pair[0]) < 0.5)) % 3 if chance(name, *pair) < errors else gold[pair]

    return lambda pairs: [predict(pair) for pair in pairs]


def named(result: Result, name: str, parameters: int | None, training: tuple[str, ...] | None) -> Result:
    digest = hashlib.sha256(name.encode()).hexdigest()
    model = dataclasses.replace(
        result.model, name=name, digest=digest, parameters=parameters, training_data=training, revision=None
    )
    return dataclasses.replace(result, model=model)


def unchecked(result: Result, **changes: Any) -> Result:  # noqa: ANN401 - fields of a result
    """Return a changed result that is not checked for contradictions."""
    changed = copy.copy(result)
    for name in ("row", "rows_by", "counted"):
        changed.__dict__.pop(name, None)
    for name, value in changes.items():
        object.__setattr__(changed, name, value)
    return changed


def data_of(page: str) -> Any:  # noqa: ANN401 - JSON
    """Return the data in a page."""
    return json.loads(page.partition('id="data">')[2].partition("</script>")[0])


@pytest.fixture(scope="session")
def results(gold: dict[Pair, int]) -> list[Result]:
    careful, hasty, small = (
        score(noisy(name, gold, errors), SHIPPED, name=name)
        for name, errors in (("careful", 0.04), ("hasty", 0.2), ("small", 0.06))
    )
    neutral = score(always("neutral"), SHIPPED, name="always neutral")
    nouns = score(noisy("careful", gold, 0.04), SHIPPED, config="noun", name="careful")
    return [
        named(hasty, "org/hasty-base", 110_000_000, ("snli",)),
        named(careful, "org/careful-large", 355_000_000, ("snli", "nyu-mll/multi_nli")),
        named(small, SCRIPT, 5_200_000, ("<b>snli</b>",)),
        named(dataclasses.replace(hasty, notes=(QUOTES,)), QUOTES, None, None),
        named(neutral, "always neutral", 190_000, None),
        named(nouns, "org/careful-large", 355_000_000, ("snli", "nyu-mll/multi_nli")),
    ]


@pytest.fixture(scope="session")
def boards(results: list[Result]) -> tuple[Board, ...]:
    return make_boards(results)


@pytest.fixture(scope="session")
def texts(boards: tuple[Board, ...]) -> dict[int, dict[str, Any]]:
    return {index: read_texts(open_config(SHIPPED, board.dataset.config)) for index, board in enumerate(boards)}


@pytest.fixture(scope="session")
def sourced(results: list[Result]) -> tuple[Board, ...]:
    """A board with two models, of which one was scored on the source of the data set."""
    neutral = score(always("neutral"), SHIPPED, name="always neutral", source="recorded")
    return make_boards([results[0], neutral])
