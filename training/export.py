"""Write a model folder: float16 safetensors, the tokenizer, nothing that could be run."""

from __future__ import annotations

import copy
import logging
import shutil
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerFast

logger = logging.getLogger(__name__)


def export(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a model and its tokenizer into a folder, in place of what it held but for its card."""
    beside = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    half = copy.deepcopy(model).half()  # type: ignore[no-untyped-call]
    half.save_pretrained(beside)
    tokenizer.save_pretrained(beside)
    # Weights are written for their owner alone, but the folder travels in a package.
    (beside / "model.safetensors").chmod(0o644)
    card = folder / "README.md"
    if card.is_file():
        shutil.copy(card, beside)
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    logger.info("%s: %.1f MB", folder, size / 1e6)
