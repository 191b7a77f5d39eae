"""Train `mlm-bpe`: a cased RoBERTa masked LM with a new byte-level BPE vocabulary."""

from __future__ import annotations

import torch

from training.base import load_base
from training.bpe import bare_words, learn_bpe, mapped_embeddings
from training.export import export
from training.loop import Recipe
from training.mlm import log_validation, masked_lm_sentences, train_masked_lm
from training.script import Options, run_script
from training.surgery import roberta_masked_lm

NAME = "mlm-bpe"
PIECES = 6_600
LAYERS = 2
RECIPE = Recipe(steps=1_000, learning_rate=8e-4, batch_size=128, seed=2)
SNLI_TIMES = 10
BARE_WORDS = 250


def main(options: Options) -> None:
    """Train the model and write its folder."""
    base = load_base()
    sentences = masked_lm_sentences(options.data)
    times = {sentence: SNLI_TIMES if share == 1 else 1 for sentence, share in sentences.items()}
    tokenizer = learn_bpe(times | bare_words(times, BARE_WORDS), PIECES)
    pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    torch.manual_seed(RECIPE.seed)
    model = roberta_masked_lm(base, mapped_embeddings(base, pieces), LAYERS)
    train_masked_lm(model, tokenizer, sentences, RECIPE.at_most(options.steps), options.checkpoints / f"{NAME}.pt")
    export(model, tokenizer, options.out / NAME)
    log_validation(options.out / NAME, options.data)


if __name__ == "__main__":
    run_script(main, __doc__)
