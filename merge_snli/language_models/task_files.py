"""Write the task files of `merge-snli harness` for lm-evaluation-harness."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from merge_snli.base.files import JsonObject, write_text
from merge_snli.dataset.out_folder import check_out
from merge_snli.language_models import lm_eval_task
from merge_snli.language_models.questions import Questions
from merge_snli.language_models.shots import fill_prompt
from merge_snli.models.filled_prompt import FilledPrompt, Shot
from merge_snli.models.prompts import Prompt
from merge_snli.results.naming import safe_name


def write_task_files(questions: Questions, prompts: Sequence[Prompt], shots: tuple[Shot, ...], out: Path) -> list[Path]:
    """Write two tasks per prompt: `merge_snli_CONFIG_PROMPT` ranks the answers, and one with `_generate` generates one.

    A prompt that asks for reasons has only the latter. The files name the data set and do not contain its texts. With
    `--num_fewshot N`, a prompt shows the first N shots.

    Args:
        questions: The questions.
        prompts: The prompts.
        shots: The shots that the tasks offer.
        out: Folder for the files.

    Returns:
        The files.
    """
    out = check_tasks_folder(out)
    paths = []
    for prompt in prompts:
        for task in _tasks(questions, prompt, shots):
            paths.append(out / f"{task['task']}.yaml")
            write_text(paths[-1], _yaml(task))
    return paths


def check_tasks_folder(out: Path) -> Path:
    """Check that task files can be written to a folder, and expand `~` and links in its path.

    Raises:
        InputError: If `check_out` refuses the folder, or it has other files.
    """
    return check_out(out, "task files", (path.name for path in out.expanduser().glob("merge_snli_*.yaml")))


def _tasks(questions: Questions, prompt: Prompt, shots: tuple[Shot, ...]) -> list[JsonObject]:
    """Return the tasks of a prompt: one that ranks, unless it asks for reasons, and one that generates."""
    filled = fill_prompt(prompt, questions.data, shots=0)
    name = f"merge_snli_{questions.data.config or safe_name(Path(questions.data.name).stem)}_{prompt.name}"
    common = _common(questions, filled, () if prompt.reason_first else shots)
    ranked = {
        "task": name,
        "tag": ["merge_snli", "merge_snli_multiple_choice"],
        **common,
        "output_type": "multiple_choice",
        "doc_to_choice": list(filled.answers),
        "process_results": lm_eval_task.score_choice,
    }
    generated = {
        "task": f"{name}_generate",
        "tag": ["merge_snli", "merge_snli_generate_until"],
        **common,
        "output_type": "generate_until",
        "process_results": lm_eval_task.score_text,
        "generation_kwargs": {"until": [*filled.stop], "do_sample": False, "max_gen_toks": filled.max_tokens},
    }
    return [generated] if prompt.reason_first else [ranked, generated]


def _common(questions: Questions, filled: FilledPrompt, shots: tuple[Shot, ...]) -> JsonObject:
    """Return what all tasks of a prompt have."""
    folder = Path(questions.name)
    prompt = filled.prompt
    metrics = []
    for name in lm_eval_task.METRICS:
        aggregation = getattr(lm_eval_task, name)
        metrics.append({"metric": name, "aggregation": aggregation, "higher_is_better": name != "no_answer"})
    common = {
        "custom_dataset": lm_eval_task.load_questions,
        "metric_list": metrics,
        "test_split": "test",
        "description": "system",
        "doc_to_text": "question",
        "doc_to_target": "target",
    }
    if prompt.shots or prompt.reason_first:  # 0 would refuse --num_fewshot, which is right for reasons only
        common["num_fewshot"] = min(prompt.shots, len(shots))
    samples = [lm_eval_task.fields_of(filled, shot) for shot in shots]
    common["fewshot_config"] = {"sampler": "first_n", "samples": samples}
    common["metadata"] = {
        **questions.record,
        "name": str(folder.resolve()) if folder.exists() else questions.name,
        "prompt": prompt.name,
        "prompt_toml": prompt.toml(),
        "texts": list(filled.texts),
        "version": 1.0,
    }
    return common


def _yaml(content: JsonObject) -> str:
    """Return YAML in which a function is a `!function` tag with its qualified name."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes functions as tags."""

    def function(dumper: yaml.SafeDumper, value: Any) -> yaml.ScalarNode:  # noqa: ANN401 - a function
        return dumper.represent_scalar("!function", f"{value.__module__}.{value.__qualname__}")

    Dumper.add_representer(type(_yaml), function)
    return yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)
