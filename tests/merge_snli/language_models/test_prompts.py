"""Prompts show the problem, the labels and the shots; shots never come from the questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.language_models.prompts import Prompt, Shot, instruction, problem_template, shots_for
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.predictions.reading import read_config

SHOTS = (Shot("It rains.", "It is wet.", "entailment"), Shot("A dog runs.", "A cat runs.", "neutral"))


def test_few_shot_is_zero_shot_with_problems_before_the_question() -> None:
    zero, few = Prompt("zero_shot", NLI_LABELS), Prompt("few_shot", NLI_LABELS, SHOTS)
    question = "Premise: A man sleeps.\nHypothesis: A man is awake.\nAnswer:"
    start = instruction(NLI_LABELS)
    assert "entailment, neutral or contradiction" in start
    assert zero.render("A man sleeps.", "A man is awake.") == f"{start}\n\n{question}"
    assert few.render("A man sleeps.", "A man is awake.") == (
        f"{start}\n\nPremise: It rains.\nHypothesis: It is wet.\nAnswer: entailment\n\n"
        f"Premise: A dog runs.\nHypothesis: A cat runs.\nAnswer: neutral\n\n{question}"
    )
    assert Prompt("few_shot", NLI_LABELS).render("a", "b") == zero.render("a", "b")
    assert zero.digest != few.digest
    assert problem_template().endswith("Answer:")


def test_two_labels_are_listed() -> None:
    assert "entailment or not_entailment" in Prompt("chain_of_thought", ("entailment", "not_entailment")).render(
        "a", "b"
    )


def test_a_template_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "prompt.jinja"
    path.write_text("{{ premise }} => {{ hypothesis }} ({{ labels | join('/') }})\n")
    assert (
        Prompt(str(path), NLI_LABELS).render("{{ x }} & <y>", "z")
        == "{{ x }} & <y> => z (entailment/neutral/contradiction)"
    )


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ premise }}", "does not show the problem"),
        ("{{ premise }} {{ hypothesis }} {{ question }}", "'question' is undefined"),
        ("{{ premise }} {{ hypothesis }} {{ premise + 1 }}", "cannot render the prompt"),
        ("{{ premise }} {{ hypothesis }} {% for %}", "is not a valid Jinja template"),
        (None, "no prompt '.*prompt.jinja'"),
    ],
)
def test_wrong_templates(tmp_path: Path, template: str | None, message: str) -> None:
    path = tmp_path / "prompt.jinja"
    if template is not None:
        path.write_text(template)
    with pytest.raises(InputError, match=message):
        Prompt(str(path), NLI_LABELS)


def test_a_prompt_that_hides_its_shots_is_refused() -> None:
    with pytest.raises(InputError, match="zero_shot does not show the 2 shots"):
        Prompt("zero_shot", NLI_LABELS, SHOTS)


def test_shots_are_reproducible_balanced_and_never_asked(bundled: MergeDataset) -> None:
    data = read_config(bundled, "all")
    shots = shots_for(data, "demo:problems", 6)
    assert shots == shots_for(data, "demo:problems", 6)
    assert [shot.label for shot in shots] == [*NLI_LABELS, *NLI_LABELS]
    assert not {shot.premise for shot in shots} & {premise for premise, _ in data.pairs}
    assert shots[:3] == shots_for(data, "demo:problems", 3)
    assert shots != shots_for(data, "demo:problems", 6, random_seed=1)


def test_wrong_shots(bundled: MergeDataset, tmp_path: Path) -> None:
    data = read_config(bundled, "noun")
    two = tmp_path / "two.jsonl"
    two.write_text('{"premise": "a b", "hypothesis": "c d", "label": "not_entailment"}\n')
    asked = tmp_path / "asked.jsonl"
    premise, hypothesis = data.pairs[0]
    asked.write_text(f'{{"premise": "{premise}", "hypothesis": "{hypothesis}", "label": "neutral"}}\n')
    unlabeled = tmp_path / "unlabeled.jsonl"
    unlabeled.write_text('{"premise": "a b", "hypothesis": "c d", "gold": "neutral"}\n')
    for source, count, message in (
        ("demo:problems", -1, "shots is -1"),
        ("demo:problems", 10**6, "has only [0-9]+ problems for 1000000 shots"),
        (str(asked), 1, "has only 0 problems for 1 shots"),
        (str(two), 1, "labels of .*two.jsonl are .*not_entailment"),
        (str(tmp_path / "none.jsonl"), 1, "none.jsonl"),
        (str(unlabeled), 1, "no column 'label' .*label_column, which shots_from does not take"),
    ):
        with pytest.raises(InputError, match=message):
            shots_for(data, source, count)
