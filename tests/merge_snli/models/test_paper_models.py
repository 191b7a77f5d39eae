"""The thirteen models of the paper: the table against the paper, and tiny models of their shapes."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from peft import PeftModel, PromptTuningConfig, TaskType, get_peft_model
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from merge_snli import score
from merge_snli.base.files import read_json
from merge_snli.dataset.label_spellings import INFER
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.labels import INFERRED, TABLE
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import (
    FAMILIES,
    PAPER_MLMS,
    PAPER_MODELS,
    PAPER_NAMES,
    family,
    paper_model,
)
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.scored_model import model_from_name
from tests.conftest import paper_text
from tests.merge_snli.conftest import MakeModel
from tests.merge_snli.models.test_architectures import PAIRS
from tests.oracles import refused
from tests.predictors import logits_of
from tests.tiny_classifiers import save_classifier
from tests.tiny_models import as_pickle, save_adapter

hf: Any = transformers  # its configurations and models are made by name


def save_lora(folder: Path, base: Path) -> Path:
    """Save a LoRA adapter to a classifier's body, with a head of its own for three labels, and no tokenizer."""
    plain = hf.AutoModelForSequenceClassification.from_pretrained(base, num_labels=3, ignore_mismatched_sizes=True)
    return save_adapter(folder, plain, task_type=TaskType.SEQ_CLS, target_modules=["query", "value"])


def test_every_member_of_a_family_has_a_name() -> None:
    members = [name for group in FAMILIES for name in group]
    assert sorted(PAPER_NAMES) == sorted(members)
    assert {*members} > {*PAPER_MLMS}
    assert len({*PAPER_NAMES.values()}) == len(PAPER_NAMES)
    assert PAPER_NAMES["google-bert/bert-base-cased"] == "BERT-B"
    assert family("facebook/bart-base") == ("facebook/bart-base", "facebook/bart-large")
    assert family("mine") == ("mine",)


# The training sets that Table 3 abbreviates; S is the first of them.
SMFA = ("snli", "multi_nli", "fever", "anli")

auto_model: Any = AutoModelForSequenceClassification
NAMED = ModelOptions(model_labels=NLI_LABELS)


def test_table_matches_the_paper() -> None:
    text = paper_text("merge-paper-pdf.txt")
    cards = dict(re.findall(r"^(\S+-(?:S|SMFA))\t(\S+/\S+)$", text, re.MULTILINE))
    scores = re.findall(r"^(\S+-(?:S|SMFA))\t[\d.]+\t", text, re.MULTILINE)
    spelled = {name.lower().replace("1.3b", "1-3b"): card for name, card in cards.items()}
    assert {model.paper_name.lower(): model.name for model in PAPER_MODELS} == spelled
    assert [model.paper_name for model in PAPER_MODELS] == scores
    for model in PAPER_MODELS:
        assert model.trained_on == (SMFA if model.paper_name.endswith("-SMFA") else SMFA[:1])


CENL = ("contradiction", "entailment", "neutral")
OTHER_LABELS = {"BERT-B-S": CENL, "OPT-1-3b-S": INFER}


def test_rows_are_complete() -> None:
    assert len({model.name for model in PAPER_MODELS}) == 13
    assert len({model.paper_name for model in PAPER_MODELS}) == 13
    for model in PAPER_MODELS:
        assert model.labels == OTHER_LABELS.get(model.paper_name, NLI_LABELS)
    assert paper_model("nobody/nothing") is None


@pytest.mark.parametrize(
    ("paper_name", "labels", "origin"),
    [("BERT-B-S", CENL, TABLE), ("OPT-1-3b-S", (), INFERRED), ("RoBERTa-L-SMFA", NLI_LABELS, TABLE)],
)
def test_labels_are_known_without_names_in_the_config(
    paper_name: str,
    labels: tuple[str, ...],
    origin: str,
    make_model: MakeModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (name,) = [model.name for model in PAPER_MODELS if model.paper_name == paper_name]
    folder = make_model(tmp_path / "numbered", labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    resolved = ResolvedModel(name, folder, "c0ffee", "0" * 64)
    monkeypatch.setattr("merge_snli.scoring.scored_model.find_model", lambda name, **_: resolved)
    record = model_from_name(name, ModelOptions()).record
    assert record.labels == labels
    assert record.label_origin == origin


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny classifier with two outputs."""
    return save_classifier("bert", tmp_path_factory.mktemp("paper") / "base", labels=("a", "b"))


@pytest.fixture(scope="module")
def adapter(base: Path) -> Path:
    return save_lora(base.with_name("adapter"), base)


def test_an_adapter_is_merged_into_its_base_model(base: Path, adapter: Path, tmp_path: Path) -> None:
    head: dict[str, Any] = {"num_labels": 3, "ignore_mismatched_sizes": True}
    adapted: Any = PeftModel.from_pretrained(auto_model.from_pretrained(base, **head), str(adapter))
    adapted.merge_and_unload().save_pretrained(tmp_path / "merged")
    AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path / "merged")
    predicted = logits_of(model_from_name(str(adapter), NAMED).load(), PAIRS)
    expected = logits_of(model_from_name(str(tmp_path / "merged"), NAMED).load(), PAIRS)
    np.testing.assert_allclose(predicted, expected, rtol=1e-4, atol=1e-4)
    assert np.ptp(predicted) > 1e-2


def test_adapter_digest_includes_the_base_model(adapter: Path, tmp_path: Path) -> None:
    other = save_lora(tmp_path / "adapter", save_classifier("bert", tmp_path / "base", labels=("a", "b"), seed=9))
    first, second = model_from_name(str(adapter), NAMED), model_from_name(str(other), NAMED)
    assert first.record.digest != second.record.digest
    assert "peft" in first.run.versions


def test_adapter_without_its_base_model_is_refused(base: Path, adapter: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(adapter, tmp_path / "adapter"))
    config = copy / "adapter_config.json"
    config.write_text(config.read_text(encoding="utf-8").replace(str(base.parent), "/nowhere/at/all"))
    refused(r"/nowhere/at/all/base of adapter adapter", model_from_name, str(copy), ModelOptions())


def test_an_adapter_that_cannot_be_merged_is_refused(base: Path, tmp_path: Path) -> None:
    options: Any = PromptTuningConfig(task_type=TaskType.SEQ_CLS, num_virtual_tokens=2)
    get_peft_model(auto_model.from_pretrained(base), options).save_pretrained(str(tmp_path))
    refused("cannot be merged.*LoRA", model_from_name(str(tmp_path), ModelOptions(model_labels=("a", "b"))).load)


def test_sharded_weights_are_read(tmp_path: Path) -> None:
    whole = save_classifier("bert", tmp_path / "whole")
    sharded = shutil.copytree(whole, tmp_path / "sharded", ignore=shutil.ignore_patterns("*.safetensors"))
    auto_model.from_pretrained(whole).save_pretrained(sharded, max_shard_size="5KB")
    assert len(list(sharded.glob("*.safetensors"))) > 1
    one = model_from_name(str(whole), NAMED)
    several = model_from_name(str(sharded), NAMED)
    np.testing.assert_array_equal(logits_of(one.load(), PAIRS[:1]), logits_of(several.load(), PAIRS[:1]))


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
    entries = read_json(config) | {"model_type": "own-bert", "auto_map": classes}
    config.write_text(json.dumps(entries), encoding="utf-8")
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    refused(r"remote .*trust_remote_code", score, folder, dataset)
    assert score(folder, dataset, trust_remote_code=True).model.architecture == "OwnModel"
