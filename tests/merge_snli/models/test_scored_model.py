"""Names and training data of models to score."""

from __future__ import annotations

from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.models.finding import find_model
from merge_snli.models.scored_model import name_models, read_training_data


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a/x/last", "b/x/last", "c/y/last", "runs/lr=0.1", "other"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["a/x/last"], {"last": "a/x/last"}),
        (["a/x/last", "./a/x/last"], {"last": "a/x/last"}),
        (["a/x/last", "c/y/last"], {"x/last": "a/x/last", "y/last": "c/y/last"}),
        (["a/x/last", "b/x/last", "c/y/last"], {"a/x/last": "a/x/last", "b/x/last": "b/x/last", "y/last": "c/y/last"}),
        (["first=a/x/last", "b/x/last"], {"first": "a/x/last", "last": "b/x/last"}),
        (["runs/lr=0.1", "runs/lr=0.2"], {"lr=0.1": "runs/lr=0.1", "runs/lr=0.2": "runs/lr=0.2"}),
        (["org/m@v1", "org/m@v2", "demo:nli-a", "org/m@v1"], {n: n for n in ("org/m@v1", "org/m@v2", "demo:nli-a")}),
    ],
)
def test_names(arguments: list[str], named: dict[str, str]) -> None:
    assert name_models(arguments) == named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m=a/x/last", "m=other"], r"named m \(a/x/last and other\)"),
        (["other", "other=a/x/last"], r"named other \(other and a/x/last\)"),
        (["m=gone"], "'m=gone'"),
        (["=other"], "'=other'"),
    ],
)
def test_equal_names_and_missing_folders_are_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        name_models(arguments)


@pytest.mark.parametrize(
    ("card", "named"),
    [
        (None, None),
        ("no metadata", None),
        ("---\nlicense: mit\n---\n", None),
        ("---\ndatasets: []\n---\n", None),
        ("---\ndatasets: snli\n---\n", ("snli",)),
        ("---\ndatasets:\n- snli\n- nyu-mll/multi_nli\n---\n", ("snli", "nyu-mll/multi_nli")),
        ("---\ndatasets: {a: 1}\n---\n", None),
    ],
)
def test_training_data_in_a_card(tmp_path: Path, card: str | None, named: tuple[str, ...] | None) -> None:
    if card is not None:
        (tmp_path / "README.md").write_text(card, encoding="utf-8")
    assert read_training_data(tmp_path) == named


def test_damaged_card_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "README.md").write_text("---\ndatasets: [\n---\n", encoding="utf-8")
    assert read_training_data(tmp_path) is None
    assert "README.md" in caplog.text


def test_embedded_models_name_their_training_data() -> None:
    assert read_training_data(find_model("demo:nli-a").path) == ("stanfordnlp/snli", "nyu-mll/multi_nli")
