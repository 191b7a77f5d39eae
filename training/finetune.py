r"""Fine-tune NLI classifiers, with or without the augmentation of Simple Pair (Luo et al. 2022, section 3.2).

    python -m training.finetune --base demo:mlm-wordpiece --train dev.jsonl \
        --augment simple_pair/augmentation --random-seed 1 2 3 --out models/augmented

An interrupted run resumes from its last checkpoint in OUT.work.
"""

import importlib.util
import logging
import shutil
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, flag
from merge_snli.base.files import JsonObject, disk_errors_as_input_errors, read_json, write_json, write_text
from merge_snli.dataset.out_folder import new_content
from merge_snli.models.finding import ResolvedModel, find_model
from merge_snli.models.runner.loading import output_names
from training.finetuning.data import TrainingData, augmented, read_training_data
from training.finetuning.options import DTYPES, PAPER_BASE, RECIPES, RECORD, FinetuneOptions, Recipe, default_recipe
from training.script import parse, script

logger = logging.getLogger(__name__)

HYPERPARAMETER = "hyperparameter (default: that of the recipe)"

# How `add_argument` adds each argument. Those that are not given have the defaults of `FinetuneOptions`, and
# hyperparameters those of the recipe.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "--base": {"required": True, "metavar": "DIR|ID", "help": "model to start from; demo:NAME if embedded"},
    "--train": {"required": True, "nargs": "+", "metavar": "FILE|ID", "help": "training problems"},
    "--out": {"required": True, "type": Path, "metavar": "DIR", "help": "folder of the model"},
    "--recipe": {
        "choices": RECIPES,
        "help": "hyperparameters: paper, those of RoBERTa-base on MultiNLI, one of the twelve sets of the paper, or "
        "small (default: small if embedded, else paper)",
    },
    "--hold-out": {"type": int, "metavar": "N", "help": "use the last N problems of each source for evaluation only"},
    "--augment": {"metavar": "DIR/CONFIG|FILE", "help": "additional examples, such as simple_pair/augmentation"},
    "--augment-share": {
        "type": float,
        "metavar": "S",
        "help": "number of additional examples, as a share of the number of training problems (default: all examples)",
    },
    "--augment-copies": {
        "type": int,
        "metavar": "N",
        "help": "how often each additional example is in the training data (default: 1)",
    },
    "--random-seed": {
        "type": int,
        "nargs": "+",
        "dest": "random_seeds",
        "metavar": "N",
        "help": "one model per seed (default: 0)",
    },
    "--dtype": {"choices": DTYPES, "help": "float32, or bfloat16 for autocast (default: float32)"},
    "--save-every": {"type": int, "metavar": "STEPS", "help": "steps between checkpoints (default: 200)"},
    "--license": {"metavar": "ID", "help": "license of the models, for their cards"},
}
for hyperparameter in fields(Recipe):
    ARGUMENTS[flag(hyperparameter.name)] = {"type": hyperparameter.type, "metavar": "X", "help": HYPERPARAMETER}


def main(options: FinetuneOptions) -> None:
    """Train the model of each seed; models that are complete are kept.

    Args:
        options: The options of the run.
    """
    if importlib.util.find_spec("accelerate") is None:
        raise InputError("Trainer of transformers needs accelerate: run pip install accelerate")
    base = find_model(options.base)
    data = read_training_data(options)
    of_seeds = {seed: augmented(data, options, seed) for seed in options.random_seeds}
    for seed, of_seed in of_seeds.items():
        check_folders(record_of(base, of_seed, options, seed), options, seed)
    for seed, of_seed in of_seeds.items():
        finetune_seed(base, of_seed, options, seed)


def finetune_seed(base: ResolvedModel, data: TrainingData, options: FinetuneOptions, seed: int) -> None:
    """Train and write the model of one seed, unless it is complete.

    Args:
        base: The model to start from.
        data: The training data of the seed.
        options: The options of the run.
        seed: The seed.
    """
    from training.finetuning.card import card_text
    from training.finetuning.run import finetune

    record = record_of(base, data, options, seed)
    folder = options.folder_of(seed)
    checkpoints = options.checkpoints_of(seed)
    if folder.exists():
        logger.info("%s is complete", folder)
        return
    with disk_errors_as_input_errors(options.out):
        model, tokenizer, accuracy = finetune(base, data, options, seed, record)
        with new_content(folder) as staged:
            model.save_pretrained(staged)
            tokenizer.save_pretrained(staged)
            write_json(staged / RECORD, record | {"accuracy": accuracy})
            write_text(staged / "README.md", card_text(record, output_names(model.config), accuracy, name=folder.name))
        shutil.rmtree(checkpoints)
        if not any(checkpoints.parent.iterdir()):
            checkpoints.parent.rmdir()
    if accuracy is not None:
        logger.info("%s: accuracy %.4f on %d held-out problems", folder, accuracy, len(data.held_out))


def record_of(base: ResolvedModel, data: TrainingData, options: FinetuneOptions, seed: int) -> JsonObject:
    """Return what determines a model, as JSON values."""
    return {
        "base": {"name": base.name, "revision": base.revision, "digest": base.digest},
        "sources": [asdict(source) for source in data.sources],
        "training": asdict(options.recipe) | {"dtype": options.dtype, "random_seed": seed},
        "held_out": len(data.held_out),
        "license": options.license,
    }


def check_folders(record: JsonObject, options: FinetuneOptions, seed: int) -> None:
    """Check that the folders of a seed's model and checkpoints, if they exist, are from a run with this record."""
    for folder in (options.folder_of(seed), options.checkpoints_of(seed)):
        if not folder.exists():
            continue
        written = read_json(folder / RECORD)
        if not isinstance(written, dict):
            raise InputError(f"{folder} exists and is not from training.finetune: choose another ⟦out⟧")
        different = [name for name, value in record.items() if written.get(name) != value]
        if different:
            raise InputError(
                f"{folder} is from a run with other values of {', '.join(different)} (see its {RECORD}): delete it, or "
                "choose another ⟦out⟧"
            )


def parse_options(arguments: list[str] | None = None) -> FinetuneOptions:
    """Parse the command line."""
    given = vars(parse("finetune", __doc__, ARGUMENTS, arguments))
    name = given.pop("recipe", default_recipe(given["base"]))
    changed = {field.name: given.pop(field.name) for field in fields(Recipe) if field.name in given}
    base_name, _, _ = Path(given["base"]).name.partition("@")
    if name == "paper" and not changed and base_name != PAPER_BASE:
        logger.warning("recipe paper is for %s on MultiNLI; training/README.md has the others", PAPER_BASE)
    return FinetuneOptions(recipe=replace(RECIPES[name], **changed), **given)


if __name__ == "__main__":
    with script():
        main(parse_options())
