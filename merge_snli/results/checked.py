"""Remember in the cache which results were checked, by the digests of their two files: a changed file has others."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from merge_snli.base import __version__
from merge_snli.base.files import sha256_of_json

# Raise it if the check finds more in the same files.
CHECK_VERSION = 1


def check_mark(content: bytes, answers: bytes) -> Path:
    """Return the empty file that is in the cache if a result was checked.

    Args:
        content: The JSON file of the result.
        answers: The file of its answers.
    """
    from huggingface_hub.constants import HF_ASSETS_CACHE

    digests = [sha256(each).hexdigest() for each in (content, answers)]
    name = sha256_of_json([__version__, CHECK_VERSION, *digests])
    return Path(HF_ASSETS_CACHE, "merge_snli", "checked", name)


def remember(mark: Path) -> None:
    """Write a mark; without a cache that can be written, a result is checked each time."""
    with suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
