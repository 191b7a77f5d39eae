"""What `merge-snli harness` makes: task files for lm-evaluation-harness, or an estimate of what asking costs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, reason
from merge_snli.base.files import write_text
from merge_snli.base.table import Column, Table
from merge_snli.dataset.folders import check_out
from merge_snli.language_models import lm_eval_task
from merge_snli.language_models.prompts import MAX_TOKENS, STOP, instruction, problem_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.language_models.prompts import Prompt, Shot
    from merge_snli.language_models.questions import Question, Questions

DELIMITER = "\n\n"

CHARACTERS_PER_TOKEN = 4


def write_task_files(asked: Questions, shots: tuple[Shot, ...], out: Path) -> list[Path]:
    """Write two tasks: `merge_snli_CONFIG` ranks the label words, `merge_snli_CONFIG_generate` generates an answer.

    The files name the data set and do not contain its texts. With `--num_fewshot N`, a prompt shows the first N shots.

    Args:
        asked: The questions.
        shots: The shots that the tasks offer.
        out: Folder for the files.

    Returns:
        The files.

    Raises:
        InputError: If `out` is a file, is not writable or is in a data set.
    """
    out = check_out(out)
    name = f"merge_snli_{asked.data.config}"
    tasks: dict[str, dict[str, Any]] = {
        name: {"output_type": "multiple_choice", "doc_to_choice": list(asked.data.label_names)},
        f"{name}_generate": {
            "output_type": "generate_until",
            "generation_kwargs": {"until": [*STOP], "do_sample": False, "max_gen_toks": MAX_TOKENS},
        },
    }
    paths = []
    for task, options in tasks.items():
        path = out / f"{task}.yaml"
        write_text(path, _yaml({"task": task, **_common(asked, shots), **options, **_functions(options)}))
        paths.append(path)
    return paths


def _common(asked: Questions, shots: tuple[Shot, ...]) -> dict[str, Any]:
    labels = asked.data.label_names
    folder = Path(asked.name)
    where = str(folder.resolve()) if folder.is_dir() else asked.name
    return {
        "tag": "merge_snli",
        "test_split": "test",
        "description": instruction(labels) + DELIMITER,
        "doc_to_text": problem_template(),
        "doc_to_target": "label",
        "fewshot_config": {"sampler": "first_n", "samples": [asdict(shot) for shot in shots]},
        "metadata": {**asked.record, "name": where, "version": 1.0},
    }


def _functions(options: dict[str, Any]) -> dict[str, Any]:
    score = lm_eval_task.score_choice if options["output_type"] == "multiple_choice" else lm_eval_task.score_text
    metrics = [
        {"metric": name, "aggregation": getattr(lm_eval_task, name), "higher_is_better": name != "no_answer"}
        for name in lm_eval_task.METRICS
    ]
    return {"custom_dataset": lm_eval_task.load_questions, "process_results": score, "metric_list": metrics}


def _yaml(content: dict[str, Any]) -> str:
    """Return YAML in which a function is a `!function` tag with its qualified name."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes functions as tags."""

    def function(dumper: yaml.SafeDumper, value: Any) -> yaml.ScalarNode:  # noqa: ANN401 - a function
        return dumper.represent_scalar("!function", f"{value.__module__}.{value.__qualname__}")

    Dumper.add_representer(type(_yaml), function)
    return yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)


def estimate(questions: Sequence[Question], prompt: Prompt, tokenizer: str | None = None) -> dict[str, Any]:
    """Count the calls and the input tokens of some questions.

    Args:
        questions: The questions.
        prompt: The prompt.
        tokenizer: Folder or Hub id of a tokenizer; None to count a token per four characters.

    Returns:
        The name of the prompt, its number of shots, the number of calls, that of input tokens over all calls, and
        whether a tokenizer counted these.

    Raises:
        InputError: If the tokenizer cannot be loaded.
    """
    texts = [prompt.render(question.premise, question.hypothesis) for question in questions]
    if tokenizer is None:
        tokens = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    else:
        tokens = _count(texts, tokenizer)
    return {
        "prompt": prompt.name,
        "shots": len(prompt.shots),
        "calls": len(texts),
        "input_tokens": tokens,
        "counted": tokenizer is not None,
    }


def estimate_table(estimates: Sequence[dict[str, Any]]) -> Table:
    """Return the estimates as a table, one row per prompt."""
    tokens = "input tokens" if estimates[0]["counted"] else "input tokens (characters / 4)"
    columns = (Column("prompt", align="left"), Column("shots"), Column("calls"), Column(tokens))
    rows = tuple((each["prompt"], each["shots"], each["calls"], each["input_tokens"]) for each in estimates)
    return Table(columns=columns, rows=rows)


def _count(texts: Sequence[str], tokenizer: str) -> int:
    from transformers import AutoTokenizer

    try:
        loaded = AutoTokenizer.from_pretrained(tokenizer)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot load the tokenizer {tokenizer}: {reason(error)}; give its folder or Hub id"
        ) from error
    return sum(map(len, loaded(list(texts))["input_ids"]))
