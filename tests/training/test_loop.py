"""The parts of training: data, masking, steps, and measures."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from merge_snli.problems.problem import Problem
from tests.oracles import missing_from, refused
from training import loop
from training.base import Base, check_digest, layer_weights
from training.finetuning.data import epoch_batches
from training.loop import LoopRecipe, batches_of, rate_at, train
from training.measure import as_table, card_text, main, with_minimums
from training.mlm import (
    IGNORED,
    MASK_SHARE,
    OPEN_RATE,
    OTHER_RATE,
    RANDOM_SHARE,
    choice_rates,
    mask_batch,
    masked_lm_sentences,
)
from training.script import (
    HELD_OUT,
    MNLI_DEV,
    SNLI_DEV,
    SNLI_TEST,
    held_out_problems,
    training_problems,
    unique_sentences,
    with_stops,
)
from training.train import MODELS

RECIPE = LoopRecipe(steps=6, learning_rate=1e-2, batch_size=2, seed=5, head_scale=3.0)


def tiny_model() -> BertForSequenceClassification:
    torch.manual_seed(0)
    config = BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    return BertForSequenceClassification(config)


def trained(checkpoint: Path, stop_at: int | None = None) -> BertForSequenceClassification:
    model = tiny_model()

    def loss_of(step: int, items: list[int]) -> torch.Tensor:
        if step == stop_at:
            raise KeyboardInterrupt
        ids = torch.full((2, 3), items[0] + step + 1)
        loss: torch.Tensor = model(input_ids=ids, labels=torch.tensor([step % 2, 0])).loss
        return loss

    train(model, loss_of, batches_of([3, 3, 3, 3], [1.0] * 4, RECIPE), RECIPE, checkpoint)
    return model


@pytest.mark.usefixtures("one_thread")
def test_resumed_training_gives_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "SAVE_EVERY", 2)
    whole = trained(tmp_path / "whole.pt")
    refused("", trained, tmp_path / "broken.pt", stop_at=5, error=KeyboardInterrupt)
    resumed = trained(tmp_path / "broken.pt")
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[name], value, rtol=0, atol=0)


def test_learning_rates_have_warmup_and_decay() -> None:
    recipe = LoopRecipe(steps=100, learning_rate=1.0, batch_size=1, warmup=0.1)
    rates = [rate_at(step, recipe) for step in range(100)]
    assert rates[0] == pytest.approx(0.1) and max(rates) == rates[9] == 1.0
    assert rates[10:] == sorted(rates[10:], reverse=True) and rates[-1] == pytest.approx(1 / 90)


def test_the_batches_are_those_of_the_epochs_one_after_another() -> None:
    lengths, shares = [length % 7 for length in range(50)], [1.0] * 25 + [0.5] * 25
    recipe = LoopRecipe(steps=20, learning_rate=1.0, batch_size=8, seed=1)
    epochs = [epoch_batches(lengths, shares, 8, seed=1, epoch=epoch) for epoch in range(3)]
    batches = [batch for epoch in epochs for batch in epoch]
    assert list(islice(batches_of(lengths, shares, recipe), len(batches))) == batches
    assert epochs[0] != epochs[1]
    assert max(map(len, batches)) == 8


def test_an_epoch_has_each_item_at_most_once_according_to_its_share() -> None:
    batches = epoch_batches([1] * 1_000, [1.0] * 500 + [0.5] * 500, 64, seed=1, epoch=3)
    items = [item for batch in batches for item in batch]
    assert len(items) == len(set(items))
    assert set(range(500)) <= set(items)
    assert 200 < len(set(items) - set(range(500))) < 300


MASK, PAD = 4, 0


def rates_of(base: Base, text: str) -> dict[str, float]:
    encoding = base.tokenizer.encode(text)
    return dict(zip(encoding.tokens, choice_rates(text, encoding).tolist(), strict=True))


def test_open_class_words_of_one_piece_have_the_highest_rate(base: Base) -> None:
    rates = rates_of(base, "The dog jumps on a trampoline.")
    for rate, pieces in (
        (OPEN_RATE, ("dog", "jumps")),
        (OTHER_RATE, ("the", "on", ".", "tram", "##ine")),
        (0, ("[CLS]", "[SEP]")),
    ):
        assert {piece: rates[piece] for piece in pieces} == dict.fromkeys(pieces, rate)


def test_a_last_word_without_a_full_stop_is_never_chosen(base: Base) -> None:
    assert (rates_of(base, "The dog jumps")["jumps"], rates_of(base, "The dog jumps.")["jumps"]) == (0, OPEN_RATE)


def test_shares_of_a_large_batch() -> None:
    ids, _, targets = mask_batch(
        [np.arange(10, 60)] * 2_000,
        [np.full(50, 0.2)] * 2_000,
        np.random.default_rng(0),
        mask_id=MASK,
        pad_id=PAD,
        regular=np.arange(100, 200),
    )
    chosen = targets != IGNORED
    assert chosen.mean() == pytest.approx(0.2, abs=0.005)
    assert (ids[chosen] == MASK).mean() == pytest.approx(MASK_SHARE, abs=0.01)
    assert (ids[chosen] >= 100).mean() == pytest.approx(RANDOM_SHARE, abs=0.01)
    original = np.tile(np.arange(10, 60), (2_000, 1))
    np.testing.assert_array_equal(ids[~chosen], original[~chosen])
    np.testing.assert_array_equal(targets[chosen], original[chosen])


def test_every_sentence_has_a_target_and_padding_has_none() -> None:
    sentences = [np.array([7, 8, 9]), np.array([7, 8, 9, 10, 11])]
    rates = [np.array([0, 1e-6, 0]), np.array([0, 1e-6, 1e-6, 1e-6, 0])]
    for seed in range(20):
        _, attention, targets = mask_batch(
            sentences, rates, np.random.default_rng(seed), mask_id=MASK, pad_id=PAD, regular=np.arange(100, 200)
        )
        chosen = targets != IGNORED
        assert chosen.sum(axis=1).tolist() == [1, 1] and chosen[0, 1]
        assert attention.tolist() == [[1, 1, 1, 0, 0], [1] * 5]


FIGURES = {"top_1": 0.4, "top_200": 0.9, "forms": 1_234, "one_token": 0.95}


def test_a_missed_minimum_is_named() -> None:
    measured = with_minimums("mlm-wordpiece", FIGURES)
    assert measured["missed"] == ["top_200"]
    assert [row[1:] for row in as_table([measured]).rows] == [
        ("top_1", 0.4, 0.38, ""),
        ("top_200", 0.9, 0.92, "missed"),
    ]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_card(name: str) -> None:
    text = card_text(name, FIGURES if name.startswith("mlm") else {"accuracy": 0.7812, "problems": 9_824})
    assert text.startswith("---\nlicense: cc-by-sa-4.0\n")
    assert [
        each
        for each in (f"python -m training.train {name} --data DIR", "40.0%" if name.startswith("mlm") else "78.1%")
        if each not in text
    ] == []


def test_missing_data_exits_with_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["measure", "--data", str(tmp_path)])
    refused("2", main, error=SystemExit)
    assert not missing_from(capsys.readouterr().err, str(tmp_path / "snli" / "test.jsonl"), "--data")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("other.safetensors", r"other\.safetensors.* \w{64}.* 53aa5117.*pip install"),
        ("missing.safetensors", r"missing\.safetensors"),
    ],
)
def test_weights_that_are_missing_or_have_another_digest_are_an_error(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "other.safetensors").write_bytes(b"other weights")
    refused(message, check_digest, tmp_path / name)


def test_layer_weights_has_all_weights_of_the_first_layers(base: Base) -> None:
    names = layer_weights(base, 2).keys()
    assert {name.split(".")[2] for name in names} == {"0", "1"} and len(names) == 2 * 16


EXTRA = 20


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """A data folder with numbered problems."""
    for name in (SNLI_DEV, MNLI_DEV, SNLI_TEST):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        rows = [
            {"premise": f"{path.stem} premise {row}.", "hypothesis": f"{path.stem} guess {row}", "label": "neutral"}
            for row in range(HELD_OUT + EXTRA)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_the_last_1500_are_held_out(numbered: Path) -> None:
    trained, held_out = training_problems(numbered, SNLI_DEV), held_out_problems(numbered, SNLI_DEV)
    assert [problem.premise for problem in trained] == [f"dev premise {row}." for row in range(EXTRA)]
    assert len(held_out) == HELD_OUT
    assert not {problem.premise for problem in trained} & {problem.premise for problem in held_out}


def test_snli_test_is_never_trained_on(numbered: Path) -> None:
    refused(SNLI_TEST, training_problems, numbered, SNLI_TEST)
    assert not any("test" in sentence for sentence in masked_lm_sentences(numbered))


def test_a_missing_data_folder_is_an_error(tmp_path: Path) -> None:
    refused(r"nowhere.snli.dev\.jsonl.* as data DIR", training_problems, tmp_path / "nowhere", SNLI_DEV)


@pytest.mark.slow
def test_masked_lms_are_not_trained_on_held_out_sentences(data: Path) -> None:
    held_out = unique_sentences(held_out_problems(data, SNLI_DEV) + held_out_problems(data, MNLI_DEV))
    assert not set(held_out) & set(masked_lm_sentences(data))


def test_sentences_are_unique_and_stripped() -> None:
    problems = [Problem("1", "A dog runs. ", "A dog", 0), Problem("2", "A dog runs.", "A cat", 0)]
    assert unique_sentences(problems) == ["A dog runs.", "A dog", "A cat"]


def test_every_second_sentence_without_a_full_stop_gets_one() -> None:
    assert with_stops(["a", "b", "c.", "d", "e?"]) == ["a.", "b", "c.", "d.", "e?"]
