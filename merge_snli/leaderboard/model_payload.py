"""Build the JSON data of a model on the page: what it is, how it was run, its scores by part, and its hardest seeds."""

from collections.abc import Iterable
from dataclasses import fields
from itertools import pairwise
from typing import Any

from merge_snli.answers.data import MASKED_LM
from merge_snli.comparison.statistics_tables import effect_text
from merge_snli.leaderboard.boards import Entry
from merge_snli.leaderboard.seeds import SeedPredictions, inconsistent, seeds_by_hardness
from merge_snli.models.labels import ANSWERS, FUNCTION, PROMPT
from merge_snli.results.grouping import is_two_way, permuted_labels
from merge_snli.results.prompts import PromptGroup, results_of
from merge_snli.results.records import TAKEN, PromptRecord
from merge_snli.results.result import Result
from merge_snli.results.rows import ScoreRow
from merge_snli.results.scores import Calibration, Curve
from merge_snli.schema import ALL
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

Json = dict[str, Any]

# Number of seeds in each of a model's two lists.
SEEDS_SHOWN = 10
# Maximum number of variants shown per seed.
FLIPS_SHOWN = 12
# Decimals of shares: rounding a share with so many again, for the page, gives what rounding it once gives.
DIGITS = 9
# Curve values are multiplied by this and rounded to integers.
CURVE_SCALE = 10**DIGITS
# The scores of a part that have intervals, by name on the page.
WITH_INTERVALS = {"seeds": "seed_accuracy", "variants": "sample_accuracy", "pa": "pattern_accuracy", "qt": "qt"}


def model_data(entry: Entry, texts: Json | None) -> Json:
    """Return the data of a model.

    Args:
        entry: The model on its board.
        texts: Texts of the seeds of the board; None without its data set.
    """
    result = entry.result
    data: Json = {"key": entry.key, "name": entry.name}
    data |= _about_model(result)
    data |= _about_run(result)
    data["unranked"] = entry.unranked
    data["flags"] = _flags(result)
    data["notes"] = _notes(entry)
    data["source"] = _source(result)
    data["calibration"] = _calibration(result.row)
    data["parts"] = _parts(result)
    data["consistency"] = _consistency(result)
    data |= _seeds(result, texts)
    return data


def _about_model(result: Result) -> Json:
    model = result.model
    return {
        "revision": model.revision,
        "digest": model.digest,
        "architecture": model.architecture,
        "parameters": model.parameters,
        "training": model.training_data,
        "labels": model.labels,
        "labelOrigin": model.label_origin,
    }


def _about_run(result: Result) -> Json:
    run = result.run
    return {
        "dtype": run.dtype,
        "device": run.device,
        "versions": run.versions,
        "prompt": None if run.prompt is None else _prompt(run.prompt, run.no_answers),
        "prompts": len(results_of(result)),
    }


def _prompt(prompt: PromptRecord, no_answers: int) -> Json:
    """Return how a language model was prompted, in words by name, without what is unknown."""
    values: Json = {
        "Prompt": f"{prompt.title} [{prompt.prompt_digest[:8]}]",
        "Answers": prompt.answers,
        "Provider": prompt.provider,
    }
    if prompt.temperature is not None:
        values["Temperature"] = f"{prompt.temperature:g}"
    values |= prompt.settings
    values["Harness"] = " ".join(filter(None, (prompt.harness, prompt.harness_version)))
    for name in TAKEN:
        taken = getattr(prompt, name)
        if taken is not None:
            values[name.replace("_", " ").capitalize()] = f"{round(taken, 4):,}"
    values["No answers"] = f"{no_answers:,}"
    return {name: value for name, value in values.items() if value is not None}


def _flags(result: Result) -> list[str]:
    """Return the short caveats shown in the table; the notes have the details."""
    origin, permuted = result.model.label_origin, permuted_labels(result)
    flags = []
    if result.run.prompt is not None:
        flags.append("prompted")
    if is_two_way(result):
        flags.append("two-way")
    if origin not in ("config", FUNCTION, ANSWERS, PROMPT):
        flags.append(f"labels {origin}")
    if result.left_out.groups or result.left_out.rows:
        flags.append("some left out")
    if result.run.no_answers > 0:
        flags.append("no answers")
    if permuted is not None:
        flags.append("labels permuted")
    elif any(note.startswith("warning") for note in result.notes):
        flags.append("no better than chance")
    return flags


def _notes(entry: Entry) -> list[str]:
    result = entry.result
    notes = []
    if entry.unranked is not None:
        notes.append(f"not ranked: {entry.unranked}")
    if isinstance(result, PromptGroup):
        notes.append(effect_text(result.effect, result.units))
    notes += result.notes
    read = result.answered
    if read is not None:
        notes.append(read.note(QUALITY_THRESHOLD, result.units))
    return notes


def _source(result: Result) -> Json | None:
    source = result.source
    if source is None:
        return None
    return {"name": source.name, "problems": source.problems, "digest": source.digest}


def _calibration(row: ScoreRow) -> Json | None:
    if "brier" not in row.values:
        return None
    return {field.name: _round(row[field.name]) for field in fields(Calibration)}


def _parts(result: Result) -> Json:
    """Return the scores on all rows, with each prompt, and on the rows with each value of each column."""
    parts: Json = {ALL: _part(result.row)}
    if isinstance(result, PromptGroup):
        for title, of_prompt in result.prompts.items():
            parts[f"prompt:{title}"] = _part(of_prompt.row)
    for column, rows in result.rows_by.items():
        for value, row in rows.items():
            parts[f"{column}:{value}"] = _part(row, band=column != MASKED_LM)
    return parts


def _part(row: ScoreRow, *, band: bool = True) -> Json:
    source, threshold = row["source_accuracy"], row["mt"]
    part: Json = {"n": row["groups"]}
    if source is not None:
        part["source"] = _round(source)
        part["sourceInterval"] = row.ends("source_accuracy")
    part["seeds"] = _round(row["seed_accuracy"])
    part["variants"] = _round(row["sample_accuracy"])
    part["qt"] = _round(row["qt"])
    part["mt"] = None if threshold is None else round(threshold * 100)
    part["ci"] = _intervals(row)
    part["curve"] = _curve(row.curve, band=band)
    return part


def _intervals(row: ScoreRow) -> Json | None:
    if row.ends("pattern_accuracy") is None:
        return None
    return {name: row.ends(score) for name, score in WITH_INTERVALS.items()}


def _curve(curve: Curve, *, band: bool) -> Json | None:
    """Return the mean curve and the band of the subsamples, as differences of successive values."""
    drawn = [shares for shares in curve.each if shares[0] is not None]
    if not drawn:
        return None
    data = {"mean": _differences(curve.mean)}
    if band:
        by_threshold = list(zip(*drawn, strict=True))
        data["low"] = _differences(map(min, by_threshold))
        data["high"] = _differences(map(max, by_threshold))
    return data


def _differences(shares: Iterable[float | None]) -> list[int]:
    values = [round((share or 0.0) * CURVE_SCALE) for share in shares]
    return [values[0], *(after - before for before, after in pairwise(values))]


def _consistency(result: Result) -> Json:
    if not result.has_seeds:
        return {}
    consistency: Json = {}
    for reference in ("seed", "majority"):
        name = f"consistency_{reference}"
        consistency[reference] = {
            "sa": _round(result.row[f"{name}_sample_accuracy"]),
            "pa": _round(result.row[f"{name}_pattern_accuracy"]),
        }
    return consistency


def _seeds(result: Result, texts: Json | None) -> Json:
    """Return how many seeds are hard for a model, and the hardest ones."""
    seeds = seeds_by_hardness(result)
    of_kind = inconsistent(seeds)
    counts = {
        "wrong": sum(not seed.seed_correct for seed in seeds),
        "inconsistent": len(of_kind),
        "allWrong": sum(seed.correct == 0 for seed in seeds),
    }
    return {
        "counts": counts,
        "inconsistent": [_hard_seed(seed, texts) for seed in of_kind[:SEEDS_SHOWN]],
        "hardest": [_hard_seed(seed, texts) for seed in seeds[:SEEDS_SHOWN]],
    }


def _hard_seed(seed: SeedPredictions, texts: Json | None) -> Json:
    flips = []
    if texts is not None and seed.seed_id in texts["seeds"]:
        for variant, label in seed.flips[:FLIPS_SHOWN]:
            flips.append([*texts["variants"][variant], label])
    return {
        "id": seed.seed_id,
        "gold": seed.gold,
        "predicted": seed.predicted,
        "correct": seed.correct,
        "of": seed.variants,
        "flipped": len(seed.flips),
        "flips": flips,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
