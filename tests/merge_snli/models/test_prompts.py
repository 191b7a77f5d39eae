"""Prompts show the problem, the words for the labels and the shots, in a chat and as text."""

import re
import tomllib
from pathlib import Path

import pytest

from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.answers import read_answer
from merge_snli.models.filled_prompt import FilledPrompt, Shot
from merge_snli.models.prompts import FOLDER, PROMPTS, TASK_PROMPT, Prompt, parse_prompt, read_prompt, read_prompts
from merge_snli.schema import NLI_LABELS
from tests import ROOT
from tests.oracles import refused, written

SHOTS = (Shot("It rains.", "It is wet.", "entailment"), Shot("A dog runs.", "A cat runs.", "neutral"))
OTHER_LABELS = ("not_equivalent", "equivalent")
PROBLEM = ("A man sleeps.", "A man is awake.")


def filled(name: str, labels: tuple[str, ...] = NLI_LABELS, shots: tuple[Shot, ...] = ()) -> FilledPrompt:
    return FilledPrompt(read_prompt(name), labels, shots)


def test_every_bundled_file_is_a_prompt_of_its_name() -> None:
    prompts = read_prompts("all")
    assert {path.stem for path in FOLDER.iterdir()} == {*PROMPTS, TASK_PROMPT}
    assert read_prompt(TASK_PROMPT).name == TASK_PROMPT
    assert [prompt.name for prompt in prompts] == [*PROMPTS]
    assert {prompt.answer for prompt in prompts} == {"word", "letter", "json"}
    for prompt in prompts:
        assert prompt.summary
        assert parse_prompt(tomllib.loads(prompt.toml()), "text") == prompt
        assert prompt.reason_first == (prompt.name == "reasons"), "say here whether a new prompt asks for reasons"


def test_the_page_names_every_prompt() -> None:
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^\| `(\w+)`", page.split("| entry |")[0], re.MULTILINE)} == {*PROMPTS, TASK_PROMPT}


def test_shots_stand_before_the_question_with_their_answers() -> None:
    zero = filled("word")
    few = filled("few_shot", shots=SHOTS)
    question = "Premise: A man sleeps.\nHypothesis: A man is awake.\nAnswer:"
    shown = (
        "Premise: It rains.\nHypothesis: It is wet.\nAnswer: entailment\n\n"
        "Premise: A dog runs.\nHypothesis: A cat runs.\nAnswer: neutral\n\n"
    )
    assert "entailment, neutral or contradiction" in zero.system
    assert zero.messages(*PROBLEM) == [
        {"role": "system", "content": zero.system},
        {"role": "user", "content": question},
    ]
    assert few.messages(*PROBLEM)[1]["content"] == shown + question
    assert few.text(*PROBLEM) == f"{zero.system}\n\n{shown}{question}"
    assert filled("few_shot").messages(*PROBLEM) == zero.messages(*PROBLEM)
    assert zero.digest != few.digest


def test_the_words_of_a_prompt_stand_for_the_labels() -> None:
    assert filled("lm_eval", shots=SHOTS).text(*PROBLEM) == (
        "It rains.\nQuestion: It is wet. True, False, or Neither?\nAnswer: True\n\n"
        "A dog runs.\nQuestion: A cat runs. True, False, or Neither?\nAnswer: Neither\n\n"
        "A man sleeps.\nQuestion: A man is awake. True, False, or Neither?\nAnswer:"
    )
    assert filled("lm_eval", TWO_WAY).text("a", "b") == "a\nQuestion: b True or False?\nAnswer:"
    assert filled("lm_eval", TWO_WAY).answers == ("True", "False")
    assert "B. not_entailment" in filled("letter", TWO_WAY).question("a", "b")
    assert filled("letter").answers == ("A", "B", "C")


@pytest.mark.parametrize("labels", [NLI_LABELS, TWO_WAY, OTHER_LABELS])
@pytest.mark.parametrize("name", PROMPTS)
def test_the_answers_that_a_prompt_asks_for_are_read_or_the_labels_refused(name: str, labels: tuple[str, ...]) -> None:
    if read_prompt(name).words and labels == OTHER_LABELS:
        refused(rf"{name} asks for .*, and the labels are not_equivalent, equivalent", filled, name, labels)
        return
    prompt = filled(name, labels)
    assert len({*prompt.answers}) == len(labels)
    for answer, label in zip(prompt.answers, labels, strict=True):
        assert read_answer(answer, labels, prompt.prompt.answer, prompt.words) == label


def test_labels_of_another_task_are_read_in_other_spellings() -> None:
    assert read_answer("Not equivalent.", OTHER_LABELS) == "not_equivalent"
    assert read_answer("**Equivalent**", OTHER_LABELS) == "equivalent"


def test_the_prompt_of_other_tasks_names_texts_and_labels_as_the_data_does() -> None:
    labels = ("different", "equivalent")
    texts = TextNames("sentence1", "sentence2")
    shown = FilledPrompt(read_prompt(TASK_PROMPT), labels, (Shot("a", "b", "equivalent"),), texts)
    assert shown.text("c", "d") == (
        "Each problem has two texts: sentence1 and sentence2. Which label is right for them? "
        "Answer with one label: different or equivalent.\n\n"
        "sentence1: a\nsentence2: b\nAnswer: equivalent\n\nsentence1: c\nsentence2: d\nAnswer:"
    )
    assert shown.stop == ("\n\nsentence1:",)
    assert shown.answers == labels


def test_a_base_model_stops_at_its_own_problem() -> None:
    assert filled("word").stop == ("\n\nPremise:",)
    assert filled("lm_eval").stop == ("\nQuestion:",)
    assert filled("reasons").stop == ()
    assert filled("reasons").max_tokens > filled("word").max_tokens > 500
    bare = Prompt(name="bare", question="{{ premise }} {{ hypothesis }}", answer="word")
    assert FilledPrompt(bare, NLI_LABELS).stop == ()


def test_a_file_of_the_user(tmp_path: Path) -> None:
    path = written(
        tmp_path / "mine.toml",
        'name = "mine"\nanswer = "word"\nquestion = "{{ premise }} => {{ hypothesis }} ({{ words | join(\'/\') }})"\n'
        '[words]\nneutral = "maybe"\n',
    )
    shown = FilledPrompt(read_prompt(path), NLI_LABELS)
    assert shown.text("{{ x }} & <y>", "z") == "{{ x }} & <y> => z (entailment/maybe/contradiction)"
    assert [prompt.name for prompt in read_prompts(f"word, {path}")] == ["word", "mine"]
    assert [prompt.name for prompt in read_prompts(["all", str(path)])] == [*PROMPTS, "mine"]
    path.write_text(path.read_text().replace('"mine"', '"word"'))
    refused("two prompts with the name word", read_prompts, ["all", str(path)])


WRONG = tomllib.loads(Path(__file__).with_name("wrong_prompts.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", WRONG)
def test_wrong_prompts(tmp_path: Path, case: str) -> None:
    path = written(tmp_path / "mine.toml", WRONG[case]["toml"])
    refused(WRONG[case]["message"], lambda: FilledPrompt(read_prompt(path), NLI_LABELS))


def test_a_prompt_that_does_not_exist(tmp_path: Path) -> None:
    refused(r"no prompt '.*mine.toml'.* word, few_shot", read_prompt, tmp_path / "mine.toml")


def test_the_letter_of_its_own_label_is_a_word() -> None:
    prompt = Prompt(name="x", question="{{ premise }} {{ hypothesis }}", answer="word", words={"neutral": "B"})
    assert FilledPrompt(prompt, NLI_LABELS).words == ("entailment", "B", "contradiction")


def test_a_prompt_that_asks_for_reasons_shows_no_shots() -> None:
    refused("reasons asks for reasons, which the 2 shots do not have", filled, "reasons", shots=SHOTS)
