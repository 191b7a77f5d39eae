"""What `merge-snli harness` makes: task files for lm-evaluation-harness, or an estimate of what asking costs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from merge_snli.answers.data import ID_COLUMNS
from merge_snli.base.errors import REASON, explained
from merge_snli.base.files import write_text
from merge_snli.base.table import Column, Table
from merge_snli.dataset.stored import check_out, other_than
from merge_snli.language_models import lm_eval_task
from merge_snli.language_models.questions import Question, Questions
from merge_snli.language_models.shots import fill_prompt
from merge_snli.models.labels import Pair
from merge_snli.models.prompts import FilledPrompt, Prompt, Shot
from merge_snli.results.naming import safe_name
from merge_snli.statistics import proportion_interval

CHARACTERS_PER_TOKEN = 4
# Per call, if a prompt asks for reasons and the user does not say how many.
REASONING_TOKENS = 200
# The values of PA for which an estimate shows the expected interval.
ASSUMED_ACCURACIES = (0.5, 0.9)


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
    return check_out(out, "task files", other_than(path.name for path in out.expanduser().glob("merge_snli_*.yaml")))


def _tasks(questions: Questions, prompt: Prompt, shots: tuple[Shot, ...]) -> list[dict[str, Any]]:
    """Return the tasks of a prompt: one that ranks, unless it asks for reasons, and one that generates."""
    filled = fill_prompt(prompt, questions.data, shots=0)
    name = f"merge_snli_{questions.data.config or safe_name(Path(questions.data.name).stem)}_{prompt.name}"
    ranked: dict[str, Any] = {
        "output_type": "multiple_choice",
        "doc_to_choice": list(filled.answers),
        "process_results": lm_eval_task.score_choice,
    }
    generated: dict[str, Any] = {
        "output_type": "generate_until",
        "process_results": lm_eval_task.score_text,
        "generation_kwargs": {"until": [*filled.stop], "do_sample": False, "max_gen_toks": filled.max_tokens},
    }
    named = {f"{name}_generate": generated} if prompt.reason_first else {name: ranked, f"{name}_generate": generated}
    common = _common(questions, filled, () if prompt.reason_first else shots)
    return [
        {"task": task, "tag": ["merge_snli", f"merge_snli_{options['output_type']}"], **common, **options}
        for task, options in named.items()
    ]


def _common(questions: Questions, filled: FilledPrompt, shots: tuple[Shot, ...]) -> dict[str, Any]:
    folder, prompt = Path(questions.name), filled.prompt
    where = str(folder.resolve()) if folder.exists() else questions.name
    samples = [lm_eval_task.fields_of(filled, shot) for shot in shots]
    metrics = [
        {"metric": name, "aggregation": getattr(lm_eval_task, name), "higher_is_better": name != "no_answer"}
        for name in lm_eval_task.METRICS
    ]
    return {
        "custom_dataset": lm_eval_task.load_questions,
        "metric_list": metrics,
        "test_split": "test",
        "description": "system",
        "doc_to_text": "question",
        "doc_to_target": "target",
        # 0 would refuse --num_fewshot, which is right for reasons only.
        **({"num_fewshot": min(prompt.shots, len(shots))} if prompt.shots or prompt.reason_first else {}),
        "fewshot_config": {"sampler": "first_n", "samples": samples},
        "metadata": {
            **questions.record,
            "name": where,
            "prompt": prompt.name,
            "prompt_toml": prompt.toml(),
            "texts": list(filled.texts),
            "version": 1.0,
        },
    }


def _yaml(content: dict[str, Any]) -> str:
    """Return YAML in which a function is a `!function` tag with its qualified name."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes functions as tags."""

    def function(dumper: yaml.SafeDumper, value: Any) -> yaml.ScalarNode:  # noqa: ANN401 - a function
        return dumper.represent_scalar("!function", f"{value.__module__}.{value.__qualname__}")

    Dumper.add_representer(type(_yaml), function)
    return yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)


def estimate(
    questions: Sequence[Question],
    prompt: FilledPrompt,
    *,
    tokenizer: str | None = None,
    reasoning_tokens: int | None = None,
    input_price: float | None = None,
    output_price: float | None = None,
) -> dict[str, Any]:
    """Estimate what it takes to ask some questions.

    Args:
        questions: The questions.
        prompt: The prompt.
        tokenizer: Folder or Hub id of a tokenizer, whose chat template is counted, too; None to count a token per four
            characters.
        reasoning_tokens: Output tokens of reasoning per call; None for 200 if the prompt asks for reasons, otherwise 0.
        input_price: Price of a million input tokens; None if unknown, like the next one.
        output_price: Price of a million output tokens, of which reasoning is a part.

    Returns:
        The name of the prompt, its number of shots, the number of calls, those of input, output and reasoning tokens
        over all calls, and the cost, or None without both prices.
    """
    texts, is_chat = _shown(prompt, [(question.premise, question.hypothesis) for question in questions], tokenizer)
    answers = -(-len(questions) * count_tokens(prompt.answers, tokenizer) // len(prompt.answers))
    if reasoning_tokens is None:
        reasoning_tokens = REASONING_TOKENS if prompt.prompt.reason_first else 0
    tokens = count_tokens(texts, tokenizer, special=not is_chat)
    return {
        "prompt": prompt.prompt.name,
        "shots": len(prompt.shots),
        **calls_and_cost(len(texts), tokens, answers, reasoning_tokens, input_price, output_price),
    }


def calls_and_cost(
    calls: int,
    input_tokens: int,
    output_tokens: int,
    reasoning_tokens: int,
    input_price: float | None,
    output_price: float | None,
) -> dict[str, Any]:
    """Return the number of calls, their tokens of each kind, and their cost.

    Args:
        calls: The number of calls.
        input_tokens: Tokens of all questions.
        output_tokens: Tokens of all answers.
        reasoning_tokens: Tokens of reasoning per call.
        input_price: As for `estimate`, like the next one.
        output_price: Price of output and reasoning tokens.
    """
    reasoning = calls * reasoning_tokens
    prices = (input_price or 0) * input_tokens + (output_price or 0) * (output_tokens + reasoning)
    return {
        "calls": calls,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "reasoning_tokens": reasoning,
        "cost": None if None in (input_price, output_price) else prices / 1_000_000,
    }


def half_widths(questions: Sequence[Question]) -> dict[str, Any]:
    """Return the number of seeds or groups with rows among some questions, and what their number says about PA.

    Returns:
        `seeds`, and `half_widths`: half the width of the 95% Wilson score interval of PA over so many seeds, by PA.
    """
    groups = set()
    for question in questions:
        for use in question.uses:
            if not use.keys().isdisjoint(ID_COLUMNS):
                groups.add(use.get("seed_id", use.get("group_id")))
    widths = {}
    if groups:
        for accuracy in ASSUMED_ACCURACIES:
            interval = proportion_interval(round(accuracy * len(groups)), len(groups))
            widths[str(accuracy)] = (interval.high - interval.low) / 2
    return {"seeds": len(groups), "half_widths": widths}


def estimate_table(estimates: Sequence[dict[str, Any]], expected: dict[str, Any], tokenizer: str | None) -> Table:
    """Return the estimates as a table, one row per prompt.

    Args:
        estimates: At least one estimate.
        expected: The result of `half_widths`; empty for other questions than those on labels.
        tokenizer: What counted the tokens, as in `estimate`.
    """
    counted = "" if tokenizer else f" (a token per {CHARACTERS_PER_TOKEN} characters)"
    fields = [name for name in estimates[0] if name != "cost" or estimates[0]["cost"] is not None]
    columns = [Column(name.replace("_", " "), format=",.2f" if name == "cost" else None) for name in fields]
    widths = ", ".join(f"±{100 * width:.1f} points at {at}" for at, width in expected.get("half_widths", {}).items())
    notes = [f"Output tokens: those of the answers{counted}; reasoning tokens are assumed, not counted."]
    if widths:
        notes.append(f"Expected 95% interval of PA with {expected['seeds']:,} seeds: {widths}.")
    return Table(
        columns=(replace(columns[0], align="left"), *columns[1:]),
        rows=tuple(tuple(row[field] for field in fields) for row in estimates),
        notes=tuple(notes),
    )


def count_tokens(texts: Sequence[str], tokenizer: str | None, *, special: bool = True) -> int:
    """Count the tokens of all texts, by a tokenizer, or without one a token per four characters.

    Args:
        texts: The texts.
        tokenizer: Folder or Hub id of the tokenizer.
        special: Whether the tokenizer adds its special tokens.
    """
    if tokenizer is None:
        return sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    return sum(map(len, _tokenizer(tokenizer)(list(texts), add_special_tokens=special)["input_ids"]))


def _shown(prompt: FilledPrompt, pairs: Sequence[Pair], tokenizer: str | None) -> tuple[list[str], bool]:
    """Return what a model is shown about pairs, and whether a chat template wrote it, with its special tokens."""
    from merge_snli.models.runner.causal_lm import shown_text

    if tokenizer is None:
        return [prompt.text(*pair) for pair in pairs], False
    loaded = _tokenizer(tokenizer)
    return [shown_text(prompt, pair, loaded) for pair in pairs], bool(loaded.chat_template)


def _tokenizer(name: str) -> Any:  # noqa: ANN401 - its methods are untyped
    from transformers import AutoTokenizer

    with explained((OSError, ValueError), f"cannot load the tokenizer {name}: {REASON}; give its folder or Hub id"):
        return AutoTokenizer.from_pretrained(name)
