"""Run a causal LM on prompts, and rank the answers for the labels by their log-likelihoods."""

from __future__ import annotations

import copy
import inspect
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.models.classifier import EXAMPLE_PAIR, PADDING_NOISE
from merge_snli.models.inference import (
    TOKENS_PER_BATCH,
    TOKENS_PER_GPU_BATCH,
    Batches,
    is_batch_invariant,
    max_length,
    outputs_match,
)
from merge_snli.models.labels import ModelFacts, Pair, Predictor
from merge_snli.models.prompts import FilledPrompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch
    from numpy.typing import NDArray
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Pairs whose prompts have in common what the prompts of all pairs have in common.
OTHER_PAIRS: tuple[Pair, ...] = (("The sun is up.", "The moon is up."), ("Two dogs run.", "Some animals move."))


class EncodedPrompt(NamedTuple):
    """The tokens of a prompt, and those of each answer."""

    context: list[int]
    answers: list[list[int]]


class CausalLM(Predictor):
    """Ranks answers with a causal LM, without padding before a token that counts.

    The tokens that all prompts begin with, which are those of instruction and shots, are computed once, and those of a
    prompt once for all its answers. A model that computes other numbers with such a cache runs without it. Pairs in a
    batch have prompts of the same length, and all batches of one length have the same size unless the model is
    batch-invariant, so that the scores of a pair do not depend on other pairs.

    If the tokenizer has a chat template, the model gets the prompt as messages in this template, otherwise as a text.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        prompt: FilledPrompt,
        *,
        packed: bool = False,
    ) -> None:
        """Wrap a loaded model.

        Args:
            model: The model, in evaluation mode.
            tokenizer: Its tokenizer.
            prompt: The prompt.
            packed: Whether `pack` found the model to be batch-invariant.
        """
        self._model: Any = model
        self._tokenizer: Any = tokenizer
        self._prompt = prompt
        self._keeps_logits = "logits_to_keep" in inspect.signature(model.forward).parameters
        self.n_outputs = len(prompt.continuations)
        self.facts = ModelFacts(
            type(model).__name__,
            model.num_parameters(),
            max_length(model, tokenizer),
            chat=bool(tokenizer.chat_template),
        )
        self._n_end_tokens = 0 if self.facts.chat else _count_end_tokens(tokenizer)
        example, *others = self._encode([EXAMPLE_PAIR, *OTHER_PAIRS])
        self._prefix = _common_start([encoded.context for encoded in (example, *others)])[: len(example.context) - 1]
        self._prefix_cache: Any = None
        self._uses_cache = self._computes_the_same_with_a_cache(example)
        total = len(example.context)
        rest = total - (len(self._prefix) if self._uses_cache else 0)
        self.batch_tokens = (TOKENS_PER_BATCH if model.device.type == "cpu" else TOKENS_PER_GPU_BATCH) * total // rest
        invariant = packed and is_batch_invariant(lambda times: np.stack(self._scores([example] * times)))
        self._batches = Batches(
            f"model {self.facts.architecture}", "prompt", self.batch_tokens, batch_invariant=invariant
        )

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the number of tokens of the prompt of each pair with the longest answer."""
        return [len(prompt.context) + max(map(len, prompt.answers)) for prompt in self._encode(pairs)]

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Return the log-likelihood of the answer for each label, [n, n_labels]."""
        encoded = self._encode(pairs)
        rows = np.empty((len(pairs), self.n_outputs), dtype=np.float32)

        def kind(row: int) -> tuple[int, bool]:
            return len(encoded[row].context), self._has_prefix(encoded[row])

        errors = (RuntimeError, IndexError, ValueError)
        with explained(errors, f"{self.facts.architecture} fails on {len(pairs)} prompts: {REASON}"):
            for (length, _), same in groupby(sorted(range(len(pairs)), key=kind), key=kind):
                indices = list(same)
                rows[indices] = self._batches.run(
                    lambda batch: self._scores([encoded[row] for row in batch]), indices, length
                )
        if not np.isfinite(rows).all():
            raise InputError(
                f"{self.facts.architecture} returns log-likelihoods that are not finite; check its weights, or use "
                f"{param('dtype', 'float32')}"
            )
        return rows

    def _encode(self, pairs: Sequence[Pair]) -> list[EncodedPrompt]:
        """Encode prompts, and the answers as the tokens that they add to the prompt."""
        is_chat = self.facts.chat
        texts = [shown_text(self._prompt, pair, self._tokenizer) for pair in pairs]
        # A base model goes on with a text, also in a chat template that adds nothing after the question.
        questions = (self._prompt.messages(*pair)[-1]["content"] for pair in pairs)
        goes_on = not is_chat or all(map(str.endswith, texts, questions))
        contexts, *whole = (
            self._token_ids([text + more for text in texts])
            for more in ("", *(self._prompt.continuations if goes_on else self._prompt.answers))
        )
        encoded = [
            # The tokens that each answer adds to those of the prompt, none if it changes those of the prompt.
            EncodedPrompt(context, [ids[len(context) :] if ids[: len(context)] == context else [] for ids in answered])
            for context, *answered in zip(contexts, *whole, strict=True)
        ]
        if not all(answer for prompt in encoded for answer in prompt.answers):
            raise InputError(
                f"an answer adds no token to the prompt, or changes the prompt's last token, with the tokenizer of "
                f"{self.facts.architecture}: use another prompt"
            )
        return encoded

    def _token_ids(self, texts: list[str]) -> list[list[int]]:
        """Tokenize texts that an answer may follow, so without the tokens that mark the end of a text."""
        # A chat template writes the special tokens itself.
        rows = self._tokenizer(texts, add_special_tokens=not self.facts.chat, verbose=False)["input_ids"]
        return [row[: len(row) - self._n_end_tokens] for row in rows]

    def _has_prefix(self, encoded: EncodedPrompt) -> bool:
        return self._uses_cache and encoded.context[: len(self._prefix)] == self._prefix

    def _computes_the_same_with_a_cache(self, example: EncodedPrompt) -> bool:
        """Return whether the model gives the same scores with a cache, and cache the common start of all prompts."""

        def cached() -> NDArray[np.float32]:
            if self._prefix:
                _, self._prefix_cache = self._forward([self._prefix], 1, past_key_values=None, use_cache=True)
            return np.stack(self._scores_with_cache([example] * 2))

        noise = PADDING_NOISE[str(self._model.dtype).removeprefix("torch.")]
        return outputs_match(cached, lambda: np.stack(self._scores_without_cache([example] * 2)), noise)

    def _scores(self, batch: Sequence[EncodedPrompt]) -> list[NDArray[np.float32]]:
        """Return the log-likelihoods of the answers to prompts of one length, [n_labels] each."""
        return self._scores_with_cache(batch) if self._has_prefix(batch[0]) else self._scores_without_cache(batch)

    def _scores_with_cache(self, batch: Sequence[EncodedPrompt]) -> list[NDArray[np.float32]]:
        cache = copy.deepcopy(self._prefix_cache)
        if cache is not None:
            cache.batch_repeat_interleave(len(batch))
        contexts = [encoded.context[len(self._prefix) :] for encoded in batch]
        logits, cache = self._forward(contexts, 1, past_key_values=cache, use_cache=True)
        first = [[answer[0]] for encoded in batch for answer in encoded.answers]
        scores = _sums(logits.repeat_interleave(self.n_outputs, dim=0), first).reshape(len(batch), -1)
        longer = [at for at in range(self.n_outputs) if any(len(encoded.answers[at]) > 1 for encoded in batch)]
        if longer:
            cache.batch_repeat_interleave(len(longer))
            answers = [encoded.answers[at] for encoded in batch for at in longer]
            read = _padded([answer[:-1] for answer in answers])
            logits, _ = self._forward(read, len(read[0]), past_key_values=cache, use_cache=True)
            scores[:, longer] += _sums(logits, [answer[1:] for answer in answers]).reshape(len(batch), -1)
        return list(scores.numpy())

    def _scores_without_cache(self, batch: Sequence[EncodedPrompt]) -> list[NDArray[np.float32]]:
        """Return the same, computing each prompt with each answer from its first token on."""
        answers = [answer for encoded in batch for answer in encoded.answers]
        texts = [encoded.context + answer[:-1] for encoded in batch for answer in encoded.answers]
        logits, _ = self._forward(_padded(texts), max(map(len, answers)), use_cache=False)
        return list(_sums(logits, answers).reshape(len(batch), -1).numpy())

    def _forward(self, rows: list[list[int]], last: int, **cache: Any) -> tuple[torch.Tensor, Any]:  # noqa: ANN401
        """Return the logits at the last positions, [n, last, n_tokens], and the cache."""
        import torch

        with torch.inference_mode():
            ids = torch.tensor(rows, device=self._model.device)
            outputs = self._model(input_ids=ids, **cache, **({"logits_to_keep": last} if self._keeps_logits else {}))
            return outputs.logits[:, -last:], getattr(outputs, "past_key_values", None)


def shown_text(prompt: FilledPrompt, pair: Pair, tokenizer: Any) -> str:  # noqa: ANN401 - its methods are untyped
    """Return the text that asks about a pair: messages in the tokenizer's chat template, if it has one.

    They are one message if the template has no system role.
    """
    from jinja2 import TemplateError

    if not tokenizer.chat_template:
        return prompt.text(*pair)
    options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": False}
    try:
        return str(tokenizer.apply_chat_template(prompt.messages(*pair), **options))
    except TemplateError:
        return str(tokenizer.apply_chat_template([{"role": "user", "content": prompt.text(*pair)}], **options))


def _count_end_tokens(tokenizer: Any) -> int:  # noqa: ANN401 - its call is untyped
    """Return how many special tokens a tokenizer appends to a text."""
    bare, whole = (tokenizer("a", add_special_tokens=special)["input_ids"] for special in (False, True))
    return sum(1 for _ in takewhile(lambda token: token != bare[-1], reversed(whole)))


def _sums(logits: torch.Tensor, answers: list[list[int]]) -> torch.Tensor:
    """Return the sum of the log-probabilities of the tokens of each answer, [n].

    Args:
        logits: Logits before each token of the longest answer, [n, n_longest, n_tokens].
        answers: The tokens, [n] lists.
    """
    import torch

    tokens = torch.tensor(_padded(answers), device=logits.device)
    log_probabilities = torch.log_softmax(logits.float(), dim=-1).gather(2, tokens[..., None])[..., 0].cpu()
    lengths = torch.tensor(list(map(len, answers)))
    return (log_probabilities * (torch.arange(tokens.shape[1]) < lengths[:, None])).sum(dim=1)


def _padded(rows: list[list[int]]) -> list[list[int]]:
    """Fill up rows at their ends, where a causal LM does not read on; token 0 stands for any."""
    length = max(map(len, rows))
    return [row + [0] * (length - len(row)) for row in rows]


def _common_start(rows: Sequence[list[int]]) -> list[int]:
    """Return the numbers that all rows begin with."""
    return [column[0] for column in takewhile(lambda column: len({*column}) == 1, zip(*rows, strict=False))]
