"""Label names of every spelling, given or missing."""

import pytest

from merge_snli.errors import InputError
from merge_snli.schema import NLI_LABELS
from scoring.models import labels

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


@pytest.mark.parametrize(("own", "expected"), MODEL_NAMES.items(), ids=lambda value: "-".join(value or ["none"]))
def test_common_spellings(own: tuple[str, ...], expected: tuple[str, ...] | None) -> None:
    assert labels.canonical_names(own) == expected


def test_no_spelling_means_two_labels() -> None:
    spellings = [spelling for of_label in labels.SPELLINGS.values() for spelling in of_label]
    assert len(spellings) == len(set(spellings))


def test_own_names_are_used() -> None:
    found = labels.find_model_labels(["C", "E", "N"], given=None, model="m")
    assert found == labels.ModelLabels(("contradiction", "entailment", "neutral"), "config", ("C", "E", "N"))
    assert not found.overruled


def test_numbered_names_are_refused_with_the_line_that_mends_it() -> None:
    with pytest.raises(InputError, match=r"^m calls its outputs LABEL_0, LABEL_1, LABEL_2, .* such as --labels ent"):
        labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=None, model="m")
    with pytest.raises(InputError, match="--labels entailment,not_entailment"):
        labels.find_model_labels(["LABEL_0", "LABEL_1"], given=None, model="m")


def test_five_outputs_are_refused() -> None:
    with pytest.raises(InputError, match="an NLI model has three"):
        labels.find_model_labels(["1", "2", "3", "4", "5"], given=None, model="m")


def test_given_labels_name_the_outputs() -> None:
    found = labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=NLI_LABELS, model="m")
    assert (found.names, found.found, found.overruled) == (NLI_LABELS, "given", False)


@pytest.mark.parametrize("text", ["entailment,neutral,contradiction", "Entailment, Neutral, Contradiction", "e,n,c"])
def test_an_order_may_be_given_as_one_text(text: str) -> None:
    found = labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=text, model="m")
    assert (found.names, found.found) == (NLI_LABELS, "given")


@pytest.mark.parametrize("text", ["infer", "Infer", " infer"])
def test_only_infer_means_infer(text: str) -> None:
    found = labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given=text, model="m")
    assert (found.names, found.found) == ((), labels.INFERRED)
    with pytest.raises(InputError, match="--labels guess is no order of labels"):
        labels.find_model_labels(["LABEL_0", "LABEL_1", "LABEL_2"], given="guess", model="m")


def test_given_labels_go_before_the_models_own() -> None:
    found = labels.find_model_labels(["c", "e", "n"], given=NLI_LABELS, model="m")
    assert (found.names, found.overruled) == (NLI_LABELS, True)


def test_given_labels_must_be_as_many_as_outputs() -> None:
    with pytest.raises(InputError, match=r"m has 2 outputs \(LABEL_0, LABEL_1\), --labels names 3"):
        labels.find_model_labels(["LABEL_0", "LABEL_1"], given=NLI_LABELS, model="m")


@pytest.mark.parametrize("text", ["entailment,neutral", "a,b,c", "entailment,entailment,neutral", ""])
def test_labels_that_are_no_order_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"^--labels {text} is no order of labels: .* --labels entailment,neutral,"):
        labels.parse_labels(text)


def test_order_of_labels_is_read() -> None:
    assert labels.parse_labels("contradiction, entailment,neutral") == ("contradiction", "entailment", "neutral")


def test_labels_of_data_that_are_no_nli_labels_are_refused() -> None:
    with pytest.raises(InputError, match=r"^the labels of sst are positive, negative"):
        labels.data_labels(["positive", "negative"], "sst")


def test_two_way_on_one_side_compares_two_ways() -> None:
    two = ("not_entailment", "entailment")
    assert labels.compared_labels(NLI_LABELS, NLI_LABELS) == NLI_LABELS
    assert labels.compared_labels(two, NLI_LABELS) == labels.TWO_WAY
    assert labels.compared_labels(NLI_LABELS, two) == labels.TWO_WAY
    assert labels.positions(NLI_LABELS, labels.TWO_WAY) == (0, 1, 1)
    assert labels.positions(("contradiction", "entailment", "neutral"), NLI_LABELS) == (2, 0, 1)
    assert labels.positions(two, labels.TWO_WAY) == (1, 0)
