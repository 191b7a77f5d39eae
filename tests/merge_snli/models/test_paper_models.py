"""The thirteen models of the paper: the table against the paper, and tiny models of their shapes."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from peft import PeftModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

from merge_snli import score
from merge_snli.dataset.label_spellings import INFER
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.labels import INFERRED, TABLE, Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import (
    FAMILIES,
    PAPER_MLMS,
    PAPER_MODELS,
    PAPER_NAMES,
    PaperModel,
    family,
    paper_model,
)
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.predict import predict_pairs
from merge_snli.scoring.scored_model import model_from_name
from tests.cases import slow
from tests.conftest import paper_text
from tests.merge_snli.conftest import MakeModel
from tests.oracles import refused
from tests.predictors import logits_of
from tests.tiny_classifiers import save_classifier
from tests.tiny_models import as_pickle

hf: Any = transformers  # its configurations and models are made by name


def save_lora(folder: Path, base: Path) -> Path:
    """Save a LoRA adapter to a classifier's body, with a head of its own for three labels, and no tokenizer."""
    from peft import LoraConfig, TaskType, get_peft_model

    torch.manual_seed(7)
    plain = hf.AutoModelForSequenceClassification.from_pretrained(base, num_labels=3, ignore_mismatched_sizes=True)
    adapted: Any = get_peft_model(plain, LoraConfig(task_type=TaskType.SEQ_CLS, r=2, target_modules=["query", "value"]))
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name or "modules_to_save" in name:
                parameter.normal_(0, 0.5)
    adapted.save_pretrained(folder)
    return folder


def test_every_member_of_a_family_has_a_name() -> None:
    members = [name for group in FAMILIES for name in group]
    assert sorted(PAPER_NAMES) == sorted(members)
    assert {*members} > {*PAPER_MLMS}
    assert len({*PAPER_NAMES.values()}) == len(PAPER_NAMES)
    assert PAPER_NAMES["google-bert/bert-base-cased"] == "BERT-B"
    assert [*map(family, ("facebook/bart-base", "mine"))] == [("facebook/bart-base", "facebook/bart-large"), ("mine",)]


# The training sets that Table 3 abbreviates; S is the first of them.
SMFA = ("snli", "multi_nli", "fever", "anli")

auto_model: Any = AutoModelForSequenceClassification
NAMED = ModelOptions(model_labels=("entailment", "neutral", "contradiction"))
PAIRS: list[Pair] = [
    ("A man walks his dog near the river.", "A man is outside."),
    ("Two women sit on a bench and talk about the old house.", "Two women are asleep."),
    ("The small child eats.", "The child holds a red ball in the garden."),
    ("The small child eats.", "The child is small."),
]


def test_table_matches_the_paper() -> None:
    text = paper_text("merge-paper-pdf.txt")
    cards = dict(re.findall(r"^(\S+-(?:S|SMFA))\t(\S+/\S+)$", text, re.MULTILINE))
    scores = re.findall(r"^(\S+-(?:S|SMFA))\t[\d.]+\t", text, re.MULTILINE)
    spelled = {name.lower().replace("1.3b", "1-3b"): card for name, card in cards.items()}
    assert {model.paper_name.lower(): model.name for model in PAPER_MODELS} == spelled
    assert [model.paper_name for model in PAPER_MODELS] == scores
    for model in PAPER_MODELS:
        assert model.trained_on == (SMFA if model.paper_name.endswith("-SMFA") else SMFA[:1])


def test_rows_are_complete() -> None:
    assert len({model.name for model in PAPER_MODELS}) == len({model.paper_name for model in PAPER_MODELS}) == 13
    for model in PAPER_MODELS:
        assert model.labels == INFER or sorted(model.labels) == ["contradiction", "entailment", "neutral"]
    assert paper_model("nobody/nothing") is None


@pytest.mark.parametrize("model", PAPER_MODELS, ids=lambda model: model.paper_name)
def test_labels_are_known_without_names_in_the_config(
    model: PaperModel, make_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_model(tmp_path / "numbered", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    resolved = ResolvedModel(model.name, folder, "c0ffee", "0" * 64)
    monkeypatch.setattr("merge_snli.scoring.scored_model.find_model", lambda name, **_: resolved)
    record = model_from_name(model.name, ModelOptions()).record
    if model.paper_name == "OPT-1-3b-S":
        assert (record.labels, record.label_origin) == ((), INFERRED)
    else:
        expected = ("contradiction", "entailment", "neutral") if model.paper_name == "BERT-B-S" else NLI_LABELS
        assert (record.labels, record.label_origin) == (expected, TABLE)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny models of the architectures of the thirteen models, by the paper's names."""
    folder = tmp_path_factory.mktemp("paper")
    base = save_classifier("bert", folder / "base", labels=("a", "b"))
    shapes = {}
    for number, model in enumerate(PAPER_MODELS):
        own = folder / model.paper_name
        if "LoRA" in (model.note or ""):
            shapes[model.paper_name] = save_lora(own, base)
        else:
            shapes[model.paper_name] = save_classifier(model.model_type, own, seed=number)
    return shapes


def plain_logits(folder: Path, pairs: list[Pair]) -> np.ndarray[Any, Any]:
    """Return the logits of the plain pipeline, run on one pair at a time."""
    arguments: dict[str, Any] = {"model": str(folder)}
    if (folder / "adapter_config.json").is_file():
        base = auto_model.from_pretrained(folder.with_name("base"), num_labels=3, ignore_mismatched_sizes=True)
        adapted: Any = PeftModel.from_pretrained(base, str(folder))
        tokenizer = AutoTokenizer.from_pretrained(folder.with_name("base"))
        arguments = {"model": adapted.merge_and_unload(), "tokenizer": tokenizer}
    plain: Any = pipeline("text-classification", function_to_apply="none", top_k=None, dtype="float32", **arguments)
    rows = []
    for premise, hypothesis in pairs:
        scores = {entry["label"]: entry["score"] for entry in plain({"text": premise, "text_pair": hypothesis})}
        rows.append([scores[label] for _, label in sorted(plain.model.config.id2label.items())])
    return np.array(rows, np.float32)


@pytest.mark.parametrize("paper_name", slow(*(model.paper_name for model in PAPER_MODELS)))
def test_logits_match_the_plain_pipeline(shapes: dict[str, Path], paper_name: str) -> None:
    folder = shapes[paper_name]
    predicted, facts = predict_pairs(model_from_name(str(folder), NAMED).load, PAIRS, None)
    np.testing.assert_allclose(np.asarray(predicted.logits), plain_logits(folder, PAIRS), rtol=1e-4, atol=1e-4)
    assert np.ptp(np.asarray(predicted.logits)) > 1e-2
    assert facts.parameters is not None and facts.parameters > 0


def test_adapter_digest_includes_the_base_model(shapes: dict[str, Path], tmp_path: Path) -> None:
    other = save_lora(tmp_path / "BERT-L-S", save_classifier("bert", tmp_path / "base", labels=("a", "b"), seed=9))
    first, second = (model_from_name(str(folder), NAMED) for folder in (shapes["BERT-L-S"], other))
    assert first.record.digest != second.record.digest and "peft" in first.run.versions


def test_adapter_without_its_base_model_is_refused(shapes: dict[str, Path], tmp_path: Path) -> None:
    adapter = Path(shutil.copytree(shapes["BERT-L-S"], tmp_path / "adapter"))
    config = adapter / "adapter_config.json"
    config.write_text(config.read_text(encoding="utf-8").replace(str(shapes["BERT-L-S"].parent), "/nowhere/at/all"))
    refused(r"/nowhere/at/all/base of adapter adapter", model_from_name, str(adapter), ModelOptions())


def test_sharded_weights_are_read(tmp_path: Path) -> None:
    whole = save_classifier("bert", tmp_path / "whole")
    sharded = shutil.copytree(whole, tmp_path / "sharded", ignore=shutil.ignore_patterns("*.safetensors"))
    auto_model.from_pretrained(whole).save_pretrained(sharded, max_shard_size="5KB")
    assert len(list(sharded.glob("*.safetensors"))) > 1
    one, several = (model_from_name(str(folder), ModelOptions()).load() for folder in (whole, sharded))
    np.testing.assert_array_equal(logits_of(one, PAIRS[:1]), logits_of(several, PAIRS[:1]))


def test_pickle_weights_are_read_only_if_allowed(tmp_path: Path) -> None:
    folder = as_pickle(save_classifier("roberta", tmp_path / "pickled"))
    refused(r"pickled .* add allow_pickle=True", model_from_name(str(folder), ModelOptions()).load)
    allowed = model_from_name(str(folder), ModelOptions(allow_pickle=True))
    assert logits_of(allowed.load(), PAIRS[:1]).shape == (1, 3)
    assert allowed.record.digest != model_from_name(str(folder), ModelOptions()).record.digest


OWN = """
from transformers import BertConfig, BertForSequenceClassification

class OwnConfig(BertConfig):
    model_type = "own-bert"

class OwnModel(BertForSequenceClassification):
    config_class = OwnConfig
"""


def test_remote_code_runs_only_if_trusted(tmp_path: Path, dataset: Path) -> None:
    folder = save_classifier("bert", tmp_path / "remote")
    config = folder / "config.json"
    classes = {"AutoConfig": "own.OwnConfig", "AutoModelForSequenceClassification": "own.OwnModel"}
    entries = json.loads(config.read_text(encoding="utf-8")) | {"model_type": "own-bert", "auto_map": classes}
    config.write_text(json.dumps(entries), encoding="utf-8")
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    refused(r"remote .*trust_remote_code", score, folder, dataset)
    assert score(folder, dataset, trust_remote_code=True).model.architecture == "OwnModel"
