"""What `merge-snli harness` makes: task files for lm-evaluation-harness, or an estimate of what asking costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, reason
from merge_snli.base.files import write_text
from merge_snli.base.table import Column, Table
from merge_snli.dataset.folders import check_out
from merge_snli.language_models import lm_eval_task
from merge_snli.language_models.prompts import FilledPrompt
from merge_snli.scoring.results.files import safe_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.language_models.prompts import Prompt, Shot
    from merge_snli.language_models.questions import Question, Questions

CHARACTERS_PER_TOKEN = 4


def write_task_files(asked: Questions, prompts: Sequence[Prompt], shots: tuple[Shot, ...], out: Path) -> list[Path]:
    """Write two tasks per prompt: `merge_snli_CONFIG_PROMPT` ranks the answers, and one with `_generate` generates one.

    A prompt that asks for reasons has only the latter. The files name the data set and do not contain its texts. With
    `--num_fewshot N`, a prompt shows the first N shots.

    Args:
        asked: The questions.
        prompts: The prompts.
        shots: The shots that the tasks offer.
        out: Folder for the files.

    Returns:
        The files.

    Raises:
        InputError: If a prompt is invalid, or `out` is a file, is not writable or is in a data set.
    """
    out = check_out(out)
    tasks = [task for prompt in prompts for task in _tasks(asked, prompt, shots)]
    paths = [out / f"{task['task']}.yaml" for task in tasks]
    for path, task in zip(paths, tasks, strict=True):
        write_text(path, _yaml(task))
    return paths


def _tasks(asked: Questions, prompt: Prompt, shots: tuple[Shot, ...]) -> list[dict[str, Any]]:
    """Return the tasks of a prompt: one that ranks, unless it asks for reasons, and one that generates."""
    filled = FilledPrompt(prompt, asked.data.label_names)
    name = f"merge_snli_{asked.data.config or safe_name(Path(asked.data.name).stem)}_{prompt.name}"
    ranked: dict[str, Any] = {"output_type": "multiple_choice", "doc_to_choice": list(filled.answers)}
    generated: dict[str, Any] = {
        "output_type": "generate_until",
        "generation_kwargs": {"until": [*filled.stop], "do_sample": False, "max_gen_toks": filled.max_tokens},
    }
    named = {f"{name}_generate": generated} if prompt.reason_first else {name: ranked, f"{name}_generate": generated}
    common = _common(asked, filled, () if prompt.reason_first else shots)
    return [
        {"task": task, "tag": ["merge_snli", f"merge_snli_{options['output_type']}"], **common, **options}
        | _functions(options)
        for task, options in named.items()
    ]


def _common(asked: Questions, filled: FilledPrompt, shots: tuple[Shot, ...]) -> dict[str, Any]:
    folder, prompt = Path(asked.name), filled.prompt
    where = str(folder.resolve()) if folder.exists() else asked.name
    samples = [lm_eval_task.fields_of(filled, shot) for shot in shots]
    return {
        "test_split": "test",
        "description": "system",
        "doc_to_text": "question",
        "doc_to_target": "target",
        # 0 would refuse --num_fewshot, which is right for reasons only.
        **({"num_fewshot": min(prompt.shots, len(shots))} if prompt.shots or prompt.reason_first else {}),
        "fewshot_config": {"sampler": "first_n", "samples": samples},
        "metadata": {
            **asked.record,
            "name": where,
            "prompt": prompt.name,
            "prompt_toml": prompt.toml(),
            "version": 1.0,
        },
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


def estimate(questions: Sequence[Question], prompt: FilledPrompt, tokenizer: str | None = None) -> dict[str, Any]:
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
    texts = [prompt.text(question.premise, question.hypothesis) for question in questions]
    if tokenizer is None:
        tokens = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    else:
        tokens = _count(texts, tokenizer)
    return {
        "prompt": prompt.prompt.name,
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
