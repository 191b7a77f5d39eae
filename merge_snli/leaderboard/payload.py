"""Build the JSON data of the page, compact enough for fifty models in one file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

from merge_snli.comparison.statistics_tables import effect_text
from merge_snli.leaderboard.boards import LETTERS, Board, Entry
from merge_snli.leaderboard.seeds import SeedPredictions, inconsistent, seeds_by_hardness
from merge_snli.models.labels import ANSWERS, FUNCTION, PROMPT
from merge_snli.schema import ALL
from merge_snli.scoring.data import MASKED_LM
from merge_snli.scoring.grouping import is_two_way, permuted_labels, short_names
from merge_snli.scoring.prompts import PromptGroup, Scored, results_of
from merge_snli.scoring.records import TAKEN
from merge_snli.scoring.rows import DEFINITIONS, ScoreRow
from merge_snli.scoring.scores import Calibration, Curve
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


def page_data(boards: Sequence[Board], texts: Mapping[int, Json]) -> Json:
    """Return the data of the page.

    Args:
        boards: The boards, at least one.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
    """
    return {
        "curveScale": CURVE_SCALE,
        "definitions": DEFINITIONS,
        "lettersAbout": LETTERS,
        "boards": [_board(board, texts.get(index)) for index, board in enumerate(boards)],
    }


def _board(board: Board, texts: Json | None) -> Json:
    first = board.results[0]
    sizes = results_of(first)[0].counts().sizes
    labels = short_names([entry.name for entry in board.entries])
    letters = board.standings.letters
    models = [
        {**_model(entry, texts), "label": label, "letters": letters.get(entry.name)}
        for entry, label in zip(board.entries, labels, strict=True)
    ]
    known = texts or {"license": None, "terms": None, "names": None, "seeds": {}}
    shown = {seed["id"] for model in models for seed in (*model["inconsistent"], *model["hardest"])}
    return {
        "dataset": board.dataset.title,
        "version": board.dataset.version,
        "revision": board.dataset.revision,
        "config": board.dataset.config,
        "seeds": first.row["groups"],
        "variants": first.row["rows"],
        "subsamples": first.subsamples or 1,
        "drawn": int(sizes[sizes > 0].min()) if sizes.any() else None,
        "quality": round(QUALITY_THRESHOLD * 100),
        "license": known["license"],
        "terms": known["terms"],
        "textNames": known["names"],
        "texts": {seed_id: text for seed_id, text in known["seeds"].items() if seed_id in shown},
        "models": models,
    }


def _model(entry: Entry, texts: Json | None) -> Json:
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
        "prompts": len(results_of(result)),
        "unranked": entry.unranked,
        "flags": _flags(result),
        "notes": _notes(entry),
        "source": None
        if source is None
        else {"name": source.name, "problems": source.problems, "digest": source.digest},
        "calibration": None
        if "brier" not in result.row.values
        else {field.name: _round(result.row[field.name]) for field in fields(Calibration)},
        "parts": _parts(result),
        "consistency": {
            reference: {
                "sa": _round(result.row[f"consistency_{reference}_sample_accuracy"]),
                "pa": _round(result.row[f"consistency_{reference}_pattern_accuracy"]),
            }
            for reference in (("seed", "majority") if result.has_seeds else ())
        },
        "counts": {
            "wrong": sum(not seed.seed_correct for seed in seeds),
            "inconsistent": len(of_kind),
            "allWrong": sum(seed.correct == 0 for seed in seeds),
        },
        "inconsistent": [_hard_seed(seed, texts) for seed in of_kind[:SEEDS_SHOWN]],
        "hardest": [_hard_seed(seed, texts) for seed in seeds[:SEEDS_SHOWN]],
    }


def _notes(entry: Entry) -> list[str]:
    result = entry.result
    return [
        *([] if entry.unranked is None else [f"not ranked: {entry.unranked}"]),
        *([effect_text(result.effect, result.units)] if isinstance(result, PromptGroup) else []),
        *result.notes,
    ]


def _flags(result: Scored) -> list[str]:
    """Return the short caveats shown in the table; the notes have the details."""
    left_out, permuted = result.left_out.groups or result.left_out.rows, permuted_labels(result)
    flags = {
        "prompted": result.run.prompt is not None,
        "two-way": is_two_way(result),
        f"labels {result.model.label_origin}": result.model.label_origin not in ("config", FUNCTION, ANSWERS, PROMPT),
        "some left out": left_out,
        "no answers": result.run.no_answers > 0,
        "labels permuted": permuted is not None,
        "no better than chance": permuted is None and any(note.startswith("warning") for note in result.notes),
    }
    return [flag for flag, applies in flags.items() if applies]


def _prompt(result: Scored) -> Json | None:
    """Return how a language model was prompted, in words by name, without what is unknown."""
    prompt = result.run.prompt
    if prompt is None:
        return None
    taken = {name.replace("_", " ").capitalize(): getattr(prompt, name) for name in TAKEN}
    counts = {**taken, "No answers": result.run.no_answers}
    values = {
        "Prompt": f"{prompt.title} [{prompt.prompt_digest[:8]}]",
        "Answers": prompt.answers,
        "Provider": prompt.provider,
        "Temperature": None if prompt.temperature is None else f"{prompt.temperature:g}",
        **prompt.settings,
        "Harness": " ".join(filter(None, (prompt.harness, prompt.harness_version))),
        **{name: None if count is None else f"{round(count, 4):,}" for name, count in counts.items()},
    }
    return {name: value for name, value in values.items() if value is not None}


def _parts(result: Scored) -> Json:
    prompts = result.prompts if isinstance(result, PromptGroup) else {}
    return {
        ALL: _part(result.row),
        **{f"prompt:{title}": _part(of_prompt.row) for title, of_prompt in prompts.items()},
        **{
            f"{column}:{value}": _part(row, band=column != MASKED_LM)
            for column, rows in result.rows_by.items()
            for value, row in rows.items()
        },
    }


def _part(row: ScoreRow, *, band: bool = True) -> Json:
    source = row["source_accuracy"]
    ends = {
        short: row.ends(name)
        for short, name in (
            ("seeds", "seed_accuracy"),
            ("variants", "sample_accuracy"),
            ("pa", "pattern_accuracy"),
            ("qt", "qt"),
        )
    }
    threshold = row["mt"]
    return {
        "n": row["groups"],
        **({} if source is None else {"source": _round(source), "sourceInterval": row.ends("source_accuracy")}),
        "seeds": _round(row["seed_accuracy"]),
        "variants": _round(row["sample_accuracy"]),
        "qt": _round(row["qt"]),
        "mt": None if threshold is None else round(threshold * 100),
        "ci": None if ends["pa"] is None else ends,
        "curve": _curve(row.curve, band=band),
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


def _hard_seed(seed: SeedPredictions, texts: Json | None) -> Json:
    variants = texts["variants"] if texts is not None and seed.seed_id in texts["seeds"] else None
    return {
        "id": seed.seed_id,
        "gold": seed.gold,
        "predicted": seed.predicted,
        "correct": seed.correct,
        "of": seed.variants,
        "flipped": len(seed.flips),
        "flips": [[*variants[name], label] for name, label in seed.flips[:FLIPS_SHOWN]] if variants else [],
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
