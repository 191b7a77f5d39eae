"""Fine-tune one classifier with transformers' Trainer, resuming from its last checkpoint, and write its card."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import torch
import yaml
from torch.utils.data import Sampler
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
    set_seed,
)
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import write_json
from merge_snli.dataset.label_spellings import canonical_names
from merge_snli.models.finding import ResolvedModel, find_device
from merge_snli.models.runner.loading import max_length as model_limit
from merge_snli.models.runner.loading import output_names
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.problem import Problem
from merge_snli.schema import NLI_LABELS
from training.finetuning.data import epoch_batches
from training.finetuning.options import RECORD, FinetuneOptions

logger = logging.getLogger(__name__)

# The model inputs and the label of an example.
Row: TypeAlias = dict[str, Any]

# The file that Trainer writes last, so that a checkpoint without it is incomplete.
TRAINER_STATE = "trainer_state.json"

TEMPLATE = Path(__file__).with_name("card.md")
UNKNOWN = "unknown"


class LengthSampler(Sampler[int]):
    """Yields examples so that those of a batch have similar lengths; the order depends on seed and epoch only.

    Trainer's own sampler by length depends on the state of the random generator, which a resumed run does not restore
    at the beginning of an epoch.
    """

    def __init__(self, lengths: list[int], batch_size: int, seed: int) -> None:
        """Set up the sampler; see `epoch_batches`."""
        self._lengths, self._batch_size, self._seed = lengths, batch_size, seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch; Trainer calls it at the beginning of each."""
        self._epoch = epoch

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        """Yield the items of the epoch's batches; a batch with fewer items is the last one."""
        shares = [1.0] * len(self._lengths)
        batches = epoch_batches(self._lengths, shares, self._batch_size, seed=self._seed, epoch=self._epoch)
        for batch in sorted(batches, key=len, reverse=True):
            yield from batch


class LengthTrainer(Trainer):
    """A Trainer with batches of similar lengths."""

    def _get_train_sampler(self, train_dataset: Any = None) -> LengthSampler:  # noqa: ANN401 - as in Trainer
        rows: Any = self.train_dataset if train_dataset is None else train_dataset
        return LengthSampler([len(row["input_ids"]) for row in rows], self.args.train_batch_size, self.args.seed)


def finetune(
    base: ResolvedModel,
    examples: Sequence[Problem],
    held_out: Sequence[Problem],
    options: FinetuneOptions,
    *,
    seed: int,
    checkpoints: Path,
    record: dict[str, Any],
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase, float | None]:
    """Fine-tune a classifier.

    Args:
        base: The model to start from. A new head is initialized unless it has the three labels of NLI.
        examples: The training examples.
        held_out: Examples for evaluation; may be empty.
        options: The options of the run.
        seed: The seed of the new head, the order of the examples, and dropout.
        checkpoints: The folder for checkpoints; training resumes from the last complete one.
        record: What determines the model, for the folder for checkpoints.

    Returns:
        The model, its tokenizer, and its accuracy on the held-out examples; None without any.

    Raises:
        InputError: If the maximum length is above the model's limit, or all training examples are longer. Nothing is
            written then.
    """
    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(base.tokenizer_path)
    model = load_classifier(base.path)
    max_length, limit = options.recipe.max_length, model_limit(model, tokenizer)
    if limit is not None and max_length > limit:
        raise InputError(
            f"{param('max_length')} is {max_length}, but {base.name} takes at most {limit} tokens: pass {limit} or less"
        )
    labels = output_names(model.config)
    encoded = encode(examples, tokenizer, labels, max_length)
    encoded_held_out = encode(held_out, tokenizer, labels, max_length)
    check_truncated(examples, encoded, tokenizer, max_length)
    if not checkpoints.exists():
        write_json(checkpoints / RECORD, record)
    arguments = training_arguments(options, seed, checkpoints)
    if arguments.use_cpu:
        # On short sentences, eager attention trains 25% faster on a CPU than the fused kernel.
        model.set_attn_implementation("eager")
    collator = DataCollatorWithPadding(tokenizer)
    trainer = LengthTrainer(model, arguments, train_dataset=encoded, data_collator=collator)
    trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
    accuracy = _accuracy(trainer, encoded_held_out) if held_out else None
    return model, tokenizer, accuracy


def load_classifier(folder: Path) -> PreTrainedModel:
    """Load a classifier with the three labels of NLI.

    A head for another number of labels is initialized again. A head for three other labels is kept and renamed.
    """
    known = canonical_names(output_names(AutoConfig.from_pretrained(folder))) or ()
    labels = known if len(known) == len(NLI_LABELS) else NLI_LABELS
    model: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(
        folder,
        dtype=torch.float32,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
    return model


def encode(
    examples: Sequence[Problem], tokenizer: PreTrainedTokenizerBase, labels: Sequence[str], max_length: int
) -> list[Row]:
    """Tokenize examples.

    Args:
        examples: The examples.
        tokenizer: The model's tokenizer.
        labels: The model's labels in the order of its outputs.
        max_length: Longer pairs are truncated, the longer sentence first.
    """
    if not examples:
        return []
    premises = [example.premise for example in examples]
    hypotheses = [example.hypothesis for example in examples]
    columns = tokenizer(premises, hypotheses, truncation=True, max_length=max_length)
    rows: list[Row] = []
    for number, example in enumerate(examples):
        row = {name: values[number] for name, values in columns.items()}
        row["labels"] = labels.index(NLI_LABELS[example.label])
        rows.append(row)
    return rows


def check_truncated(
    examples: Sequence[Problem], rows: Sequence[Row], tokenizer: PreTrainedTokenizerBase, max_length: int
) -> None:
    """Log how many examples were truncated.

    Args:
        examples: The examples.
        rows: Their tokens.
        tokenizer: The model's tokenizer.
        max_length: The maximum number of tokens.
    """
    full = [example for example, row in zip(examples, rows, strict=True) if len(row["input_ids"]) >= max_length]
    pairs = [(example.premise, example.hypothesis) for example in full]
    lengths = []
    if pairs:
        lengths = [len(tokens) for tokens in tokenizer(pairs, verbose=False)["input_ids"]]
    longer = sum(length > max_length for length in lengths)
    if longer == len(examples):
        raise InputError(
            f"{param('max_length')} is {max_length}, but all {longer:,} training pairs are longer, the shortest has "
            f"{min(lengths)} tokens: pass a larger number"
        )
    if longer:
        logger.info("%d of %d training pairs are longer than %d tokens: truncated", longer, len(examples), max_length)


def training_arguments(options: FinetuneOptions, seed: int, checkpoints: Path) -> TrainingArguments:
    """Return the arguments of Trainer for a run."""
    recipe = options.recipe
    return TrainingArguments(
        output_dir=str(checkpoints),
        learning_rate=recipe.learning_rate,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=2 * recipe.batch_size,
        weight_decay=recipe.weight_decay,
        warmup_steps=recipe.warmup,
        bf16=options.dtype == "bfloat16",
        use_cpu=find_device(None) == "cpu",
        seed=seed,
        save_steps=options.save_every,
        save_total_limit=1,
        logging_steps=100,
        report_to="none",
    )


def last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint in a folder, or None."""
    complete = (path.parent for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*/{TRAINER_STATE}"))
    last = max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
    if last is None:
        return None
    logger.info("resuming from %s", last)
    return str(last)


def _accuracy(trainer: Trainer, rows: list[Row]) -> float:
    ordered: Any = sorted(rows, key=lambda row: len(row["input_ids"]))
    predicted = trainer.predict(ordered)
    logits = predicted.predictions
    if isinstance(logits, tuple):
        logits = logits[0]
    return float((logits.argmax(axis=-1) == predicted.label_ids).mean())


def card_text(record: dict[str, Any], model: PreTrainedModel, accuracy: float | None, *, name: str) -> str:
    """Return the card of a model.

    Args:
        record: The record of the training; see `training.finetune.record_of`.
        model: The model.
        accuracy: Its accuracy on the held-out problems; None without any.
        name: The name of the model.
    """
    template = TEMPLATE.read_text(encoding="utf-8")
    metadata = yaml.safe_dump(_metadata(record), sort_keys=False)
    training = [f"| {key.replace('_', ' ')} | {value} |" for key, value in record["training"].items()]
    return template.format(
        metadata=metadata.strip(),
        name=name,
        labels=", ".join(output_names(model.config)),
        base=record["base"]["name"],
        sources="\n".join(map(_source_row, record["sources"])),
        license=_license(record),
        training="\n".join(training),
        evaluation=_evaluation(record["held_out"], accuracy),
    )


def _source_row(source: dict[str, Any]) -> str:
    about = f"{source['used']:,} | {source['copies']} | {source['license'] or UNKNOWN}"
    return f"| {source['name']} | {about} | `{source['digest'][:16]}` |"


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if record["license"]:
        metadata["license"] = record["license"]
    metadata["language"] = "en"
    metadata["library_name"] = "transformers"
    metadata["pipeline_tag"] = "text-classification"
    base = record["base"]["name"]
    if "/" in base:
        metadata["base_model"] = base
    on_the_hub = [source["name"] for source in record["sources"] if known_dataset(source["name"])]
    if on_the_hub:
        metadata["datasets"] = on_the_hub
    return metadata


def _license(record: dict[str, Any]) -> str:
    if record["license"]:
        return f"The weights are derived from these data and the base model. They are under {record['license']}."
    return (
        "The license of the weights was not set (`--license`). It must allow for the licenses of the data and of the "
        "base model: look them up before you share the weights."
    )


def _evaluation(held_out: int, accuracy: float | None) -> str:
    if accuracy is None:
        return "None: no problems were held out."
    return f"Accuracy on the {held_out:,} held-out problems of the sources: {accuracy:.1%}."
