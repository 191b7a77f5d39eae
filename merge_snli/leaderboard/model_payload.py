"""Build the JSON data of a model on the page: what it is, how it was run, its scores by part, and its hardest seeds."""

from collections.abc import Iterable
from itertools import pairwise

from merge_snli.answers.data import MASKED_LM
from merge_snli.base.files import JsonObject
from merge_snli.comparison.statistics_tables import effect_text
from merge_snli.leaderboard.boards import Entry
from merge_snli.leaderboard.seeds import SeedPredictions, inconsistent, seeds_by_hardness
from merge_snli.models.labels import ANSWERS, FUNCTION, PROMPT
from merge_snli.results.grouping import is_two_way, permuted_labels
from merge_snli.results.prompts import PromptGroup, results_of
from merge_snli.results.records import PromptRecord
from merge_snli.results.result import Result
from merge_snli.results.rows import ScoreRow
from merge_snli.results.scores import Curve
from merge_snli.schema import ALL
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD

# Number of seeds in each of a model's two lists.
SEEDS_SHOWN = 10
# Maximum number of variants shown per seed.
FLIPS_SHOWN = 12
# Decimals of shares: rounding a share with so many again, for the page, gives what rounding it once gives.
DIGITS = 9
# Curve values are multiplied by this and rounded to integers.
CURVE_SCALE = 10**DIGITS
# The scores that the page shows, in the order of their values in each part; the last ones only on all rows.
SCORES = (
    "groups",
    "source_accuracy",
    "source_accuracy_low",
    "source_accuracy_high",
    "seed_accuracy",
    "seed_accuracy_low",
    "seed_accuracy_high",
    "sample_accuracy",
    "sample_accuracy_low",
    "sample_accuracy_high",
    "pattern_accuracy",
    "pattern_accuracy_low",
    "pattern_accuracy_high",
    "qt",
    "qt_low",
    "qt_high",
    "mt",
    "consistency_seed_pattern_accuracy",
    "calibration_error",
    "brier",
    "seed_brier",
    "weakened",
)


def model_data(entry: Entry, texts: JsonObject | None) -> JsonObject:
    """Return the data of a model.

    Args:
        entry: The model on its board.
        texts: Texts of the seeds of the board; None without its data set.
    """
    result = entry.result
    run = result.run
    source = result.source
    data: JsonObject = {"key": entry.key, "name": entry.name, "unranked": entry.unranked}
    data["model"] = vars(result.model)
    data["run"] = {name: getattr(run, name) for name in ("dtype", "device", "versions", "no_answers")}
    data["prompt"] = None if run.prompt is None else _prompt(run.prompt)
    data["prompts"] = len(results_of(result))
    data["flags"] = _flags(result)
    data["notes"] = _notes(entry)
    data["source"] = None if source is None else {"name": source.name, "problems": source.problems}
    data["parts"] = _parts(result)
    data |= _seeds(result, texts)
    return data


def _prompt(prompt: PromptRecord) -> JsonObject:
    """Return the record of a prompt without its text, which may have sentences that may not be shared."""
    return {**vars(prompt), "title": prompt.title, "prompt_toml": None}


def _flags(result: Result) -> list[str]:
    """Return the short caveats shown in the table; the notes have the details."""
    origin = result.model.label_origin
    permuted = permuted_labels(result)
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


def _parts(result: Result) -> JsonObject:
    """Return the scores on all rows, with each prompt, and on the rows with each value of each column."""
    parts: JsonObject = {ALL: _part(result.row)}
    if isinstance(result, PromptGroup):
        for title, of_prompt in result.prompts.items():
            parts[f"prompt:{title}"] = _part(of_prompt.row)
    for column, rows in result.rows_by.items():
        for value, row in rows.items():
            parts[f"{column}:{value}"] = _part(row, band=column != MASKED_LM)
    return parts


def _part(row: ScoreRow, *, band: bool = True) -> JsonObject:
    scores = []
    for name in SCORES:
        value = row[name]
        scores.append(None if value is None else round(value, DIGITS))
    return {"scores": scores, "curve": _curve(row.curve, band=band)}


def _curve(curve: Curve, *, band: bool) -> JsonObject | None:
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


def _seeds(result: Result, texts: JsonObject | None) -> JsonObject:
    """Return how many seeds are hard for a model, and the hardest ones."""
    seeds = seeds_by_hardness(result)
    of_kind = inconsistent(seeds)
    return {
        "counts": {
            "wrong": sum(not seed.seed_correct for seed in seeds),
            "inconsistent": len(of_kind),
            "all_wrong": sum(seed.correct == 0 for seed in seeds),
        },
        "inconsistent": [_hard_seed(seed, texts) for seed in of_kind[:SEEDS_SHOWN]],
        "hardest": [_hard_seed(seed, texts) for seed in seeds[:SEEDS_SHOWN]],
    }


def _hard_seed(seed: SeedPredictions, texts: JsonObject | None) -> JsonObject:
    """Return a seed with the number of its flips and, if its texts are known, the first flips."""
    flips = []
    if texts is not None and seed.seed_id in texts["seeds"]:
        for variant, label in seed.flips[:FLIPS_SHOWN]:
            flips.append([*texts["variants"][variant], label])
    return {**vars(seed), "flipped": len(seed.flips), "flips": flips}
