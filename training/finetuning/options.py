"""Hyperparameters and options of a fine-tuning run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.base.option import require_at_least, require_unique
from merge_snli.embedded import PREFIX

# The record of the training in a model's folder and in that of its checkpoints.
RECORD = "training.json"

DTYPES = ("float32", "bfloat16")
# The largest seed that NumPy's random generator accepts.
MAX_SEED = 2**32 - 1


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Hyperparameters of a fine-tuning run: AdamW, linear warmup, linear decay to zero.

    Attributes:
        learning_rate: The peak learning rate.
        epochs: How often each example is seen.
        batch_size: Examples per step.
        weight_decay: Weight decay of all parameters except biases and layer norms.
        warmup: The share of the steps in which the learning rate rises.
        max_length: The maximum number of tokens of a pair; longer pairs are truncated.
    """

    learning_rate: float
    epochs: int
    batch_size: int
    weight_decay: float
    warmup: float
    max_length: int

    def __post_init__(self) -> None:
        """Check the values."""
        rate = self.learning_rate
        decay = self.weight_decay
        if not 0 < rate < 1:
            raise InputError(f"⟦learning_rate⟧ is {rate:g}: it must be between 0 and 1, such as 2e-5")
        if not 0 <= decay < math.inf:
            raise InputError(f"⟦weight_decay⟧ is {decay:g}: it must be at least 0, such as 0.01")
        for name in ("epochs", "batch_size", "max_length"):
            require_at_least(name, getattr(self, name), 1)


# Recipes by name.
#
# `paper` is the row of RoBERTa-base on MultiNLI in Luo et al. (2022), appendix, Table 1; on SNLI, its weight decay is
# 0.01. The table has no warmup: 0.06 is that of Liu et al. (2019), Table 10. `small` is for models of a few layers that
# were not trained as long as a base model, such as the embedded ones.
RECIPES = {
    "paper": Recipe(learning_rate=2e-5, epochs=3, batch_size=32, weight_decay=0.1, warmup=0.06, max_length=128),
    "small": Recipe(learning_rate=2e-4, epochs=3, batch_size=32, weight_decay=0.01, warmup=0.1, max_length=64),
}

# The base model of the recipe `paper`, as on the Hub without its organization.
PAPER_BASE = "roberta-base"


def default_recipe(base: str) -> str:
    """Return the name of the recipe for a base model: `small` for an embedded one, otherwise `paper`."""
    return "small" if base.startswith(PREFIX) else "paper"


@dataclass(frozen=True, kw_only=True)
class FinetuneOptions:
    """Options of `python -m training.finetune`.

    Attributes:
        base: The model to start from: a folder, a Hub id or `demo:NAME`.
        train: Training data: files or Hub ids.
        hold_out: The last problems of each source of `train`, which are used for evaluation only.
        augment: Additional training examples, as `DIR/CONFIG`, `ID/CONFIG` or a file; None for none.
        augment_share: The number of additional examples, as a share of the number of training problems; None for all.
        augment_copies: How often each additional example is in the training data.
        random_seeds: One model is trained per seed.
        recipe: The hyperparameters.
        dtype: `float32`, or `bfloat16` for autocast.
        save_every: Steps between checkpoints.
        license: The license of the models, as an id of the Hub; None if unknown.
        out: The folder of the model, or of `seed-N` for each seed if there are several.
    """

    base: str
    train: Sequence[str]
    hold_out: int = 0
    augment: str | None = None
    augment_share: float | None = None
    augment_copies: int = 1
    random_seeds: Sequence[int] = (0,)
    recipe: Recipe
    dtype: str = "float32"
    save_every: int = 200
    license: str | None = None
    out: Path

    def __post_init__(self) -> None:
        """Check the values."""
        require_unique("train", self.train)
        require_unique("random_seed", [str(seed) for seed in self.random_seeds])
        require_at_least("random_seed", min(self.random_seeds), 0)
        for name, minimum in (("save_every", 1), ("hold_out", 0), ("augment_copies", 1)):
            require_at_least(name, getattr(self, name), minimum)
        largest = max(self.random_seeds)
        if largest > MAX_SEED:
            raise InputError(f"⟦random_seed⟧ is {largest}: it must be at most {MAX_SEED}")
        share = self.augment_share
        if self.augment is None and (share is not None or self.augment_copies > 1):
            raise InputError("⟦augment_share⟧ and ⟦augment_copies⟧ need examples: add ⟦augment⟧ DIR/CONFIG")
        if share is not None and not 0 < share < math.inf:
            raise InputError(f"⟦augment_share⟧ is {share:g}: it must be above 0, such as 0.01")
        if self.dtype not in DTYPES:
            raise InputError(f"⟦dtype⟧ is {self.dtype!r}: choose one of {', '.join(DTYPES)}")

    def folder_of(self, seed: int) -> Path:
        """Return the folder of the model of a seed."""
        return self.out if len(self.random_seeds) == 1 else self.out / f"seed-{seed}"

    def checkpoints_of(self, seed: int) -> Path:
        """Return the folder of the checkpoints of a seed."""
        return self.out.with_name(f"{self.out.name}.work") / f"seed-{seed}"
