"""Pattern accuracy in a Trainer's log, equal to what `score` says of the same weights."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    EarlyStoppingCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from merge_snli import score
from merge_snli.embedded import FOLDER
from merge_snli.scoring import callbacks
from merge_snli.scoring.callbacks import PatternAccuracyCallback
from tests.oracles import BUNDLED, refused

pytest.importorskip("accelerate", reason="Trainer needs accelerate")


def trainer_of(
    folder: Path,
    *,
    tokenizer: bool = True,
    callbacks: list[TrainerCallback] | None = None,
    **options: Any,  # noqa: ANN401 - as TrainingArguments takes them
) -> Trainer:
    model = AutoModelForSequenceClassification.from_pretrained(FOLDER / "nli-b", dtype="float32")
    words = AutoTokenizer.from_pretrained(FOLDER / "nli-b")
    rows: list[dict[str, Any]] = [
        {**words(f"A dog runs {number}.", "A dog moves."), "labels": number % 3} for number in range(8)
    ]
    usual = {"max_steps": 3, "learning_rate": 0.0, "save_strategy": "no", "per_device_train_batch_size": 4}
    arguments = TrainingArguments(
        output_dir=str(folder), report_to="none", use_cpu=True, disable_tqdm=True, **{**usual, **options}
    )
    processing_class = words if tokenizer else None
    return Trainer(
        model, arguments, train_dataset=rows, eval_dataset=rows, processing_class=processing_class, callbacks=callbacks
    )


@pytest.mark.slow
def test_the_log_has_the_scores_of_the_model_every_few_steps_and_at_the_end(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    trainer.add_callback(PatternAccuracyCallback(trainer, BUNDLED, every=2, limit_seeds=6))
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_pattern_accuracy" in entry]
    assert [entry["step"] for entry in logged] == [2, 3]
    assert isinstance(trainer.model, torch.nn.Module) and trainer.model.training
    expected = score("demo:nli-b", BUNDLED, limit_seeds=6, subsample=0).scores  # the learning rate is 0
    for entry in logged:
        assert entry["eval_pattern_accuracy"] == expected.pattern_accuracy.mean
        assert entry["eval_variant_accuracy"] == pytest.approx(expected.sample_accuracy.mean)
        assert entry["eval_seed_accuracy"] == expected.seed_accuracy
        assert entry["eval_qt"] == pytest.approx(expected.qt)


def test_pattern_accuracy_selects_the_best_checkpoint_and_stops_early(tmp_path: Path) -> None:
    trainer = trainer_of(
        tmp_path, callbacks=[EarlyStoppingCallback(1)], metric_for_best_model="pattern_accuracy", max_steps=9,
        learning_rate=0.1, load_best_model_at_end=True, eval_strategy="steps", save_strategy="steps", eval_steps=1,
        save_steps=1, warmup_steps=1,
    )  # fmt: skip
    trainer.add_callback(PatternAccuracyCallback(trainer, BUNDLED, every=2, limit_seeds=6))
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_pattern_accuracy" in entry]
    values = [entry["eval_pattern_accuracy"] for entry in logged]
    assert [entry["step"] for entry in logged] == [1, 2, 2]  # the last entry is of the checkpoint that was selected
    assert values[0] > values[1]
    assert trainer.state.best_metric == values[0] == values[2]
    assert trainer.evaluate()["eval_pattern_accuracy"] == values[0]


@pytest.mark.parametrize(
    ("tokenizer", "options", "message"),
    [
        (True, {"every": 0}, "every is 0"),
        (True, {"every": "x"}, "every is 'x', of type str: give int"),
        (True, {"subsample": 10}, "subsample is 10"),
        (True, {"model_labels": "infer"}, "model_labels='infer' is not possible"),
        (True, {"model_labels": "entailment,neutral"}, "model_labels"),
        (False, {}, "processing_class=tokenizer"),
    ],
)
def test_bad_options_are_named(tmp_path: Path, tokenizer: bool, options: dict[str, Any], message: str) -> None:
    refused(message, PatternAccuracyCallback, trainer_of(tmp_path, tokenizer=tokenizer), BUNDLED, **options)


def test_padded_batches_have_a_limit() -> None:
    lengths = [20] * 1_000 + [512]
    batches = callbacks._batches(lengths)
    assert sorted(pair for batch in batches for pair in batch) == list(range(1_001))
    assert all(len(batch) * max(lengths[pair] for pair in batch) <= callbacks.TOKENS_PER_BATCH for batch in batches)
