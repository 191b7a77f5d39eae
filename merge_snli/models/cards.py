"""Read the metadata in the card of a model or data set."""

import logging
from pathlib import Path

from merge_snli.models.finding import CARD

logger = logging.getLogger(__name__)


def read_training_data(folder: Path) -> tuple[str, ...] | None:
    """Return the `datasets` field of a model card's metadata, or None if there is no card or no such field.

    Args:
        folder: The model's folder.
    """
    names = card_field(folder, "datasets")
    if isinstance(names, str):
        return (names,)
    return tuple(map(str, names)) if isinstance(names, list) and names else None


def card_field(folder: Path, name: str) -> object:
    """Return a field of the metadata of the card of a model or data set; None if there is no card or no such field.

    Args:
        folder: The folder of the card.
        name: The field.
    """
    import yaml
    from huggingface_hub import metadata_load

    card = folder / CARD
    if not card.is_file():
        return None
    try:
        return (metadata_load(card) or {}).get(name)
    except (yaml.YAMLError, OSError, ValueError, AttributeError) as error:
        logger.warning("cannot read the metadata of %s (%s): its %s are unknown", card, error, name)
        return None
