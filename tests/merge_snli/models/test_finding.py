"""Models to score: where they are, their names, digests, outputs, labels and training data, and the device."""

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

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
    folder = str(tmp_path / "copy")
    shutil.copytree(embedded.path, folder)
    copy = find_model(folder)
    assert copy.name == "copy"
    assert copy.digest == embedded.digest
    (tmp_path / "copy" / "tokenizer.json").unlink()
    refused("copy has no tokenizer", find_model, folder)


def test_digest_covers_names_and_contents_but_not_the_card(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    first = folder_digest(tmp_path)
    (tmp_path / "README.md").write_text("a card")
    assert folder_digest(tmp_path) == first
    tokenizer = written(tmp_path / "tokenizer.json", "{}")
    second = folder_digest(tmp_path)
    tokenizer.rename(tmp_path / "vocab.json")
    third = folder_digest(tmp_path)
    written(tmp_path / "bpe.codes", "a b")
    assert len({first, second, third, folder_digest(tmp_path)}) == 4


def test_unavailable_device_is_an_input_error() -> None:
    refused("device cuda:99 .*device='cpu'", find_device, "cuda:99")
    refused("device meta .*cpu, cuda", find_device, "meta")


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


def test_cpu_without_bfloat16_instructions_gives_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def warned(units: dict[str, object], dtype: str = "bfloat16", device: str = "cpu") -> bool:
        caplog.clear()
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: units, raising=False)
        warn_about_slow_bfloat16(dtype, device)
        return "bfloat16" in caplog.text

    without: dict[str, object] = {"avx512_f": True, "avx512_bf16": False, "l2_cache_size": 1}
    assert warned(without)
    assert not warned({"neon": True, "bf16": True})
    assert not warned({})
    assert not warned(without, device="cuda:0")
    assert not warned(without, dtype="float32")


BERT = {"model_type": "bert", "architectures": ["BertForSequenceClassification"]}


def bert(folder: Path, config: str) -> ResolvedModel:
    """Write the config of a BERT classifier with these entries in JSON."""
    written(folder / "config.json", json.dumps(BERT | json.loads(config)))
    return ResolvedModel("m", folder, None, "")


@pytest.mark.parametrize(
    "config",
    [
        '{"id2label": {"2": "neutral", "0": "contradiction", "1": "entailment"}, "label2id": {"neutral": 2}}',
        '{"id2label": {"0": "not_entailment", "1": "entailment"}, "num_labels": 2}',
        '{"id2label": {"0": "a", "1": "b", "2": "c"}, "architectures": null}',
        '{"num_labels": 3}',
        "{}",
    ],
)
def test_outputs_have_the_names_that_transformers_gives_them(config: str, tmp_path: Path) -> None:
    model = bert(tmp_path, config)
    expected = output_names(AutoConfig.from_pretrained(tmp_path))
    assert read_output_names(model) == expected


def test_a_config_that_numbers_its_outputs_twice_gives_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = '{"id2label": {"0": "entailment", "1": "contradiction"}, "label2id": {"contradiction": %d}}'
    read_output_names(bert(tmp_path, config % 1))
    assert not caplog.messages
    assert read_output_names(bert(tmp_path, config % 2)) == ("entailment", "contradiction")
    assert not missing_from(caplog.text, "0: 'entailment', 1: 'contradiction'", "'contradiction': 2")


def test_a_config_that_names_its_outputs_is_read_without_transformers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    model = bert(tmp_path, '{"id2label": {"0": "neutral", "1": "entailment"}}')
    assert read_output_names(model) == ("neutral", "entailment")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a/x/last", "b/x/last", "c/y/last", "runs/lr=0.1", "other"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)


def names_of(arguments: str) -> str:
    """Return the names and models as `NAME: MODEL`."""
    found = name_models(arguments.split())
    return ", ".join(f"{name}: {model}" for name, model in found.items())


@pytest.mark.usefixtures("folders")
def test_names() -> None:
    assert names_of("a/x/last ./a/x/last") == "last: a/x/last"
    assert names_of("a/x/last c/y/last") == "x/last: a/x/last, y/last: c/y/last"
    of_three = "a/x/last: a/x/last, b/x/last: b/x/last, y/last: c/y/last"
    assert names_of("a/x/last b/x/last c/y/last") == of_three
    assert names_of("first=a/x/last b/x/last") == "first: a/x/last, last: b/x/last"
    assert names_of("runs/lr=0.1 runs/lr=0.2") == "lr=0.1: runs/lr=0.1, runs/lr=0.2: runs/lr=0.2"
    assert names_of("org/m@v1 demo:nli-a org/m@v1") == "org/m@v1: org/m@v1, demo:nli-a: demo:nli-a"


@pytest.mark.usefixtures("folders")
def test_equal_names_and_missing_folders_are_refused() -> None:
    refused(r"named m \(a/x/last and other\)", names_of, "m=a/x/last m=other")
    refused(r"named other \(other and a/x/last\)", names_of, "other other=a/x/last")
    refused("'m=gone'", names_of, "m=gone")
    refused("'=other'", names_of, "=other")


def test_training_data_in_a_card(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def named(card: str) -> tuple[str, ...] | None:
        written(tmp_path / "README.md", card)
        return read_training_data(tmp_path)

    assert read_training_data(tmp_path) is None
    assert named("no metadata") is None
    assert named("---\ndatasets: []\n---\n") is None
    assert named("---\ndatasets: snli\n---\n") == ("snli",)
    assert named("---\ndatasets:\n- snli\n- nyu-mll/multi_nli\n---\n") == ("snli", "nyu-mll/multi_nli")
    assert named("---\ndatasets: {a: 1}\n---\n") is None
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


def find(outputs: Sequence[str], given: str | Sequence[str] | None = None) -> tuple[tuple[str, ...], str]:
    return labels.find_model_labels(outputs, given=given, model="m")


def on(outputs: Sequence[str], data_labels: Sequence[str], given: str | None = None) -> tuple[str, ...]:
    names, origin = find(outputs, given)
    return labels.labels_on(names, data_labels, origin=origin, config_names=outputs, model="m")


def test_numbered_names_and_models_of_other_tasks_are_refused() -> None:
    two = NUMBERED[:2]
    numbered = r"m are named LABEL_0, LABEL_1, LABEL_2, .* contradiction; if they mean these, .*_labels=\('label of"
    refused(numbered, on, NUMBERED, NLI_LABELS)
    refused(r"'label of output 1'\), or use model_labels='infer'", on, two, NLI_LABELS)
    refused(r"the data are no, yes; .* model_labels=\('label of output 0', 'label of", on, two, ("no", "yes"))
    refused("the data are LABEL_0, LABEL_1; if they mean these", on, two, two)
    refused("m are named 1, 2, 3, 4, 5", on, "12345", NLI_LABELS)
    other_task = "named entailment, neutral, contradiction, .* no, yes; use a model of this"
    refused(other_task, on, NLI_LABELS, ("no", "yes"))
    refused("in this order.* maybe, no, yes; if they mean these", on, NLI_LABELS, ("maybe", "no", "yes"))


@pytest.mark.parametrize(
    ("outputs", "data", "expected"),
    [
        ("Not Equivalent,EQUIVALENT", "not_equivalent,equivalent", "not_equivalent,equivalent"),
        ("yes,no", "no,yes", "yes,no"),
        ("不同,同 義", "同_義,不同", "不同,同_義"),
        ("1 (yes),-1 (no)", "1 (yes),-1 (no)", "1 (yes),-1 (no)"),
    ],
)
def test_outputs_are_matched_with_the_labels_of_any_task(outputs: str, data: str, expected: str) -> None:
    names = tuple(expected.split(","))
    assert on(outputs.split(","), data.split(",")) == names
    assert on(NUMBERED[:2], data.split(","), given=outputs) == names


CENL = ("contradiction", "entailment", "neutral")


def test_labels_of_the_config_given_and_to_infer() -> None:
    assert find("CEN") == (CENL, "config")
    given = (NLI_LABELS, "given")
    assert find(NUMBERED, NLI_LABELS) == given
    assert find(NUMBERED, "Entailment, Neutral, Contradiction") == given
    assert find(NUMBERED, "e,n,c") == given
    assert find(NUMBERED, " Infer") == ((), labels.INFERRED)


def test_given_labels_can_contradict_those_of_the_config() -> None:
    record = ModelRecord(
        name="m", digest=None, labels=NLI_LABELS, label_origin=labels.GIVEN, config_labels=("c", "e", "n")
    )
    assert record.overrides_config
    assert not replace(record, config_labels=tuple(NUMBERED)).overrides_config


def test_other_words_are_not_labels() -> None:
    refused("labels 'guess'", find, NUMBERED, "guess")


def test_number_of_given_labels_must_match_the_outputs() -> None:
    refused(r"m has 2 outputs \(LABEL_0, LABEL_1\).* 3", find, NUMBERED[:2], NLI_LABELS)


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


def test_two_way_labels_on_one_side_give_a_two_way_comparison() -> None:
    two_way = ("not_entailment", "entailment")
    assert labels.compared_labels(NLI_LABELS, NLI_LABELS) == NLI_LABELS
    assert labels.compared_labels(two_way, NLI_LABELS) == label_spellings.TWO_WAY
    assert labels.compared_labels(NLI_LABELS, two_way) == label_spellings.TWO_WAY
    assert labels.compared_labels(("yes", "no"), ("no", "yes")) == ("no", "yes")


def test_positions_among_the_compared_labels() -> None:
    assert labels.positions(NLI_LABELS, label_spellings.TWO_WAY) == (0, 1, 1)
    assert labels.positions(CENL, NLI_LABELS) == (2, 0, 1)
