"""What a model's card says of its training data."""

from pathlib import Path

import pytest

from merge_snli.models.finding import find_model
from merge_snli.models.training_data import read_training_data


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
