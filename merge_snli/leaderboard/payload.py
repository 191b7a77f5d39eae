"""Build the JSON data of the page, compact enough for fifty models in one file."""

from collections.abc import Mapping, Sequence

from merge_snli.base.files import JsonObject
from merge_snli.leaderboard.boards import LETTERS, Board
from merge_snli.leaderboard.model_payload import CURVE_SCALE, SCORES, model_data
from merge_snli.results.grouping import short_names
from merge_snli.results.prompts import results_of
from merge_snli.results.rows import DEFINITIONS
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD


def page_data(boards: Sequence[Board], texts: Mapping[int, JsonObject]) -> JsonObject:
    """Return the data of the page.

    Args:
        boards: The boards, at least one.
        texts: Texts of the seeds of each board, by position of the board; none for boards without their data set.
    """
    return {
        "curveScale": CURVE_SCALE,
        "scores": SCORES,
        "definitions": DEFINITIONS,
        "lettersAbout": LETTERS,
        "boards": [_board(board, texts.get(index)) for index, board in enumerate(boards)],
    }


def _board(board: Board, texts: JsonObject | None) -> JsonObject:
    data = board.dataset
    first = board.results[0]
    sizes = results_of(first)[0].counts().sizes
    models = _models(board, texts)
    content: JsonObject = {
        "dataset": data.title,
        "version": data.version,
        "revision": data.revision,
        "config": data.config,
        "seeds": first.row["groups"],
        "variants": first.row["rows"],
        "subsamples": first.subsamples or 1,
        "drawn": int(sizes[sizes > 0].min()) if sizes.any() else None,
        "quality": round(QUALITY_THRESHOLD * 100),
        "models": models,
    }
    content["texts"] = None if texts is None else _shown_texts(texts, models)
    return content


def _models(board: Board, texts: JsonObject | None) -> list[JsonObject]:
    labels = short_names([entry.name for entry in board.entries])
    models = []
    for entry, label in zip(board.entries, labels, strict=True):
        model = model_data(entry, texts)
        model["label"] = label
        model["letters"] = board.standings.letters.get(entry.name)
        models.append(model)
    return models


def _shown_texts(texts: JsonObject, models: Sequence[JsonObject]) -> JsonObject:
    """Return what `read_texts` returns with only the seeds that a model shows, and without the variants."""
    ids: set[str] = set()
    for model in models:
        ids.update(seed["seed_id"] for seed in (*model["inconsistent"], *model["hardest"]))
    seeds = {name: seed for name, seed in texts["seeds"].items() if name in ids}
    return {**texts, "seeds": seeds, "variants": None}
