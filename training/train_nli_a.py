"""Train `nli-a`: a BERT classifier with four layers and SNLI's label order."""

from __future__ import annotations

import torch

from merge_snli.schema import NLI_LABELS
from training.base import load_base
from training.export import export
from training.loop import Recipe
from training.nli import gold_training_set, log_accuracy, train_classifier
from training.nli_vocabulary import classifier_pieces
from training.script import Options, run_script
from training.surgery import bert_classifier
from training.vocabulary import cut_embeddings, wordpiece_tokenizer

NAME = "nli-a"
PIECES = 5_500
LAYERS = 4
RECIPE = Recipe(steps=1_900, learning_rate=1.2e-4, batch_size=32, seed=3, warmup=0.1, head_scale=4.0)


def main(options: Options) -> None:
    """Train the model and write its folder."""
    base = load_base()
    training_set = gold_training_set(options.data, NLI_LABELS)
    pieces = classifier_pieces(base, options.data, PIECES)
    tokenizer = wordpiece_tokenizer(pieces)
    torch.manual_seed(RECIPE.seed)
    model = bert_classifier(base, cut_embeddings(base, pieces), LAYERS, NLI_LABELS)
    train_classifier(model, tokenizer, training_set, RECIPE.at_most(options.steps), options.checkpoints / f"{NAME}.pt")
    export(model, tokenizer, options.out / NAME)
    log_accuracy(options.out / NAME, options.data)


if __name__ == "__main__":
    run_script(main, __doc__)
