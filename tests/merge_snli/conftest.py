"""Fixtures that write small data sets and tiny models without using `scoring`."""

import hashlib
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from merge_snli.dataset.record import DataRecord, MaskedLMRecord
from merge_snli.dataset.record_file import encode_record, read_record
from merge_snli.dataset.stored import RUN_FILE
from tests.records import save_record

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from merge_snli import schema
from merge_snli.models.labels import Pair
from tests.oracles import BUNDLED, gold_of

SYLLABLES = [first + second for first in "bdfgklmnprst" for second in "aeiou"]
CLASSES = ("noun", "verb", "adj")
DRAWN = 20
SUBSAMPLES = 10

MakeDataset = Callable[..., Path]
MakeModel = Callable[..., Path]


@pytest.fixture(scope="session", autouse=True)
def quiet_and_single_threaded() -> None:
    """Disable progress bars and use one thread, which is fastest for tiny models."""
    import datasets
    import torch
    from transformers.utils import logging

    torch.set_num_threads(1)
    datasets.disable_progress_bars()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Word:
    """A shared word of a seed with its class."""

    word_class: str
    form: str


def random_words(count: int, seed: int) -> list[str]:
    chosen = random.Random(seed)
    return ["".join(chosen.choices(SYLLABLES, k=2)) for _ in range(count)]


def seed_rows(count: int, n_labels: int) -> Iterator[tuple[dict[str, Any], list[Word]]]:
    """Yield seed problems: every second with a noun, every third a verb, every fifth an adjective, others a noun."""
    for index in range(count):
        noun, verb, adj, place = random_words(4, index)
        words = []
        for word, every in ((Word("noun", noun), 2), (Word("verb", verb), 3), (Word("adj", adj), 5)):
            if index % every == 0:
                words.append(word)
        row = {
            "seed_id": f"s{index:03}",
            "premise": f"A {adj} {noun} may {verb} near the {place}" + " and the river" * (index % 4) + ".",
            "hypothesis": f"The {adj} {noun} can {verb}{' not' * (index % 3)}.",
            "label": index % n_labels,
        }
        yield row, words or [Word("noun", noun)]


def offsets(sentence: str, word: str, replacement: str) -> list[int]:
    """Return where the replacements of a word start once all are replaced."""
    longer = len(replacement) - len(word)
    return [match.start() + at * longer for at, match in enumerate(re.finditer(re.escape(word), sentence))]


def variant_rows(seed: dict[str, Any], words: Sequence[Word], *, drawn: int) -> Iterator[dict[str, Any]]:
    for word in words:
        chosen = random_words(drawn + 8, len(seed["seed_id"]) + hash_of(seed["seed_id"], word.form))
        replacements = sorted(set(chosen))
        draws = []
        for index in range(SUBSAMPLES):
            draws.append(set(random.Random(f"{seed['seed_id']}{word.form}{index}").sample(replacements, drawn)))
        for replacement in replacements:
            row: dict[str, Any] = {
                "variant_id": f"{seed['seed_id']}:{word.word_class}:{word.form}:{replacement}",
                "seed_id": seed["seed_id"],
                "label": seed["label"],
                "word_class": word.word_class,
                "original": word.form,
                "replacement": replacement,
                "log_odds": 0.5,
                "subsamples": [index for index, draw in enumerate(draws) if replacement in draw],
            }
            for side in ("premise", "hypothesis"):
                row[side] = seed[side].replace(word.form, replacement)
                row[f"seed_{side}"] = seed[side]
                row[f"{side}_offsets"] = offsets(seed[side], word.form, replacement)
                row[f"{side}_mlms"] = ["tiny"]
            yield row


def hash_of(*texts: str) -> int:
    return int(hashlib.sha256("\0".join(texts).encode()).hexdigest()[:6], 16)


def write_split(folder: Path, config: str, split: str, rows: list[dict[str, Any]], label_names: Sequence[str]) -> None:
    path = folder / schema.data_file(config, split)
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = schema.features(config, label_names).arrow_schema
    pq.write_table(pa.Table.from_pylist(rows, schema=columns), path)


@pytest.fixture(scope="session")
def make_dataset() -> MakeDataset:
    """Return a function that writes a data set: `make_dataset(folder, seeds=12, label_names=…, change=…)`."""

    def make(
        folder: Path,
        *,
        seeds: int = 12,
        drawn: int = DRAWN,
        label_names: Sequence[str] = schema.NLI_LABELS,
        change: Callable[[dict[str, Any], list[dict[str, Any]]], None] | None = None,
    ) -> Path:
        problems = []
        variants = []
        for seed, words in seed_rows(seeds, len(label_names)):
            rows = list(variant_rows(seed, words, drawn=drawn))
            if change is not None:
                change(seed, rows)
            problem = dict(seed)
            for name in CLASSES:
                forms = [word.form for word in words if word.word_class == name]
                problem[f"{name}_words"] = forms
                problem[f"{name}_variants"] = [sum(row["original"] == form for row in rows) for form in forms]
            problems.append(problem)
            variants += rows
        write_split(folder, "seed", "test", problems, label_names)
        for config in ("all", *CLASSES):
            rows = [row for row in variants if config in ("all", row["word_class"])]
            write_split(folder, config, "test", rows, label_names)
            for index in range(SUBSAMPLES):
                draw = [row for row in rows if index in row["subsamples"]]
                write_split(folder, config, f"subsample_{index}", draw, label_names)
        digest = hashlib.sha256(json.dumps([problems, variants], sort_keys=True).encode()).hexdigest()
        masked_lms = (MaskedLMRecord("tiny", None, "0" * 64),)
        data = DataRecord(digest, {})
        save_record(folder, title=folder.name, label_names=tuple(label_names), masked_lms=masked_lms, data=data)
        (folder / "README.md").write_text("# a small data set\n", encoding="utf-8")
        return folder

    return make


@pytest.fixture(scope="session")
def gold() -> dict[Pair, int]:
    """The number of the gold label of each pair of the bundled data set."""
    return gold_of(BUNDLED)


@pytest.fixture(scope="session")
def dataset(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set with three labels and 12 seeds, 20 variants per class in each of 10 subsamples."""
    return make_dataset(tmp_path_factory.mktemp("data") / "merge_small")


@pytest.fixture(scope="session")
def question_dataset(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same seeds as questions and sentences, with the labels no and yes."""
    folder = make_dataset(tmp_path_factory.mktemp("data") / "merge_questions", label_names=("no", "yes"))
    record = read_record(folder / RUN_FILE)
    options = {**record.options, "premise_column": "question", "hypothesis_column": "sentence"}
    (folder / RUN_FILE).write_bytes(encode_record(replace(record, options=options)))
    return folder


def wordpiece_tokenizer(limit: int | None) -> Any:  # noqa: ANN401 - untyped
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    from tests.tiny_models import trained_wordpiece

    tokenizer = trained_wordpiece(training_texts(), 160, ["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    limits = {} if limit is None else {"model_max_length": limit}
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_input_names=inputs, **names, **limits)  # type: ignore[no-untyped-call]


def byte_bpe_tokenizer(limit: int | None, *, pairs: bool = True) -> Any:  # noqa: ANN401 - untyped
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=360, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(training_texts(), trainer)
    if pairs:
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    limits = {} if limit is None else {"model_max_length": limit}
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"} | ({"pad_token": "<pad>"} if pairs else {})
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names, **limits)  # type: ignore[no-untyped-call]


def training_texts() -> list[str]:
    return [text for seed, _ in seed_rows(60, 3) for text in (seed["premise"], seed["hypothesis"])]


@pytest.fixture(scope="session")
def make_model() -> MakeModel:
    """Return a function that saves a random classifier: `make_model(folder, kind="bert", labels=(…), limit=…)`."""

    def make(
        folder: Path,
        *,
        kind: str = "bert",
        labels: Sequence[str] = ("contradiction", "entailment", "neutral"),
        limit: int | None = None,
        positions: int = 128,
        seed: int = 0,
    ) -> Path:
        import torch
        import transformers

        hf: Any = transformers
        torch.manual_seed(seed)
        tokenizer = wordpiece_tokenizer(limit) if kind == "bert" else byte_bpe_tokenizer(limit, pairs=kind != "gpt2")
        sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
        values: dict[str, Any] = {"vocab_size": len(tokenizer), "initializer_range": 0.7}
        values |= {"id2label": dict(enumerate(labels)), "label2id": {name: at for at, name in enumerate(labels)}}
        if kind == "bert":
            values |= {"max_position_embeddings": positions, **sizes}
        elif kind == "roberta":
            values |= {"max_position_embeddings": positions + 2, "type_vocab_size": 1, **sizes}
            values |= {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
        else:
            values |= {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": positions}
            values |= {"bos_token_id": 0, "eos_token_id": 2}
        model = hf.AutoModelForSequenceClassification.from_config(hf.AutoConfig.for_model(kind, **values))
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def bert(make_model: MakeModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with the label order contradiction, entailment, neutral."""
    return make_model(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture(scope="session")
def roberta(make_model: MakeModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny RoBERTa with the labels ENTAILMENT, NEUTRAL, CONTRADICTION."""
    labels = ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
    return make_model(tmp_path_factory.mktemp("models") / "tiny-roberta", kind="roberta", labels=labels, seed=1)
