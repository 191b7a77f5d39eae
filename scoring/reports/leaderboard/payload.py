"""Build the JSON data of the page, compact enough for fifty models in one file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scoring.models.labels import NOT_ENTAILMENT
from scoring.reports.leaderboard.hardest import flips, inconsistent, seeds_by_hardness
from scoring.results.result import MASKED_LM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.reports.leaderboard.boards import Board, Entry
    from scoring.reports.leaderboard.hardest import HardSeed
    from scoring.reports.leaderboard.texts import SeedText, Texts
    from scoring.results.result import Curve, Result, Scores

Json = dict[str, Any]

SEEDS_SHOWN = 10
"""Number of seeds in each of a model's two lists."""
FLIPS_SHOWN = 12
"""Maximum number of variants shown per seed."""
DIGITS = 5
CURVE_SCALE = 10_000
"""Curve values are multiplied by this and rounded to integers."""


def page_data(boards: Sequence[Board], texts: Mapping[int, Texts]) -> Json:
    """Return the data of the page.

    Args:
        boards: The boards, at least one.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
    """
    return {"boards": [_board(board, texts.get(index)) for index, board in enumerate(boards)]}


def _board(board: Board, texts: Texts | None) -> Json:
    first = board.results[0]
    hard = [_hard_lists(entry.result) for entry in board.entries]
    shown = {seed.seed_id for lists in hard for seed in (*lists.inconsistent, *lists.hardest)}
    return {
        "dataset": board.dataset.name,
        "version": board.dataset.version,
        "revision": board.dataset.revision,
        "config": board.dataset.config,
        "seeds": first.scores.seeds,
        "variants": first.scores.on_variants.variants,
        "subsamples": len(first.scores.on_variants.curve.seeds),
        "drawn": _smallest_draw(first),
        "quality": round(first.quality_threshold * 100),
        "license": None if texts is None else texts.license,
        "terms": None if texts is None else texts.terms,
        "texts": {} if texts is None else _texts(texts, shown),
        "models": [_model(entry, lists, texts) for entry, lists in zip(board.entries, hard, strict=True)],
    }


def _smallest_draw(result: Result) -> int | None:
    """Return the smallest number of variants that a subsample draws of a seed."""
    return min((size for sizes in result.seeds.sizes for size in sizes if size), default=None)


@dataclass(frozen=True)
class _HardLists:
    """The two lists of seeds shown for a model, and the number of seeds of each kind."""

    inconsistent: list[HardSeed]
    hardest: list[HardSeed]
    counts: dict[str, int]


def _hard_lists(result: Result) -> _HardLists:
    seeds = seeds_by_hardness(result)
    all_inconsistent = inconsistent(seeds)
    counts = {
        "wrong": sum(not seed.seed_correct for seed in seeds),
        "inconsistent": len(all_inconsistent),
        "allWrong": sum(seed.correct == 0 for seed in seeds),
    }
    return _HardLists(all_inconsistent[:SEEDS_SHOWN], seeds[:SEEDS_SHOWN], counts)


def _model(entry: Entry, hard: _HardLists, texts: Texts | None) -> Json:
    result = entry.result
    model, run = result.model, result.run
    return {
        "key": entry.key,
        "name": entry.name,
        "revision": model.revision,
        "digest": model.digest,
        "architecture": model.architecture,
        "parameters": model.parameters,
        "training": None if model.training_data is None else list(model.training_data),
        "labels": list(model.labels),
        "labelOrigin": model.label_origin,
        "dtype": run.dtype,
        "device": run.device,
        "versions": run.versions,
        "flags": _flags(result),
        "notes": list(result.notes),
        "parts": {name: _part(name, scores) for name, scores in result.parts.items()},
        "consistency": {
            name: {
                "sa": _round(scores.sample_accuracy.mean),
                "pa": _round(scores.pattern_accuracy.mean),
            }
            for name, scores in result.consistency.items()
        },
        "counts": hard.counts,
        "inconsistent": [_hard_seed(result, seed, texts) for seed in hard.inconsistent],
        "hardest": [_hard_seed(result, seed, texts) for seed in hard.hardest],
    }


def _flags(result: Result) -> list[str]:
    """Return the short caveats shown in the table; the notes have the details."""
    two_way = NOT_ENTAILMENT in result.compared_labels and NOT_ENTAILMENT not in result.dataset.labels
    left_out = result.left_out.seeds or result.left_out.variants
    flags = {
        "two-way": two_way,
        f"labels {result.model.label_origin}": result.model.label_origin not in ("config", "function"),
        "some left out": left_out,
        "near chance": any(note.startswith("warning") for note in result.notes),
    }
    return [flag for flag, applies in flags.items() if applies]


def _part(name: str, scores: Scores) -> Json:
    on_variants = scores.on_variants
    intervals = scores.intervals
    return {
        "n": scores.seeds,
        "v": on_variants.variants,
        "seeds": _round(scores.seed_sample_accuracy),
        "variants": _round(on_variants.sample_accuracy.mean),
        "qt": _round(scores.qt),
        "mt": None if scores.mt is None else round(scores.mt * 100),
        "ci": None
        if intervals is None
        else {
            "seeds": _round_ends(intervals.seed_sample_accuracy),
            "variants": _round_ends(intervals.sample_accuracy),
            "pa": _round_ends(intervals.pattern_accuracy),
            "qt": _round_ends(intervals.qt),
        },
        "curve": _curve(on_variants.curve, band=not name.startswith(MASKED_LM)),
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


def _hard_seed(result: Result, seed: HardSeed, texts: Texts | None) -> Json:
    text = None if texts is None else texts.seeds.get(seed.seed_id)
    flipped = flips(result, seed)
    return {
        "id": seed.seed_id,
        "gold": seed.gold,
        "predicted": seed.predicted,
        "correct": seed.correct,
        "of": seed.variants,
        "flipped": len(flipped),
        "flips": [] if text is None else [_flip(text, index, label) for index, label in flipped[:FLIPS_SHOWN]],
    }


def _flip(text: SeedText, index: int, label: str) -> list[int | str]:
    word, replacement = text.variants[index]
    return [word, replacement, label]


def _texts(texts: Texts, shown: set[str]) -> Json:
    return {seed_id: _text(texts.seeds[seed_id]) for seed_id in sorted(shown) if seed_id in texts.seeds}


def _text(text: SeedText) -> Json:
    words = [{"w": word.text, "p": list(word.premise), "h": list(word.hypothesis)} for word in text.words]
    return {"p": text.premise, "h": text.hypothesis, "words": words}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _round_ends(ends: tuple[float, ...]) -> list[float]:
    return [round(end, DIGITS) for end in ends]
