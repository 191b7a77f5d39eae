"""The models that are trained: NLI classifiers, masked LMs and their vocabularies."""

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    pipeline,
)

from merge_snli.base.files import read_json
from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS
from merge_snli.schema import NLI_LABELS
from tests.oracles import missing_from
from training.measure import REQUIRED
from training.start import (
    BPE_SPECIALS,
    SPECIALS,
    base_folder,
    base_ids,
    base_tokenizer,
    bert,
    cut_vocabulary,
    frequent_pieces,
    learn_bpe,
    roberta_masked_lm,
    student,
    wordpiece_tokenizer,
)
from training.train import MODELS, STUDENT_LABELS, main

BUNDLED = (*MASKED_LMS, *NLI_MODELS)
FILES = {"README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
MAX_MEGABYTES = 24
MAX_TOTAL_MEGABYTES = 64


@pytest.fixture(params=BUNDLED)
def folder(request: pytest.FixtureRequest) -> Path:
    """Each model folder."""
    return FOLDER / str(request.param)


def test_a_folder_has_a_model_a_tokenizer_and_a_card_but_no_code(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES


def test_sizes() -> None:
    sizes = []
    for name in BUNDLED:
        sizes.append(sum(path.stat().st_size for path in (FOLDER / name).iterdir()) / 1e6)
    assert max(sizes) <= MAX_MEGABYTES and sum(sizes) <= MAX_TOTAL_MEGABYTES


def test_weights_are_float16_and_finite(folder: Path) -> None:
    with safe_open(folder / "model.safetensors", "pt") as weights:
        for name in weights.keys():  # noqa: SIM118 - not a mapping
            tensor = weights.get_tensor(name)
            assert tensor.dtype == torch.float16
            assert bool(torch.isfinite(tensor).all()), name


@pytest.mark.parametrize("name", BUNDLED)
def test_no_weight_is_missing_or_unused(name: str, caplog: pytest.LogCaptureFixture) -> None:
    kind = AutoModelForMaskedLM if name in MASKED_LMS else AutoModelForSequenceClassification
    with caplog.at_level(logging.WARNING):
        model, report = kind.from_pretrained(FOLDER / name, dtype=torch.float32, output_loading_info=True)
    assert not any(report.values())
    assert not caplog.records
    tokenizer = AutoTokenizer.from_pretrained(FOLDER / name)
    assert tokenizer.is_fast and len(tokenizer) == model.config.vocab_size
    longest = tokenizer("word " * 2_000, truncation=True, return_tensors="pt")
    assert longest["input_ids"].shape[1] == tokenizer.model_max_length
    assert torch.isfinite(model(**longest).logits).all()


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("nli-a", ["entailment", "neutral", "contradiction"]),
        ("nli-b", ["contradiction", "entailment", "neutral"]),
    ],
)
def test_classifiers_have_different_label_orders(name: str, labels: list[str]) -> None:
    config = read_json(FOLDER / name / "config.json")
    assert list(config["id2label"].values()) == labels
    assert sorted(config["label2id"], key=config["label2id"].get) == labels


@pytest.mark.parametrize("name", NLI_MODELS)
def test_classifiers_predict_a_simple_case_of_each_label(name: str) -> None:
    classify = pipeline("text-classification", model=str(FOLDER / name), dtype=torch.float32)
    premise = "A man is playing a guitar on a stage."
    hypotheses = {
        "entailment": "A man is playing an instrument.",
        "neutral": "A famous man is playing for his friends.",
        "contradiction": "A man is sleeping at home.",
    }
    answers = classify([{"text": premise, "text_pair": hypothesis} for hypothesis in hypotheses.values()])
    assert [answer["label"] for answer in answers] == list(hypotheses)


def test_cards_name_data_licenses_and_training(folder: Path) -> None:
    front, text = (folder / "README.md").read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
    assert not missing_from(front, "license: cc-by-sa-4.0", "base_model: sentence-transformers/all-MiniLM-L6-v2")
    named = ("Out-of-scope use", "AllNLI", "Apache-2.0", "OANC", "python -m training.", "SNLI test")
    assert not missing_from(text, *named)
    assert folder.name in REQUIRED


VOCABULARY = {
    piece: place for place, piece in enumerate(["[unused1]", *SPECIALS, "a", "##b", "中", "dog", "cat", "##s"])
}
SENTENCES = ['A man says "dogs are well-dressed" to two men.'] * 3 + ["Men run."] * 2


def test_specials_come_first_then_characters_then_the_most_frequent() -> None:
    assert cut_vocabulary(VOCABULARY, {"cat": 2, "[unused1]": 9}, size=9) == [*SPECIALS, "a", "##b", "##s", "cat"]


def test_the_order_of_the_base_vocabulary_does_not_matter() -> None:
    reversed_order = dict(reversed(VOCABULARY.items()))
    counts = {"cat": 2, "dog": 2}
    assert cut_vocabulary(reversed_order, counts, size=9) == cut_vocabulary(VOCABULARY, counts, size=9)


def test_a_rare_word_is_split_into_characters(base: Tokenizer) -> None:
    pieces = cut_vocabulary(base.get_vocab(), {}, size=2_000)
    tokenizer = wordpiece_tokenizer(pieces)
    assert "[UNK]" not in tokenizer.tokenize("Zyzzyva’s café — £5, naïve?")
    assert tokenizer("a").input_ids == [pieces.index(piece) for piece in ("[CLS]", "a", "[SEP]")]


@pytest.mark.usefixtures("base")
def test_embeddings_and_layers_are_those_of_the_base_model() -> None:
    full = BertModel.from_pretrained(base_folder()).state_dict()
    pieces = frequent_pieces(["A dog on a trampoline"], 2_000)
    assert "tram" in pieces
    of_bert = bert(BertForMaskedLM, pieces, 2).bert.state_dict()
    of_roberta = roberta_masked_lm(["<mask>", "Ġdog", "Dog"], 2).roberta.state_dict()
    words = "embeddings.word_embeddings.weight"
    last = "encoder.layer.1.output.dense.weight"
    vocabulary = base_tokenizer().get_vocab()
    for piece in ("[MASK]", "dog", "##a"):
        torch.testing.assert_close(of_bert[words][pieces.index(piece)], full[words][vocabulary[piece]])
    for number, piece in enumerate(("[MASK]", "dog", "dog")):
        torch.testing.assert_close(of_roberta[words][number], full[words][vocabulary[piece]])
    torch.testing.assert_close(of_bert[last], full[last])
    torch.testing.assert_close(of_roberta[last], full[last])


def test_bpe_has_the_special_tokens_of_roberta() -> None:
    tokenizer = learn_bpe(SENTENCES, 320)
    assert tokenizer.convert_ids_to_tokens(list(range(5))) == list(BPE_SPECIALS)
    assert tokenizer.pad_token_id == 1
    ids = tokenizer("A <mask> says").input_ids
    assert ids[2] == tokenizer.mask_token_id
    assert tokenizer.convert_ids_to_tokens(ids)[3].startswith("Ġ")
    assert tokenizer.tokenize("Men")[0][0] == "M"


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("Ġdog", ["dog"]),
        ("Dog", ["dog"]),
        ("Ġtrampoline", ["tram", "##pol", "##ine"]),
        ("<mask>", ["[MASK]"]),
        ("Ġ", ["[UNK]"]),
    ],
)
def test_a_bpe_embedding_is_the_mean_of_those_of_base_pieces(base: Tokenizer, piece: str, expected: list[str]) -> None:
    assert [base.id_to_token(number) for number in base_ids(base, piece)] == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [([], list(MODELS)), (["all"], list(MODELS)), (["nli-b", "mlm-bpe"], ["nli-b", "mlm-bpe"])],
)
def test_the_named_models_are_trained_or_all_of_them(
    arguments: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[str] = []
    monkeypatch.setattr("training.train.train_model", lambda name, **_: trained.append(name))
    main(arguments)
    assert trained == expected


def test_a_student_has_embeddings_layers_and_head_of_its_teacher() -> None:
    sizes: dict[str, Any] = {"vocab_size": 10, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 8}
    labels = {label: number for number, label in enumerate(NLI_LABELS)}
    config = BertConfig(num_hidden_layers=3, id2label=dict(enumerate(NLI_LABELS)), label2id=labels, **sizes)
    teacher = BertForSequenceClassification(config)
    before = {name: value.clone() for name, value in teacher.state_dict().items()}
    after = student(teacher, (0, 2), STUDENT_LABELS)
    found = after.state_dict()
    words = "bert.embeddings.word_embeddings.weight"
    layer = "bert.encoder.layer.{}.output.dense.weight"
    torch.testing.assert_close(found[words], before[words])
    torch.testing.assert_close(found[layer.format(1)], before[layer.format(2)])
    for name in ("classifier.weight", "classifier.bias"):
        torch.testing.assert_close(found[name], before[name][[2, 0, 1]])
    assert after.config.id2label == dict(enumerate(STUDENT_LABELS))
    assert after.config.num_hidden_layers == 2
