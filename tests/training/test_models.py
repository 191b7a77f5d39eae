"""The models that are trained: NLI classifiers, masked LMs and their vocabularies."""

import json
import logging
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    pipeline,
)

from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS
from merge_snli.problems.problem import Problem
from merge_snli.schema import NLI_LABELS
from tests.oracles import refused
from training.base import Base, bert_config, bert_student
from training.loop import LoopRecipe
from training.measure import REQUIRED, megabytes
from training.nli import TrainingSet, gold_targets, pair_of, train_classifier
from training.train import MODELS, STUDENT_LABELS, load_teacher, main
from training.vocabulary import (
    BPE_SPECIALS,
    SPECIALS,
    base_ids,
    count_pieces,
    cut_embeddings,
    cut_vocabulary,
    learn_bpe,
    mapped_embeddings,
    piece_text,
    wordpiece_tokenizer,
)

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
    sizes = [megabytes(FOLDER / name) for name in BUNDLED]
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
    config = json.loads((FOLDER / name / "config.json").read_text(encoding="utf-8"))
    assert config["id2label"] == {str(place): label for place, label in enumerate(labels)}
    assert config["label2id"] == {label: place for place, label in enumerate(labels)}


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


@pytest.mark.parametrize("name", MASKED_LMS)
def test_masked_lms_fill_a_simple_sentence(name: str) -> None:
    fill = pipeline("fill-mask", model=str(FOLDER / name), dtype=torch.float32)
    mask = "[MASK]" if name == "mlm-wordpiece" else "<mask>"
    answers = fill(f"A man is playing a {mask} on a stage.", top_k=10)
    assert "guitar" in {answer["token_str"].strip() for answer in answers}


def test_word_boundaries_of_the_bpe() -> None:
    tokenizer = AutoTokenizer.from_pretrained(FOLDER / "mlm-bpe")
    assert tokenizer.tokenize("Men walk") == ["Men", "Ġwalk"]
    assert tokenizer.tokenize('the "dogs"') == ["the", 'Ġ"', "dogs", '"']
    spaced = tokenizer("A <mask> walks.").input_ids
    assert tokenizer.convert_ids_to_tokens(spaced) == ["<s>", "A", "<mask>", "Ġwalks", ".", "</s>"]


def test_cards_name_data_licenses_and_training(folder: Path) -> None:
    front, text = (folder / "README.md").read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
    assert [
        text
        for text in ("license: cc-by-sa-4.0", "base_model: sentence-transformers/all-MiniLM-L6-v2")
        if text not in front
    ] == []
    for words in ("Out-of-scope use", "AllNLI", "Apache-2.0", "OANC", "python -m training.", "SNLI test"):
        assert words in text
    assert folder.name in REQUIRED


VOCABULARY = {
    piece: place for place, piece in enumerate(["[unused1]", *SPECIALS, "a", "##b", "中", "dog", "cat", "##s"])
}
SENTENCES = {'A man says "dogs are well-dressed" to two men.': 3, "Men run.": 2}


def test_specials_come_first_then_characters_then_the_most_frequent() -> None:
    assert cut_vocabulary(VOCABULARY, {"cat": 2, "[unused1]": 9}, size=9) == [*SPECIALS, "a", "##b", "##s", "cat"]


def test_the_order_of_the_base_vocabulary_does_not_matter() -> None:
    reversed_order = dict(reversed(VOCABULARY.items()))
    counts = {"cat": 2, "dog": 2}
    assert cut_vocabulary(reversed_order, counts, size=9) == cut_vocabulary(VOCABULARY, counts, size=9)


def test_pieces_are_counted_with_the_weights_of_sentences(base: Base) -> None:
    assert count_pieces(base, {"a dog": 3.0, "dogs, a": 1.0}) == {"a": 4.0, "dog": 3.0, "dogs": 1.0, ",": 1.0}


def test_embeddings_match_their_pieces(base: Base) -> None:
    pieces = cut_vocabulary(base.tokenizer.get_vocab(), {"dog": 5.0}, size=2_000)
    embeddings = cut_embeddings(base, pieces)
    assert embeddings.shape == (2_000, 384)
    for piece in ("[MASK]", "dog", "##a"):
        torch.testing.assert_close(embeddings[pieces.index(piece)], base.words[base.tokenizer.token_to_id(piece)])


def test_a_rare_word_is_split_into_characters(base: Base) -> None:
    pieces = cut_vocabulary(base.tokenizer.get_vocab(), {}, size=2_000)
    tokenizer = wordpiece_tokenizer(pieces)
    assert "[UNK]" not in tokenizer.tokenize("Zyzzyva’s café — £5, naïve?")
    assert tokenizer("a").input_ids == [pieces.index(piece) for piece in ("[CLS]", "a", "[SEP]")]


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
        ("ing", ["##ing", "ing"]),
        ("Ġtrampoline", ["tram", "##pol", "##ine"]),
        ("<mask>", ["[MASK]"]),
        ("Ġ", ["[UNK]"]),
    ],
)
def test_a_bpe_embedding_is_the_mean_of_the_base_embeddings(base: Base, piece: str, expected: list[str]) -> None:
    assert [base.tokenizer.id_to_token(number) for number in base_ids(base, piece)] == expected
    torch.testing.assert_close(mapped_embeddings(base, [piece])[0], base.words[base_ids(base, piece)].mean(dim=0))


def test_piece_text_decodes_bytes() -> None:
    assert [*map(piece_text, ("Ġdog", "Ã©"))] == [" dog", "é"]


PROBLEMS = [
    Problem("1", "A dog runs. ", "A dog moves.", 0),
    Problem("2", "A dog runs. ", "A dog is fast.", 1),
    Problem("3", "A man sits.", "A man runs.", 2),
]


def test_gold_targets_are_in_the_label_order_of_the_model() -> None:
    assert gold_targets(PROBLEMS, STUDENT_LABELS).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


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


def test_a_missing_teacher_is_an_error(tmp_path: Path) -> None:
    refused(r"nli-a.* python -m training\.train nli-a", load_teacher, tmp_path / "nli-a")


def test_a_student_copies_embeddings_layers_and_head_of_its_teacher() -> None:
    teacher = BertForSequenceClassification(bert_config(10, 2, NLI_LABELS))
    student = bert_student(teacher, [3, 1], (1,), STUDENT_LABELS)
    of_teacher, of_student = teacher.state_dict(), student.state_dict()
    words, layer = "bert.embeddings.word_embeddings.weight", "bert.encoder.layer.{}.output.dense.weight"
    torch.testing.assert_close(of_student[words], of_teacher[words][[3, 1]])
    torch.testing.assert_close(of_student[layer.format(0)], of_teacher[layer.format(1)])
    torch.testing.assert_close(of_student["classifier.weight"], of_teacher["classifier.weight"][[2, 0, 1]])
    assert student.config.id2label == dict(enumerate(STUDENT_LABELS))


@pytest.mark.usefixtures("one_thread")
def test_a_tiny_classifier_learns_three_problems(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer([*SPECIALS, "a", "dog", "man", "runs", "moves", "sits", "is", "fast", "."])
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=0.2,
        id2label=dict(enumerate(STUDENT_LABELS)),
    )
    model = BertForSequenceClassification(config)
    pairs = [pair_of(problem) for problem in PROBLEMS]
    training_set = TrainingSet(pairs, gold_targets(PROBLEMS, STUDENT_LABELS), [1.0] * len(pairs))
    train_classifier(
        model, tokenizer, training_set, LoopRecipe(steps=60, learning_rate=1e-2, batch_size=3), tmp_path / "c.pt"
    )
    premises, hypotheses = zip(*pairs, strict=True)
    batch = tokenizer(list(premises), list(hypotheses), padding=True, return_tensors="pt")
    assert model(**batch).logits.argmax(dim=1).tolist() == [1, 2, 0]
