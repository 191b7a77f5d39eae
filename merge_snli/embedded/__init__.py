"""What travels with the package so that a bare machine can run the whole way: problems, masked LMs, NLI models."""

from pathlib import Path

from merge_snli.errors import InputError

PREFIX = "demo:"
FOLDER = Path(__file__).parent
PROBLEMS = "problems"
MASKED_LMS = ("mlm-wordpiece", "mlm-bpe")
NLI_MODELS = ("nli-a", "nli-b")


def embedded_path(name: str) -> Path | None:
    """Return where `demo:NAME` lies, or None where `name` does not begin with `demo:`.

    Args:
        name: A name as a user types it, such as `demo:mlm-bpe` or `demo:problems`.

    Raises:
        InputError: Where nothing embedded has that name.
    """
    if not name.startswith(PREFIX):
        return None
    places = {PROBLEMS: FOLDER / "problems.jsonl"} | {model: FOLDER / model for model in (*MASKED_LMS, *NLI_MODELS)}
    place = places.get(name.removeprefix(PREFIX))
    if place is None:
        known = ", ".join(PREFIX + known for known in places)
        raise InputError(f"nothing embedded is called {name}; available: {known}")
    return place
