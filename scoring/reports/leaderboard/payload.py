"""What the page is given: boards as plain JSON values, small enough for fifty models in one file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scoring.models.labels import NOT_ENTAILMENT
from scoring.reports.leaderboard.boards import MASKED_LM
from scoring.reports.leaderboard.hardest import flips, seeds_by_hardness, undone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.reports.leaderboard.boards import Board, Entry
    from scoring.reports.leaderboard.hardest import HardSeed
    from scoring.reports.leaderboard.texts import SeedText, Texts
    from scoring.results.result import Curve, Result, Scores

Json = dict[str, Any]

SEEDS_SHOWN = 10
"""How many seeds each of a model's two lists shows."""
FLIPS_SHOWN = 12
"""How many variants of a seed are shown."""
DIGITS = 5
CURVE_UNIT = 10_000
"""Curves are whole numbers of this part of one."""


def page_data(boards: Sequence[Board], texts: Mapping[int, Texts]) -> Json:
    """Return what the page shows.

    Args:
        boards: The boards, at least one.
        texts: What the seeds of a board say, by the board's position; none for those whose data set is not at hand.
    """
    return {"boards": [_board(board, texts.get(index)) for index, board in enumerate(boards)]}


def _board(board: Board, texts: Texts | None) -> Json:
    first = board.results[0]
    hard = [_hard_lists(entry.result) for entry in board.entries]
    shown = {seed.seed_id for lists in hard for seed in (*lists.undone, *lists.hardest)}
    return {
        "dataset": board.dataset.name,
        "version": board.dataset.version,
        "revision": board.dataset.revision,
        "config": board.dataset.config,
        "seeds": first.scores.seeds,
        "variants": first.scores.on_variants.variants,
        "subsamples": len(first.scores.on_variants.curve.seeds),
        "drawn": _least_drawn(first),
        "quality": round(first.quality_threshold * 100),
        "licence": None if texts is None else texts.licence,
        "terms": None if texts is None else texts.terms,
        "texts": {} if texts is None else _texts(texts, shown),
        "models": [_model(entry, lists, texts) for entry, lists in zip(board.entries, hard, strict=True)],
    }


def _least_drawn(result: Result) -> int | None:
    """Return how many variants a subsample draws of the seeds that it draws the fewest of."""
    return min((size for sizes in result.seeds.sizes for size in sizes if size), default=None)


@dataclass(frozen=True)
class _HardLists:
    """The two lists of a model's seeds that are shown, and how many seeds there are of each kind."""

    undone: list[HardSeed]
    hardest: list[HardSeed]
    counts: dict[str, int]


def _hard_lists(result: Result) -> _HardLists:
    seeds = seeds_by_hardness(result)
    all_undone = undone(seeds)
    counts = {
        "wrong": sum(not seed.right_itself for seed in seeds),
        "undone": len(all_undone),
        "hopeless": sum(seed.right == 0 for seed in seeds),
    }
    return _HardLists(all_undone[:SEEDS_SHOWN], seeds[:SEEDS_SHOWN], counts)


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
        "labelsFound": model.label_origin,
        "dtype": run.dtype,
        "device": run.device,
        "versions": run.versions,
        "flags": _flags(result),
        "notes": list(result.notes),
        "parts": {name: _part(name, scores) for name, scores in entry.parts.items()},
        "consistency": {
            name: {"sa": _short(scores.sample_accuracy.mean), "pa": _short(scores.pattern_accuracy.mean)}
            for name, scores in result.consistency.items()
        },
        "counts": hard.counts,
        "undone": [_hard_seed(result, seed, texts) for seed in hard.undone],
        "hardest": [_hard_seed(result, seed, texts) for seed in hard.hardest],
    }


def _flags(result: Result) -> list[str]:
    """Return what must be seen in the table itself; the notes say it in full."""
    two_way = NOT_ENTAILMENT in result.compared_labels and NOT_ENTAILMENT not in result.dataset.labels
    left_out = result.left_out.seeds or result.left_out.variants
    flags = {
        "two-way": two_way,
        f"labels {result.model.label_origin}": result.model.label_origin not in ("config", "function"),
        "some left out": left_out,
        "near chance": any(note.startswith("warning") for note in result.notes),
    }
    return [flag for flag, raised in flags.items() if raised]


def _part(name: str, scores: Scores) -> Json:
    on_variants = scores.on_variants
    intervals = scores.intervals
    return {
        "n": scores.seeds,
        "v": on_variants.variants,
        "seeds": _short(scores.seed_sample_accuracy),
        "variants": _short(on_variants.sample_accuracy.mean),
        "qt": _short(scores.qt),
        "mt": None if scores.mt is None else round(scores.mt * 100),
        "ci": None
        if intervals is None
        else {
            "seeds": _rounded(intervals.seed_sample_accuracy),
            "variants": _rounded(intervals.sample_accuracy),
            "pa": _rounded(intervals.pattern_accuracy),
            "qt": _rounded(intervals.qt),
        },
        "curve": _curve(on_variants.curve, band=not name.startswith(MASKED_LM)),
    }


def _curve(curve: Curve, *, band: bool) -> Json | None:
    """Return the mean curve and the band of the subsamples, each value as the step from the one before."""
    each = [row for row in curve.each if row[0] is not None]
    if not each:
        return None
    mean = {"mean": _steps(curve.mean)}
    if not band:
        return mean
    return mean | {name: _steps(map(pick, zip(*each, strict=True))) for name, pick in (("low", min), ("high", max))}


def _steps(shares: Iterable[float | None]) -> list[int]:
    values = [round((share or 0.0) * CURVE_UNIT) for share in shares]
    return [values[0], *(after - before for before, after in pairwise(values))]


def _hard_seed(result: Result, seed: HardSeed, texts: Texts | None) -> Json:
    text = None if texts is None else texts.seeds.get(seed.seed_id)
    flipped = flips(result, seed)
    return {
        "id": seed.seed_id,
        "gold": seed.gold,
        "predicted": seed.predicted,
        "right": seed.right,
        "of": seed.variants,
        "flipped": len(flipped),
        "flips": [] if text is None else [_flip(text, place, answer) for place, answer in flipped[:FLIPS_SHOWN]],
    }


def _flip(text: SeedText, place: int, answer: str) -> list[int | str]:
    word, replacement = text.variants[place]
    return [word, replacement, answer]


def _texts(texts: Texts, shown: set[str]) -> Json:
    return {seed_id: _text(texts.seeds[seed_id]) for seed_id in sorted(shown) if seed_id in texts.seeds}


def _text(text: SeedText) -> Json:
    words = [{"w": word.text, "p": list(word.premise), "h": list(word.hypothesis)} for word in text.words]
    return {"p": text.premise, "h": text.hypothesis, "words": words}


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _rounded(ends: tuple[float, ...]) -> list[float]:
    return [round(end, DIGITS) for end in ends]
