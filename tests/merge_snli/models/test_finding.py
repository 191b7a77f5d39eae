"""Models to score: where they are, their names, digests, outputs, labels and training data, and the device."""

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig

from merge_snli.base.errors import as_flags
from merge_snli.dataset import label_spellings
from merge_snli.embedded import FOLDER
from merge_snli.models import labels
from merge_snli.models.cards import read_training_data
from merge_snli.models.display_names import name_models
from merge_snli.models.finding import ResolvedModel, find_device, find_model, folder_digest, warn_about_slow_bfloat16
from merge_snli.models.runner.loading import output_names, read_output_names
from merge_snli.results.records import ModelRecord
from merge_snli.schema import NLI_LABELS
from tests.oracles import missing_from, refused, written


def test_embedded_models_and_folders(tmp_path: Path) -> None:
    embedded = find_model("demo:mlm-bpe")
    assert embedded.name == "demo:mlm-bpe"
    assert embedded.path == FOLDER / "mlm-bpe"
    assert embedded.revision is None
    shutil.copytree(FOLDER / "mlm-bpe", tmp_path / "copy")
    copy = find_model(str(tmp_path / "copy"))
    assert copy.name == "copy"
    assert copy.digest == embedded.digest
    (tmp_path / "copy" / "tokenizer.json").unlink()
    refused("copy has no tokenizer", find_model, str(tmp_path / "copy"))


def test_digest_covers_names_and_contents_but_not_the_card(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    first = folder_digest(tmp_path)
    (tmp_path / "README.md").write_text("a card")
    assert folder_digest(tmp_path) == first
    tokenizer = written(tmp_path / "tokenizer.json", "{}")
    second = folder_digest(tmp_path)
    tokenizer.rename(tmp_path / "vocab.json")
    assert second != first
    assert folder_digest(tmp_path) not in (first, second)


@pytest.mark.parametrize(("device", "advice"), [("cuda:99", "device='cpu'"), ("meta", "cpu, cuda")])
def test_unavailable_device_is_an_input_error(device: str, advice: str) -> None:
    refused(f"device {device} .*{advice}", find_device, device)


def test_the_device_is_that_of_torch() -> None:
    assert find_device(None) == ("cuda" if torch.cuda.is_available() else "cpu")
    assert find_device("cpu") == "cpu"


@pytest.mark.parametrize(("on_windows", "driver"), [(True, "nvcuda.dll"), (False, "libcuda.so.1")])
def test_torch_is_asked_if_there_is_a_driver(on_windows: bool, driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drivers: list[str] = []

    def load(name: str) -> object:
        if name not in drivers:
            raise OSError(f"{name} was not found")
        return object()

    monkeypatch.setattr("merge_snli.models.finding.ON_WINDOWS", on_windows)
    monkeypatch.setattr("ctypes.CDLL", load)
    monkeypatch.setattr(Path, "exists", lambda path: False)  # /dev/kfd
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_device(None) == "cpu"
    drivers.append(driver)
    assert find_device(None) == "cuda"


@pytest.mark.parametrize("name", ["./nowhere does not exist", "a/b/c does not exist", "not a name!", "nobody/nothing"])
def test_missing_model_is_an_input_error(name: str) -> None:
    caught = refused(name, find_model, name.removesuffix(" does not exist"))
    assert "\n" not in str(caught)


@pytest.mark.parametrize(
    ("dtype", "device", "units", "warned"),
    [
        ("bfloat16", "cpu", {"avx512_f": True, "avx512_bf16": False, "l2_cache_size": 1}, True),
        ("bfloat16", "cpu", {"neon": True, "bf16": True}, False),
        ("bfloat16", "cpu", {}, False),
        ("bfloat16", "cuda:0", {"avx512_f": True}, False),
        ("float32", "cpu", {"avx512_f": True}, False),
    ],
)
def test_cpu_without_bfloat16_instructions_gives_a_warning(
    dtype: str,
    device: str,
    units: dict[str, object],
    warned: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: units, raising=False)
    warn_about_slow_bfloat16(dtype, device)
    assert ("bfloat16" in caplog.text) == warned


BERT = {"model_type": "bert", "architectures": ["BertForSequenceClassification"]}


@pytest.mark.parametrize(
    "config",
    [
        {"id2label": {"2": "neutral", "0": "contradiction", "1": "entailment"}, "label2id": {"neutral": 2}},
        {"id2label": {"0": "not_entailment", "1": "entailment"}, "num_labels": 2},
        {"id2label": {"0": "a", "1": "b", "2": "c"}, "architectures": None},
        {"num_labels": 3},
        {},
    ],
)
def test_outputs_have_the_names_that_transformers_gives_them(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(BERT | config))
    expected = output_names(AutoConfig.from_pretrained(tmp_path))
    assert read_output_names(ResolvedModel("m", tmp_path, None, "")) == expected


def test_a_config_that_numbers_its_outputs_twice_gives_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = ResolvedModel("m", tmp_path, None, "")
    names = {"id2label": {"0": "entailment", "1": "contradiction"}, "label2id": {"contradiction": 1}}
    config = written(tmp_path / "config.json", json.dumps(BERT | names))
    read_output_names(model)
    assert not caplog.messages
    config.write_text(json.dumps(BERT | names | {"label2id": {"contradiction": 2}}))
    assert read_output_names(model) == ("entailment", "contradiction")
    assert not missing_from(caplog.text, "0: 'entailment', 1: 'contradiction'", "'contradiction': 2")


def test_a_config_that_names_its_outputs_is_read_without_transformers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    (tmp_path / "config.json").write_text(json.dumps(BERT | {"id2label": {"0": "neutral", "1": "entailment"}}))
    assert read_output_names(ResolvedModel("m", tmp_path, None, "")) == ("neutral", "entailment")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a/x/last", "b/x/last", "c/y/last", "runs/lr=0.1", "other"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("a/x/last ./a/x/last", {"last": "a/x/last"}),
        ("a/x/last c/y/last", {"x/last": "a/x/last", "y/last": "c/y/last"}),
        ("a/x/last b/x/last c/y/last", {"a/x/last": "a/x/last", "b/x/last": "b/x/last", "y/last": "c/y/last"}),
        ("first=a/x/last b/x/last", {"first": "a/x/last", "last": "b/x/last"}),
        ("runs/lr=0.1 runs/lr=0.2", {"lr=0.1": "runs/lr=0.1", "runs/lr=0.2": "runs/lr=0.2"}),
        ("org/m@v1 demo:nli-a org/m@v1", {"org/m@v1": "org/m@v1", "demo:nli-a": "demo:nli-a"}),
    ],
)
@pytest.mark.usefixtures("folders")
def test_names(arguments: str, named: dict[str, str]) -> None:
    assert name_models(arguments.split()) == named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("m=a/x/last m=other", r"named m \(a/x/last and other\)"),
        ("other other=a/x/last", r"named other \(other and a/x/last\)"),
        ("m=gone", "'m=gone'"),
        ("=other", "'=other'"),
    ],
)
@pytest.mark.usefixtures("folders")
def test_equal_names_and_missing_folders_are_refused(arguments: str, message: str) -> None:
    refused(message, name_models, arguments.split())


@pytest.mark.parametrize(
    ("card", "named"),
    [
        ("no metadata", None),
        ("---\ndatasets: []\n---\n", None),
        ("---\ndatasets: snli\n---\n", ("snli",)),
        ("---\ndatasets:\n- snli\n- nyu-mll/multi_nli\n---\n", ("snli", "nyu-mll/multi_nli")),
        ("---\ndatasets: {a: 1}\n---\n", None),
    ],
)
def test_training_data_in_a_card(
    tmp_path: Path, card: str, named: tuple[str, ...] | None, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_training_data(tmp_path) is None
    written(tmp_path / "README.md", card)
    assert read_training_data(tmp_path) == named
    assert not caplog.messages


def test_a_damaged_card_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    written(tmp_path / "README.md", "---\ndatasets: [\n---\n")
    assert read_training_data(tmp_path) is None
    assert "README.md" in caplog.text


def test_embedded_models_name_their_training_data() -> None:
    assert read_training_data(find_model("demo:nli-a").path) == ("stanfordnlp/snli", "nyu-mll/multi_nli")


SPELLED = tomllib.loads((Path(__file__).parent / "spellings.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", SPELLED, ids=["-".join(case["names"]) for case in SPELLED])
def test_common_spellings(case: dict[str, list[str]]) -> None:
    expected = tuple(case["labels"]) if "labels" in case else None
    assert label_spellings.canonical_names(tuple(case["names"])) == expected


def test_spellings_are_unambiguous() -> None:
    spellings = label_spellings.SPELLINGS.values()
    assert len(frozenset.union(*spellings)) == sum(map(len, spellings))


NUMBERED = ["LABEL_0", "LABEL_1", "LABEL_2"]


def on(outputs: Sequence[str], data_labels: Sequence[str], given: str | None = None) -> tuple[str, ...]:
    names, origin = labels.find_model_labels(outputs, given=given, model="m")
    return labels.labels_on(names, data_labels, origin=origin, config_names=outputs, model="m")


@pytest.mark.parametrize(
    ("outputs", "data", "message"),
    [
        (
            NUMBERED,
            NLI_LABELS,
            r"m are named LABEL_0, LABEL_1, LABEL_2, .* order of its own.*_labels=\('label of",
        ),
        (NUMBERED[:2], NLI_LABELS, r"entailment and not_entailment.*'label of output 1'\)"),
        (NUMBERED[:2], ("no", "yes"), r"the data are no, yes; .* model_labels=\('label of output 0', 'label of"),
        (NUMBERED[:2], tuple(NUMBERED[:2]), "the data are LABEL_0, LABEL_1; if they mean these"),
        (["1", "2", "3", "4", "5"], NLI_LABELS, "m are named 1, 2, 3, 4, 5"),
        (NLI_LABELS, ("no", "yes"), "named entailment, neutral, contradiction, .* no, yes; use a model of this"),
        (NLI_LABELS, ("maybe", "no", "yes"), "in this order.* maybe, no, yes; if they mean these"),
    ],
)
def test_numbered_names_and_models_of_other_tasks_are_refused(
    outputs: Sequence[str], data: Sequence[str], message: str
) -> None:
    refused(message, on, outputs, data)


@pytest.mark.parametrize(
    ("outputs", "data", "expected"),
    [
        (["Not Equivalent", "EQUIVALENT"], ("not_equivalent", "equivalent"), ("not_equivalent", "equivalent")),
        (["yes", "no"], ("no", "yes"), ("yes", "no")),
        (["不同", "同 義"], ("同_義", "不同"), ("不同", "同_義")),
        (["1 (yes)", "-1 (no)"], ("1 (yes)", "-1 (no)"), ("1 (yes)", "-1 (no)")),
    ],
)
def test_outputs_are_matched_with_the_labels_of_any_task(
    outputs: list[str], data: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert on(outputs, data) == expected
    assert on(NUMBERED[:2], data, given=",".join(outputs)) == expected


CENL = ("contradiction", "entailment", "neutral")


@pytest.mark.parametrize(
    ("outputs", "given", "names", "origin"),
    [
        (["C", "E", "N"], None, CENL, "config"),
        (NUMBERED, NLI_LABELS, NLI_LABELS, "given"),
        (NUMBERED, "Entailment, Neutral, Contradiction", NLI_LABELS, "given"),
        (NUMBERED, "e,n,c", NLI_LABELS, "given"),
        (NUMBERED, " Infer", (), labels.INFERRED),
    ],
)
def test_labels_of_the_config_given_and_to_infer(
    outputs: list[str], given: str | Sequence[str] | None, names: tuple[str, ...], origin: str
) -> None:
    found = labels.find_model_labels(outputs, given=given, model="m")
    assert found == (names, origin)


@pytest.mark.parametrize(("outputs", "overrides"), [(NUMBERED, False), (["c", "e", "n"], True)])
def test_given_labels_can_contradict_those_of_the_config(outputs: list[str], overrides: bool) -> None:
    record = ModelRecord(
        name="m", digest=None, labels=NLI_LABELS, label_origin=labels.GIVEN, config_labels=tuple(outputs)
    )
    assert record.overrides_config == overrides


def test_other_words_are_not_labels() -> None:
    refused("labels 'guess'", labels.find_model_labels, NUMBERED, given="guess", model="m")


def test_number_of_given_labels_must_match_the_outputs() -> None:
    message = r"m has 2 outputs \(LABEL_0, LABEL_1\).* 3"
    refused(message, labels.find_model_labels, NUMBERED[:2], given=NLI_LABELS, model="m")


@pytest.mark.parametrize("text", ["entailment", "a,,c", "entailment,Entailment,neutral", ""])
def test_invalid_labels_are_refused(text: str) -> None:
    message = refused(rf"labels {text!r}: .*model_labels=\('label of output 0', 'label of", labels.parse_labels, text)
    assert "entailment" not in str(message).replace(repr(text), "")


def test_no_order_is_proposed() -> None:
    message = as_flags(refused("", on, NUMBERED, NLI_LABELS))
    (option,) = re.findall("--model-labels='[^']*'", message)
    [word] = shlex.split(option)
    assert word == "--model-labels=label of output 0,label of output 1,label of output 2"
    refused("invalid model_labels", on, NUMBERED, NLI_LABELS, given=word.partition("=")[2])


def test_names_that_are_numbers_keep_their_sign() -> None:
    data = ("-1", "0", "1")
    assert on(NUMBERED, data, given="1,-1,0") == ("1", "-1", "0")
    refused("the data are -1, 0, 1", on, ["-1", "0", "1"], data)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (NLI_LABELS, NLI_LABELS, NLI_LABELS),
        (("not_entailment", "entailment"), NLI_LABELS, label_spellings.TWO_WAY),
        (NLI_LABELS, ("not_entailment", "entailment"), label_spellings.TWO_WAY),
        (("yes", "no"), ("no", "yes"), ("no", "yes")),
    ],
)
def test_two_way_labels_on_one_side_give_a_two_way_comparison(
    first: tuple[str, ...], second: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert labels.compared_labels(first, second) == expected


def test_positions_among_the_compared_labels() -> None:
    assert labels.positions(NLI_LABELS, label_spellings.TWO_WAY) == (0, 1, 1)
    assert labels.positions(CENL, NLI_LABELS) == (2, 0, 1)
