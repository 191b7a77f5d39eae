"""Train `mlm-wordpiece`: an uncased BERT masked LM with a reduced WordPiece vocabulary."""

from __future__ import annotations

import torch

from training.base import load_base
from training.export import export
from training.loop import Recipe
from training.mlm import log_validation, masked_lm_sentences, train_masked_lm
from training.script import Options, run_script
from training.surgery import bert_masked_lm
from training.vocabulary import count_pieces, cut_embeddings, cut_vocabulary, wordpiece_tokenizer

NAME = "mlm-wordpiece"
PIECES = 8_500
LAYERS = 4
RECIPE = Recipe(steps=1_800, learning_rate=6e-4, batch_size=128, seed=1)


def main(options: Options) -> None:
    """Train the model and write its folder."""
    base = load_base()
    sentences = masked_lm_sentences(options.data)
    pieces = cut_vocabulary(base.tokenizer.get_vocab(), count_pieces(base, sentences), PIECES)
    tokenizer = wordpiece_tokenizer(pieces)
    torch.manual_seed(RECIPE.seed)
    model = bert_masked_lm(base, cut_embeddings(base, pieces), LAYERS)
    train_masked_lm(model, tokenizer, sentences, RECIPE.at_most(options.steps), options.checkpoints / f"{NAME}.pt")
    export(model, tokenizer, options.out / NAME)
    log_validation(options.out / NAME, options.data)


if __name__ == "__main__":
    run_script(main, __doc__)
