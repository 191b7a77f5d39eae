"""What a model was trained on, as its card says."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from merge_snli.inference.models import CARD

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


def read_training_data(folder: Path) -> tuple[str, ...] | None:
    """Return the `datasets` of the metadata of a model's card, or None where there is no card or it names none.

    Args:
        folder: The model's folder.
    """
    import yaml
    from huggingface_hub import metadata_load

    card = folder / CARD
    if not card.is_file():
        return None
    try:
        named = (metadata_load(card) or {}).get("datasets")
    except (yaml.YAMLError, OSError, ValueError, AttributeError) as error:
        logger.warning(
            "the metadata of %s cannot be read (%s): what the model was trained on is left open", card, error
        )
        return None
    names = [named] if isinstance(named, str) else named
    return tuple(map(str, names)) if isinstance(names, list) and names else None
