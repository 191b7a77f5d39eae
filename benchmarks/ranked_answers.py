"""Compare `merge-snli score --prompt` with the `hf` backend of lm-evaluation-harness on one causal LM and prompt.

    python -m benchmarks.ranked_answers --model DIR --prompt word few_shot --limit 200

Both rank the same answers to the same texts in float32 on a CPU with one thread. lm-evaluation-harness gets the texts
as requests of its backend, without the time that its tasks take. Its batch size is the best of those of `--batch-sizes`
in a round before. Without `--model`, the model has random weights, so only the speed and the equality of the scores
mean something. In each round both run on the same pairs in turn; the table shows the median of the rounds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.shared import byte_bpe_tokenizer, medians, processor, seconds_of
from merge_snli.answers.opening import open_config
from merge_snli.dataset.stored import find_dataset
from merge_snli.language_models.shots import fill_prompt
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.finding import find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.prompts import read_prompts
from merge_snli.models.runner.predictors import load_predictor
from merge_snli.scoring.predict import predict_pairs

# Difference of the best two scores above which the answers must be equal.
CLEAR = 1e-4

# Log-likelihood of each answer, [n_pairs, n_labels].
Scores = Any


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="folder of a causal LM to use instead of a random one")
    parser.add_argument("--dataset", default="demo:dataset", help="data set (default: %(default)s)")
    parser.add_argument("--prompt", nargs="+", default=["word", "few_shot"], help="prompts (default: word few_shot)")
    parser.add_argument("--limit", type=int, default=200, help="pairs per round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: %(default)s)")
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[8, 32], help="of lm-evaluation-harness")
    parser.add_argument("--hidden-size", type=int, default=512, help="of the random model (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=8, help="of the random model (default: %(default)s)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    data = open_config(find_dataset(arguments.dataset), None if arguments.dataset != "demo:dataset" else "all")
    pairs = data.pairs[:: max(1, len(data.pairs) // arguments.limit)][: arguments.limit]
    sys.stdout.write(f"{processor()}\n\n| prompt | tokens | lm-evaluation-harness | `score --prompt` | ratio | ")
    sys.stdout.write(
        "largest difference | clear answers | equal |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        if arguments.model is None:
            save_model(Path(folder), pairs, hidden_size=arguments.hidden_size, layers=arguments.layers)
        for prompt in read_prompts(arguments.prompt):
            filled = fill_prompt(prompt, data)
            line = compare(arguments.model or folder, filled, pairs, arguments.rounds, arguments.batch_sizes)
            sys.stdout.write(f"| `{prompt.name}` | {line} |\n")
            sys.stdout.flush()


def save_model(folder: Path, pairs: Sequence[Pair], *, hidden_size: int, layers: int) -> None:
    """Save a Llama model with random weights and a byte-level BPE tokenizer trained on the pairs."""
    from tokenizers import processors
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    tokenizer = byte_bpe_tokenizer(pairs)
    tokenizer.backend_tokenizer.post_processor = processors.ByteLevel()  # adds no token at the end
    tokenizer.save_pretrained(folder)
    config: Any = LlamaConfig(
        vocab_size=32_000,
        hidden_size=hidden_size,
        num_hidden_layers=layers,
        num_attention_heads=hidden_size // 64,
        num_key_value_heads=hidden_size // 64,
        intermediate_size=hidden_size * 8 // 3,
        max_position_embeddings=2_048,
        initializer_range=0.05,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


def compare(model: str, prompt: FilledPrompt, pairs: Sequence[Pair], rounds: int, sizes: Sequence[int]) -> str:
    """Run both in turn, and return a row of the table."""
    ranked = load_predictor(find_model(model), "cpu", ModelOptions(prompt=prompt))
    predict_pairs(lambda: ranked, pairs[:4], None)
    backends = [harness(model, prompt, pairs, size) for size in sizes]
    theirs = min(backends, key=seconds_of)
    scores: dict[str, Scores] = {}

    def time_theirs() -> float:
        return seconds_of(lambda: scores.update(theirs=theirs()))

    def time_ours() -> float:
        return seconds_of(lambda: scores.update(ours=predict_pairs(lambda: ranked, pairs, None)[0].logits))

    seconds = medians({"theirs": time_theirs, "ours": time_ours}, rounds)
    their_rate, our_rate = len(pairs) / seconds["theirs"], len(pairs) / seconds["ours"]
    second, first = np.partition(scores["theirs"], -2, axis=1)[:, -2:].T
    clear = first - second > CLEAR
    same = scores["theirs"].argmax(axis=1) == scores["ours"].argmax(axis=1)
    difference = np.abs(scores["theirs"] - scores["ours"]).max()
    tokens = ranked.encode(pairs).lengths.mean()
    speed = f"{tokens:.0f} | {their_rate:.1f} | {our_rate:.1f} | {our_rate / their_rate:.1f}"
    return f"{speed} | {difference:.0e} | {clear.sum()} of {len(pairs)} | {same[clear].sum()}"


def harness(model: str, prompt: FilledPrompt, pairs: Sequence[Pair], batch_size: int) -> Callable[[], Scores]:
    """Return a function that ranks the answers with the `hf` backend of lm-evaluation-harness."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    backend: Any = HFLM(pretrained=model, dtype="float32", device="cpu", batch_size=batch_size)
    requests: list[Instance] = []
    for pair in pairs:
        for answer in prompt.continuations:
            at = len(requests)
            requests.append(Instance("loglikelihood", {}, (prompt.text(*pair), answer), at, metadata=("nli", at, 1)))

    def rank() -> Scores:
        answers = backend.loglikelihood(requests, disable_tqdm=True)
        return np.array([likelihood for likelihood, _ in answers], dtype=np.float32).reshape(len(pairs), -1)

    backend.loglikelihood(requests[:3], disable_tqdm=True)  # warm up
    return rank


if __name__ == "__main__":
    main()
