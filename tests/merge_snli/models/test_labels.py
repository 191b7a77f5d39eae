"""Test the spellings of label names, and labels given by the user."""

from collections.abc import Sequence

import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset import label_spellings
from merge_snli.models import labels
from merge_snli.schema import NLI_LABELS

MODEL_NAMES = {
    ("entailment", "neutral", "contradiction"): ("entailment", "neutral", "contradiction"),
    ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"): ("contradiction", "neutral", "entailment"),
    ("contradiction", "entailment", "neutral"): ("contradiction", "entailment", "neutral"),
    ("Entail", "Neutral", "Contradict"): ("entailment", "neutral", "contradiction"),
    ("e", "n", "c"): ("entailment", "neutral", "contradiction"),
    ("yes", "maybe", "no"): ("entailment", "neutral", "contradiction"),
    ("true", "unknown", "false"): ("entailment", "neutral", "contradiction"),
    ("entailment", "not_entailment"): ("entailment", "not_entailment"),
    ("not-entailment", "entailment"): ("not_entailment", "entailment"),
    ("Not Entailment", "Entailment"): ("not_entailment", "entailment"),
    ("non_entailment", "entailment"): ("not_entailment", "entailment"),
    ("yes", "no"): ("entailment", "not_entailment"),
    ("False", "True"): ("not_entailment", "entailment"),
    ("LABEL_0", "LABEL_1", "LABEL_2"): None,
    ("0", "1", "2"): None,
    ("entailment", "entailment", "neutral"): None,
    ("entailment", "contradiction"): None,
    ("entailment", "neutral"): None,
    ("positive", "negative"): None,
    ("entailment",): None,
}


@pytest.mark.parametrize(("names", "expected"), MODEL_NAMES.items(), ids=lambda value: "-".join(value or ["none"]))
def test_common_spellings(names: tuple[str, ...], expected: tuple[str, ...] | None) -> None:
    assert label_spellings.canonical_names(names) == expected


def test_spellings_are_unambiguous() -> None:
    spellings = [spelling for spellings in label_spellings.SPELLINGS.values() for spelling in spellings]
    assert len(spellings) == len(set(spellings))


def test_config_names_are_used() -> None:
    model_labels = labels.find_model_labels(["C", "E", "N"], given=None, model="m")
    assert model_labels == labels.ModelLabels(("contradiction", "entailment", "neutral"), "config", ("C", "E", "N"))
    assert not model_labels.overrides_config


def on(config_names: Sequence[str], data_labels: Sequence[str], given: str | None = None) -> labels.ModelLabels:
    return labels.labels_on(labels.find_model_labels(config_names, given=given, model="m"), data_labels, model="m")


def test_numbered_names_are_refused_with_an_example() -> None:
    with pytest.raises(InputError, match=r"m are named LABEL_0, LABEL_1, LABEL_2, .* model_labels=\('ent"):
        on(["LABEL_0", "LABEL_1", "LABEL_2"], NLI_LABELS)
    with pytest.raises(InputError, match=r"labels=\('entailment', 'not_entailment'\)"):
        on(["LABEL_0", "LABEL_1"], NLI_LABELS)
    with pytest.raises(InputError, match=r"the data are no, yes; .* model_labels=\('no', 'yes'\)"):
        on(["LABEL_0", "LABEL_1"], ("no", "yes"))


def test_five_outputs_are_refused() -> None:
    with pytest.raises(InputError, match="m are named 1, 2, 3, 4, 5"):
        on(["1", "2", "3", "4", "5"], NLI_LABELS)


OTHER_TASKS = [
    (["Not Equivalent", "EQUIVALENT"], ("not_equivalent", "equivalent"), ("not_equivalent", "equivalent")),
    (["yes", "no"], ("no", "yes"), ("yes", "no")),
    (["True", "False"], ("entailment", "not_entailment"), ("entailment", "not_entailment")),
    (["不同", "同 義"], ("同_義", "不同"), ("不同", "同_義")),
]


@pytest.mark.parametrize(("outputs", "data", "expected"), OTHER_TASKS)
def test_outputs_are_matched_with_the_labels_of_any_task(
    outputs: list[str], data: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert on(outputs, data).names == expected
    assert on(["LABEL_0", "LABEL_1"], data, given=",".join(outputs)).names == expected


def test_a_model_of_another_task_is_refused() -> None:
    with pytest.raises(InputError, match=r"named entailment, neutral, contradiction, .* no, yes; use a model of this"):
        on(["entailment", "neutral", "contradiction"], ("no", "yes"))
    with pytest.raises(InputError, match="named negative, positive"):
        on(["negative", "positive"], NLI_LABELS)


def test_given_labels_are_used() -> None:
    model_labels = labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=NLI_LABELS, model="m")
    assert (model_labels.names, model_labels.origin, model_labels.overrides_config) == (NLI_LABELS, "given", False)


@pytest.mark.parametrize("text", ["entailment,neutral,contradiction", "Entailment, Neutral, Contradiction", "e,n,c"])
def test_labels_may_be_comma_separated(text: str) -> None:
    model_labels = labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=text, model="m")
    assert (model_labels.names, model_labels.origin) == (NLI_LABELS, "given")


@pytest.mark.parametrize("text", ["infer", "Infer", " infer"])
def test_infer_ignores_case_and_spaces(text: str) -> None:
    model_labels = labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=text, model="m")
    assert (model_labels.names, model_labels.origin) == ((), labels.INFERRED)
    with pytest.raises(InputError, match="labels 'guess'"):
        labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given="guess", model="m")


def test_given_labels_override_the_config() -> None:
    model_labels = labels.find_model_labels(["c", "e", "n"], given=NLI_LABELS, model="m")
    assert (model_labels.names, model_labels.overrides_config) == (NLI_LABELS, True)


def test_number_of_given_labels_must_match_the_outputs() -> None:
    with pytest.raises(InputError, match=r"m has 2 outputs \(LABEL_0, LABEL_1\).* 3"):
        labels.find_model_labels(["LABEL_0", "LABEL_1"], given=NLI_LABELS, model="m")


@pytest.mark.parametrize("text", ["entailment", "a,,c", "entailment,Entailment,neutral", ""])
def test_invalid_labels_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=rf"labels {text!r}: .* model_labels=\('entailment', 'neutral',"):
        labels.parse_labels(text)


def test_labels_are_parsed_in_order() -> None:
    assert labels.parse_labels("contradiction, entailment,neutral") == ("contradiction", "entailment", "neutral")


def test_two_way_labels_on_one_side_give_a_two_way_comparison() -> None:
    two = ("not_entailment", "entailment")
    assert labels.compared_labels(NLI_LABELS, NLI_LABELS) == NLI_LABELS
    assert labels.compared_labels(two, NLI_LABELS) == label_spellings.TWO_WAY
    assert labels.compared_labels(NLI_LABELS, two) == label_spellings.TWO_WAY
    assert labels.compared_labels(("yes", "no"), ("no", "yes")) == ("no", "yes")
    assert labels.positions(NLI_LABELS, label_spellings.TWO_WAY) == (0, 1, 1)
    assert labels.positions(("contradiction", "entailment", "neutral"), NLI_LABELS) == (2, 0, 1)
    assert labels.positions(two, label_spellings.TWO_WAY) == (1, 0)
