"""Build the JSON data of the page, compact enough for fifty models in one file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from merge_snli.analysis.statistics_tables import effect_text
from merge_snli.leaderboard.boards import Board, Entry
from merge_snli.leaderboard.seeds import SeedPredictions, SeedText, Texts, flips, inconsistent, seeds_by_hardness
from merge_snli.models.labels import ANSWERS, FUNCTION, PROMPT
from merge_snli.schema import ALL
from merge_snli.scoring.results.grouping import is_two_way, short_names
from merge_snli.scoring.results.over_prompts import OverPrompts
from merge_snli.scoring.results.result import MASKED_LM, Result
from merge_snli.scoring.results.scores import Curve, Scores, SourceAccuracy

Json = dict[str, Any]

# Number of seeds in each of a model's two lists.
SEEDS_SHOWN = 10
# Maximum number of variants shown per seed.
FLIPS_SHOWN = 12
# Decimals of shares: rounding a share with so many again, for the page, gives what rounding it once gives.
DIGITS = 9
# Curve values are multiplied by this and rounded to integers.
CURVE_SCALE = 10**DIGITS


def page_data(boards: Sequence[Board], texts: Mapping[int, Texts]) -> Json:
    """Return the data of the page.

    Args:
        boards: The boards, at least one.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
    """
    return {
        "curveScale": CURVE_SCALE,
        "boards": [_board(board, texts.get(index)) for index, board in enumerate(boards)],
    }


def _board(board: Board, texts: Texts | None) -> Json:
    first = board.results[0]
    prompts = first.n_prompts
    labels = short_names([entry.name for entry in board.entries])
    models = [{**_model(entry, texts), "label": label} for entry, label in zip(board.entries, labels, strict=True)]
    seeds = {} if texts is None else texts.seeds
    shown = {seed["id"] for model in models for seed in (*model["inconsistent"], *model["hardest"])}
    return {
        "dataset": board.dataset.title,
        "version": board.dataset.version,
        "revision": board.dataset.revision,
        "config": board.dataset.config,
        "seeds": first.scores.groups,
        "variants": first.scores.rows // prompts,
        "subsamples": (first.draws or 1) // prompts,
        "drawn": min((size for sizes in first.groups.sizes for size in sizes if size), default=None),
        "quality": round(first.quality_threshold * 100),
        "license": None if texts is None else texts.license,
        "terms": None if texts is None else texts.terms,
        "textNames": None if texts is None else texts.names,
        "texts": {seed_id: _text(text) for seed_id, text in seeds.items() if seed_id in shown},
        "models": models,
    }


def _model(entry: Entry, texts: Texts | None) -> Json:
    result = entry.result
    model, run, source = result.model, result.run, result.source
    seeds = seeds_by_hardness(result)
    of_kind = inconsistent(seeds)
    return {
        "key": entry.key,
        "name": entry.name,
        "revision": model.revision,
        "digest": model.digest,
        "architecture": model.architecture,
        "parameters": model.parameters,
        "training": model.training_data,
        "labels": model.labels,
        "labelOrigin": model.label_origin,
        "dtype": run.dtype,
        "device": run.device,
        "versions": run.versions,
        "prompt": _prompt(result),
        "prompts": result.n_prompts,
        "unranked": entry.unranked,
        "flags": _flags(result),
        "notes": _notes(entry),
        "source": None
        if source is None
        else {"name": source.name, "problems": source.problems, "digest": source.digest},
        "calibration": None
        if result.calibration is None
        else {name: _round(value) for name, value in asdict(result.calibration).items()},
        "parts": _parts(result),
        "consistency": {
            name: {
                "sa": _round(scores.sample_accuracy.mean),
                "pa": _round(scores.pattern_accuracy.mean),
            }
            for name, scores in (result.consistency or {}).items()
        },
        "counts": {
            "wrong": sum(not seed.seed_correct for seed in seeds),
            "inconsistent": len(of_kind),
            "allWrong": sum(seed.correct == 0 for seed in seeds),
        },
        "inconsistent": [_hard_seed(result, seed, texts) for seed in of_kind[:SEEDS_SHOWN]],
        "hardest": [_hard_seed(result, seed, texts) for seed in seeds[:SEEDS_SHOWN]],
    }


def _notes(entry: Entry) -> list[str]:
    result = entry.result
    return [
        *([] if entry.unranked is None else [f"not ranked: {entry.unranked}"]),
        *([effect_text(result.effect, result.units)] if isinstance(result, OverPrompts) else []),
        *result.notes,
    ]


def _flags(result: Result) -> list[str]:
    """Return the short caveats shown in the table; the notes have the details."""
    left_out = result.left_out.groups or result.left_out.rows
    flags = {
        "prompted": result.run.prompt is not None,
        "two-way": is_two_way(result),
        f"labels {result.model.label_origin}": result.model.label_origin not in ("config", FUNCTION, ANSWERS, PROMPT),
        "some left out": left_out,
        "no answers": result.run.no_answers > 0,
        "near chance": any(note.startswith("warning") for note in result.notes),
    }
    return [flag for flag, applies in flags.items() if applies]


def _prompt(result: Result) -> Json | None:
    """Return how a language model was asked, in words by name, without what is unknown."""
    prompt = result.run.prompt
    if prompt is None:
        return None
    counts = {
        "Calls": prompt.calls,
        "Retries": prompt.retries,
        "Input tokens": prompt.input_tokens,
        "Output tokens": prompt.output_tokens,
        "No answers": result.run.no_answers,
    }
    values = {
        "Prompt": f"{prompt.title} [{prompt.prompt_digest[:8]}]",
        "Answers": prompt.answers,
        "Provider": prompt.provider,
        "Temperature": None if prompt.temperature is None else f"{prompt.temperature:g}",
        **prompt.settings,
        "Harness": " ".join(filter(None, (prompt.harness, prompt.harness_version))),
        **{name: None if count is None else f"{count:,}" for name, count in counts.items()},
    }
    return {name: value for name, value in values.items() if value is not None}


def _parts(result: Result) -> Json:
    parts = {ALL: _part(result.scores, result.on_source())}
    if isinstance(result, OverPrompts):
        parts |= {f"prompt:{title}": _part(each.scores, None) for title, each in result.prompts.items()}
    for column, values in result.parts.items():
        for value, scores in values.items():
            on_source = result.on_source(column, value)
            parts[f"{column}:{value}"] = _part(scores, on_source, band=column != MASKED_LM)
    return parts


def _part(scores: Scores, on_source: SourceAccuracy | None, *, band: bool = True) -> Json:
    intervals = scores.intervals
    return {
        "n": scores.groups,
        **(
            {}
            if on_source is None
            else {"source": _round(on_source.sample_accuracy), "sourceInterval": on_source.interval}
        ),
        "seeds": _round(scores.anchor_accuracy),
        "variants": _round(scores.sample_accuracy.mean),
        "qt": _round(scores.qt),
        "mt": None if scores.mt is None else round(scores.mt * 100),
        "ci": None
        if intervals is None
        else {
            "seeds": intervals.anchor_accuracy,
            "variants": intervals.sample_accuracy,
            "pa": intervals.pattern_accuracy,
            "qt": intervals.qt,
        },
        "curve": _curve(scores.curve, band=band),
    }


def _curve(curve: Curve, *, band: bool) -> Json | None:
    """Return the mean curve and the band of the subsamples, as differences of successive values."""
    drawn = [row for row in curve.each if row[0] is not None]
    if not drawn:
        return None
    mean = {"mean": _differences(curve.mean)}
    if not band:
        return mean
    return mean | {
        name: _differences(map(pick, zip(*drawn, strict=True))) for name, pick in (("low", min), ("high", max))
    }


def _differences(shares: Iterable[float | None]) -> list[int]:
    values = [round((share or 0.0) * CURVE_SCALE) for share in shares]
    return [values[0], *(after - before for before, after in pairwise(values))]


def _hard_seed(result: Result, seed: SeedPredictions, texts: Texts | None) -> Json:
    text = None if texts is None else texts.seeds.get(seed.seed_id)
    flipped = flips(result, seed)
    return {
        "id": seed.seed_id,
        "gold": seed.gold,
        "predicted": seed.predicted,
        "correct": seed.correct,
        "of": seed.variants,
        "flipped": len(flipped),
        "flips": [] if text is None else [[*text.variants[index], label] for index, label in flipped[:FLIPS_SHOWN]],
    }


def _text(text: SeedText) -> Json:
    words = [{"w": word, "p": premise, "h": hypothesis} for word, (premise, hypothesis) in text.words.items()]
    return {"p": text.premise, "h": text.hypothesis, "words": words}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
