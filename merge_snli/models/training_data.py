"""Read the training data sets of a model from its card."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from merge_snli.models.finding import CARD

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


def read_training_data(folder: Path) -> tuple[str, ...] | None:
    """Return the `datasets` field of a model card's metadata, or None if there is no card or no such field.

    Args:
        folder: The model's folder.
    """
    import yaml
    from huggingface_hub import metadata_load

    card = folder / CARD
    if not card.is_file():
        return None
    try:
        field = (metadata_load(card) or {}).get("datasets")
    except (yaml.YAMLError, OSError, ValueError, AttributeError) as error:
        logger.warning("cannot read the metadata of %s (%s); the model's training data is unknown", card, error)
        return None
    names = [field] if isinstance(field, str) else field
    return tuple(map(str, names)) if isinstance(names, list) and names else None
