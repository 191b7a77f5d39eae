"""Letters in another order of the labels are read as the labels that the prompt listed, in both harnesses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from merge_snli.cli import main
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.questions import Scope, read_questions
from merge_snli.models.prompts import FilledPrompt, read_prompt
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.language_models.conftest import OWN, lm_eval_logs_of

SCOPE: dict[str, Any] = {"config": "verb", "limit_seeds": 3}


def right_letters(prompt: str) -> dict[tuple[str, str], str]:
    """Return the right answer to each pair."""
    filled, asked = FilledPrompt(read_prompt(prompt), NLI_LABELS), read_questions(OWN, Scope(**SCOPE))
    return {(each.premise, each.hypothesis): filled.answer_for(each.label) for each in asked.questions}


def test_inspect_asks_in_several_orders(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    names = ["letter", "letter-2-3-1", "letter-3-1-2"]
    outputs = [ModelOutput.from_content("mockllm/m", text) for name in names for text in right_letters(name).values()]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=50, output_tokens=1, total_tokens=51)
    logs = inspect_eval(
        "merge_snli/nli",
        model=get_model("mockllm/m", memoize=False, custom_outputs=outputs),
        task_args={"dataset": OWN, **SCOPE, "prompt": "letter", "orders": "balanced"},
        log_dir=str(tmp_path),
        display="none",
        max_samples=1,
        max_tasks=1,
    )
    results = import_files([log.location for log in logs], OWN)
    assert [result.run.prompt and result.run.prompt.prompt for result in results] == names
    assert [result.pattern_accuracy for result in results] == [1, 1, 1]
    assert "another label" not in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "_generate"])
def test_lm_evaluation_harness_asks_in_another_order(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    from lm_eval.api.model import LM

    right = right_letters("letter-2-3-1")

    def answer(text: str) -> str:
        return next(letter for (premise, hypothesis), letter in right.items() if premise in text and hypothesis in text)

    class Scripted(LM):  # type: ignore[misc]
        """Knows the right letter."""

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            return [(float(request.args[1].strip() == answer(request.args[0])), False) for request in requests]

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [answer(request.args[0]) for request in requests]

        loglikelihood_rolling = generate_until

    options = ["--config", "verb", "--limit-seeds", "3", "--prompt", "letter-2-3-1", "--out", str(tmp_path / "tasks")]
    assert main(["harness", OWN, *options]) == 0
    logs = lm_eval_logs_of(Scripted(), [f"merge_snli_verb_letter-2-3-1{kind}"], tmp_path)
    (result,) = import_files(logs, OWN)
    assert result.pattern_accuracy == 1
    assert (result.run.prompt and result.run.prompt.order) == (2, 3, 1)
    assert "another label" not in caplog.text
