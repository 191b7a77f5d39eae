"""Write a model folder: float16 safetensors and the tokenizer, no code."""

from __future__ import annotations

import copy
import logging
import shutil
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerFast

logger = logging.getLogger(__name__)


def export(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a model and its tokenizer, replacing the contents of `folder` except its card."""
    temporary = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    half = copy.deepcopy(model).half()  # type: ignore[no-untyped-call]
    half.save_pretrained(temporary)
    tokenizer.save_pretrained(temporary)
    # save_pretrained makes weights readable for the owner only, but the folder is part of a package.
    (temporary / "model.safetensors").chmod(0o644)
    card = folder / "README.md"
    if card.is_file():
        shutil.copy(card, temporary)
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    logger.info("%s: %.1f MB", folder, size / 1e6)
