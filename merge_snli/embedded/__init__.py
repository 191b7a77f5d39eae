"""Bundled problems, masked LMs and NLI models, small enough to run the full pipeline offline.

`embedded_path` resolves a name such as `demo:problems`; the folders hold data and model files only.
"""

from pathlib import Path

from merge_snli.base.errors import InputError

PREFIX = "demo:"
FOLDER = Path(__file__).parent
PROBLEMS = "problems"
MASKED_LMS = ("mlm-wordpiece", "mlm-bpe")
NLI_MODELS = ("nli-a", "nli-b")


def embedded_path(name: str) -> Path | None:
    """Return the path of a bundled file or folder, or None if `name` does not begin with `demo:`.

    Args:
        name: A name such as `demo:mlm-bpe` or `demo:problems`.
    """
    if not name.startswith(PREFIX):
        return None
    paths = {PROBLEMS: FOLDER / "problems.jsonl"} | {model: FOLDER / model for model in (*MASKED_LMS, *NLI_MODELS)}
    path = paths.get(name.removeprefix(PREFIX))
    if path is None:
        known = ", ".join(PREFIX + known for known in paths)
        raise InputError(f"unknown bundled name {name!r}: choose from {known}")
    return path
