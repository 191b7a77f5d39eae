"""Task files: lm-evaluation-harness loads and scores them, and its numbers equal those of the answers."""

import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from statsmodels.stats.proportion import proportion_confint
from transformers import AutoTokenizer

from merge_snli.dataset.stored import MergeDataset
from merge_snli.language_models.lm_eval_task import (
    load_questions,
    no_answer,
    pattern_accuracy,
    sample_accuracy,
    score_choice,
    score_text,
    seed_sample_accuracy,
)
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.models.filled_prompt import FilledPrompt, Shot
from merge_snli.models.prompts import PROMPTS, read_prompt
from merge_snli.schema import NLI_LABELS
from tests.cases import first_fast
from tests.commands import Command
from tests.merge_snli.language_models.conftest import OWN, Json, write_tasks
from tests.oracles import refused, write_rows
from tests.processes import printed_by

SHOTS = (
    {"premise": "A poet sings.", "hypothesis": "A poet is silent.", "label": "contradiction"},
    {"premise": "A king reads.", "hypothesis": "A king is rich.", "label": "neutral"},
)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tasks(tmp_path_factory.mktemp("harness"), "--config", "verb", "--limit-seeds", "3")


def read_task(tasks: Path, name: str) -> Json:
    return yaml.safe_load((tasks / f"{name}.yaml").read_text(encoding="utf-8").replace("!function ", ""))


def test_the_files_hold_no_text_of_the_data_set(tasks: Path) -> None:
    names = {path.name for path in tasks.iterdir()}
    ranked = {f"merge_snli_verb_{prompt}.yaml" for prompt in PROMPTS if not read_prompt(prompt).reason_first}
    assert names == ranked | {f"merge_snli_verb_{prompt}_generate.yaml" for prompt in PROMPTS}
    text = (tasks / min(names)).read_text(encoding="utf-8")
    assert "seed_premise" not in text
    assert text.count("!function 'merge_snli.language_models.lm_eval_task.") == 6


def test_the_tasks_of_other_data_name_its_texts_and_offer_no_shots_of_nli(
    question_dataset: Path, tmp_path: Path
) -> None:
    tasks = write_tasks(tmp_path, "--limit-seeds", "2", dataset=str(question_dataset))
    assert {path.stem for path in tasks.iterdir()} == {"merge_snli_all_task", "merge_snli_all_task_generate"}
    task = read_task(tasks, "merge_snli_all_task")
    assert (task["doc_to_choice"], task["fewshot_config"]["samples"]) == (["no", "yes"], [])
    first = load_questions(**task["metadata"])["test"][0]
    assert first["question"] == f"question: {first['premise']}\nsentence: {first['hypothesis']}\nAnswer:"


def test_other_data_need_shots_of_their_task_for_a_prompt_with_shots(
    question_dataset: Path, tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "tasks"
    given = ["harness", str(question_dataset), "--limit-seeds", "2", "--prompt", "few_shot", "--out", str(out)]
    assert "not no, yes: name a data set of the same task with --shots-from" in command(*given, code=2).err
    assert not out.exists()
    rows = [
        {"question": f"Who is number {at}?", "sentence": "A nurse.", "label": ("no", "yes")[at % 2]} for at in (1, 2, 3)
    ]
    command(*given, "--shots-from", write_rows(tmp_path / "problems.jsonl", rows))
    assert "the prompt few_shot calls premise and hypothesis: use the prompt task" in caplog.text
    assert "num_fewshot: 3" in (out / "merge_snli_all_few_shot.yaml").read_text(encoding="utf-8")


def test_a_blank_line_does_not_end_an_answer(tasks: Path) -> None:
    text = (tasks / "merge_snli_verb_word_generate.yaml").read_text(encoding="utf-8")
    assert "Premise:" in text[text.index("until:") :]
    (limit,) = re.findall(r"max_gen_toks: (\d+)", text)
    assert int(limit) > 500


class Neutral(LM):  # type: ignore[misc]
    """Answers every question with neutral, and every fourth unreadably where it writes; keeps the questions."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        self.asked.update(request.args[0] for request in requests)
        return [(float(request.args[1].strip() in ("neutral", "Neither")), False) for request in requests]

    def generate_until(self, requests: list[Any]) -> list[str]:
        self.asked.update(request.args[0] for request in requests)
        return ["?" if number % 4 == 0 else "neutral" for number in range(len(requests))]

    loglikelihood_rolling = generate_until


@pytest.mark.parametrize("name", first_fast(["word", "word_generate", "lm_eval"]))
def test_lm_eval_scores_a_task(tasks: Path, name: str) -> None:
    model = Neutral()
    task = f"merge_snli_verb_{name}"
    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    results = simple_evaluate(
        model, tasks=[task], num_fewshot=2, task_manager=manager, bootstrap_iters=0, log_samples=True
    )
    values = results["results"][task]
    docs = [sample["doc"] for sample in results["samples"][task]]
    assert len(docs) == 33
    if name.endswith("generate"):
        assert values["no_answer,none"] == 9
    else:
        assert values["no_answer,none"] == 0
        golds = [doc["label"] for doc in docs if "variant_id" not in doc["uses"]]
        share = golds.count("neutral") / len(golds)
        for metric in ("seed_sample_accuracy", "sample_accuracy", "pattern_accuracy"):
            assert values[f"{metric},none"] == share, metric
    samples = read_task(tasks, task)["fewshot_config"]["samples"][:2]
    shots = tuple(Shot(sample["premise"], sample["hypothesis"], sample["label"]) for sample in samples)
    filled = FilledPrompt(read_prompt(name.removesuffix("_generate")), NLI_LABELS, shots)
    assert model.asked == {filled.text(doc["premise"], doc["hypothesis"]) for doc in docs}


def test_metrics_of_what_was_not_asked_are_nan(bundled: MergeDataset) -> None:
    scope: Json = {"config": "noun", "subsample": 0, "seeds": "only", "limit_seeds": 4}
    prompt = read_prompt("word").toml()
    first, *docs = load_questions(dataset=bundled.digest, name=OWN, extra="ignored", prompt_toml=prompt, **scope)[
        "test"
    ]
    items = [score_text(first, ["?"])["no_answer"]]
    items += [score_text(doc, [doc["label"]])["no_answer"] for doc in docs]
    assert seed_sample_accuracy(items) == 0.75
    assert no_answer(items) == 1
    assert math.isnan(sample_accuracy(items))
    assert math.isnan(pattern_accuracy(items))
    assert score_choice(first, [(-1.0, False), (-0.5, True), (-0.5, False)])["no_answer"][1] == "neutral"


def test_a_changed_data_set_is_refused() -> None:
    refused(
        "has changed since the task file was written",
        load_questions,
        dataset="0" * 64,
        name=OWN,
        config="noun",
        subsample=0,
        seeds="with",
        limit_seeds=None,
        prompt_toml=read_prompt("word").toml(),
        error=ValueError,
    )


def estimated(command: Command, *options: str) -> Json:
    return command("harness", OWN, "--estimate", "--format", "json", *options).json


def test_an_estimate_counts_calls_and_tokens(bundled: MergeDataset, command: Command) -> None:
    given = ["--config", "noun"]
    rows = estimated(command, *given)["estimates"]
    assert [row["prompt"] for row in rows] == [*PROMPTS]
    assert {row["calls"] for row in rows} == {len(read_questions(bundled, Scope(config="noun")).questions)}
    assert rows[1]["input_tokens"] > rows[0]["input_tokens"] > 20 * rows[0]["calls"]
    counted = estimated(command, *given, "--tokenizer", str(Path(OWN) / "embedded" / "nli-a"))["estimates"]
    assert counted[0]["input_tokens"] != rows[0]["input_tokens"]
    assert "a token per 4 characters" in command("harness", OWN, *given, "--estimate").out


def test_an_estimate_counts_the_chat_template(tmp_path: Path, command: Command) -> None:
    tokenizer = AutoTokenizer.from_pretrained(Path(OWN) / "embedded" / "nli-a")
    tokenizer.chat_template = (
        "{% for message in messages %}[CLS] {{ message.role }} {{ message.content }} [SEP]{% endfor %}"
        "{% if add_generation_prompt %}[CLS] assistant{% endif %}"
    )
    tokenizer.save_pretrained(tmp_path / "chat")
    given = ["--config", "verb", "--limit-seeds", "2", "--prompt", "word"]
    (counted,) = estimated(command, *given, "--tokenizer", str(tmp_path / "chat"))["estimates"]
    prompt = FilledPrompt(read_prompt("word"), NLI_LABELS)
    tokens = 0
    for each in read_questions(OWN, Scope(config="verb", limit_seeds=2)).questions:
        messages = prompt.messages(each.premise, each.hypothesis)
        tokens += len(tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False))
    assert counted["input_tokens"] == tokens


def test_an_estimate_has_the_cost_and_the_expected_interval(command: Command) -> None:
    given = ["--config", "noun", "--limit-seeds", "40", "--prompt", "json", "reasons"]
    prices = ["--input-price", "2", "--output-price", "8"]
    document = estimated(command, *given, *prices)
    as_json, reasons = document["estimates"]
    assert as_json["reasoning_tokens"] == 0
    assert reasons["reasoning_tokens"] == 200 * reasons["calls"]
    # {"answer": "entailment"}: 24, 21 and 27 characters, so 6, 6 and 7 tokens
    assert as_json["output_tokens"] == math.ceil(as_json["calls"] * 19 / 3)
    output = reasons["output_tokens"] + reasons["reasoning_tokens"]
    assert reasons["cost"] == pytest.approx((2 * reasons["input_tokens"] + 8 * output) / 1e6)
    expected = document["pattern_accuracy"]
    low, high = proportion_confint(20, 40, method="wilson")
    assert expected["seeds"] == 40
    assert expected["half_widths"]["0.5"] == pytest.approx((high - low) / 2)
    printed = command("harness", OWN, *given, "--estimate", "--reasoning-tokens", "1000").out
    assert f"{1000 * reasons['calls']:,}" in printed
    assert f"40 seeds: ±{50 * (high - low):.1f} points at 0.5" in " ".join(printed.split())
    assert estimated(command, *given)["estimates"][0]["cost"] is None


def test_fewer_problems_than_shots_are_all_offered(
    tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    given = ["--config", "noun", "--limit-seeds", "2", "--shots-from", str(write_rows(tmp_path / "few.jsonl", SHOTS))]
    task = (write_tasks(tmp_path, *given) / "merge_snli_noun_few_shot.yaml").read_text(encoding="utf-8")
    assert "has 2 of 9 shots" in caplog.text
    assert task.count("hypothesis: ") == len(SHOTS) and f"num_fewshot: {len(SHOTS)}" in task
    assert "only 2 problems for 3 shots" in command("harness", OWN, *given, "--estimate", code=2).err


def test_prompts_are_shown_in_full(bundled: MergeDataset, command: Command) -> None:
    shown = command("harness", OWN, "--config", "noun", "--prompt", "letter", "reasons", "--show-prompts").out
    first = read_questions(bundled, Scope(config="noun")).questions[0]
    for name in ("letter", "reasons"):
        for message in FilledPrompt(read_prompt(name), NLI_LABELS).messages(first.premise, first.hypothesis):
            assert message["content"] in shown
    assert "`A`, `B`, `C`" in shown


@pytest.mark.slow
def test_neither_harness_is_imported_by_other_modules() -> None:
    code = (
        "import sys, merge_snli.cli.harness\n"
        "import merge_snli.language_models.estimates, merge_snli.language_models.task_files\n"
        "print(sorted({'inspect_ai', 'lm_eval', 'torch', 'transformers', 'datasets'} & sys.modules.keys()))"
    )
    assert printed_by(code) == "[]"
