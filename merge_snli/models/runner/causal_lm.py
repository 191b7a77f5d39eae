"""Run a causal LM on prompts, and rank the answers for the labels by their log-likelihoods."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from os.path import commonprefix
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.labels import ModelFacts, Pair
from merge_snli.models.runner.checks import EXAMPLE_PAIR, NOISE, find_runner, outputs_match
from merge_snli.models.runner.encoded import IDS, Encoded, Encoder, Model, Predictor, Shard, Tokenizer
from merge_snli.models.runner.loading import longest_unscaled, max_length
from merge_snli.models.runner.packed_linear import pack
from merge_snli.models.runner.runner import Batch, Runner, run_once

# Pairs whose prompts have in common what the prompts of all pairs have in common.
EXAMPLES: tuple[Pair, ...] = (
    EXAMPLE_PAIR,
    ("The sun is up.", "The moon is up."),
    ("Two dogs run.", "Some animals move."),
)


class CausalLM(Predictor):
    """Ranks answers with a causal LM, without padding before a token that counts.

    The tokens that all prompts begin with, which are those of instruction and shots, are computed once, and those of a
    prompt once for all its answers. A model that computes other numbers with such a cache runs without it, and so does
    one with LongRoPE beyond its original maximum; that of a prompt is reached with its longest answer.

    If the tokenizer has a chat template, the model gets the prompt as messages in this template, otherwise as a text.
    """

    def __init__(self, model: Model, tokenizer: Tokenizer, prompt: FilledPrompt) -> None:
        """Wrap a loaded model, whose linear layers may be replaced.

        Args:
            model: The model, in evaluation mode.
            tokenizer: Its tokenizer, of which nothing else needs the truncation and padding.
            prompt: The prompt.
        """
        self._model = model
        self._tokenizer = tokenizer
        self._prompt = prompt
        self._keeps_logits = "logits_to_keep" in inspect.signature(model.forward).parameters
        self.n_outputs = len(prompt.continuations)
        is_chat = bool(tokenizer.chat_template)
        self.facts = ModelFacts(
            type(model).__name__, model.num_parameters(), max_length(model, tokenizer), chat=is_chat
        )
        shown = shown_text(prompt, EXAMPLE_PAIR, tokenizer)
        # A chat template writes the special tokens itself.
        self._encoder = Encoder(tokenizer, shown, add_special_tokens=not is_chat)
        self._n_end_tokens = _count_end_tokens(tokenizer, special_tokens=not is_chat)
        # A base model goes on with a text, also in a chat template that adds nothing after the question.
        goes_on = not is_chat or shown.endswith(prompt.messages(*EXAMPLE_PAIR)[-1]["content"])
        contexts = self._tokenize(EXAMPLES).ids()
        added = [self._added_by(answer, contexts) for answer in (prompt.continuations if goes_on else prompt.answers)]
        # Padded at their ends, where a causal LM does not read on.
        answers = pad_sequence(added, batch_first=True, padding_value=-1).to(model.device)
        self._answers = answers.clamp(min=0)
        self._is_token = answers >= 0
        self._added = answers.shape[1]
        common = commonprefix(contexts)  # noqa: RUF071 - of lists, not of paths
        self._prefix = [*common[: len(contexts[0]) - 1]]
        self._runner = self._find_runner()

    def encode(self, pairs: Sequence[Pair]) -> Encoded:
        """Tokenize the prompts of pairs."""
        return replace(self._tokenize(pairs), added=self._added)

    def run(self, encoded: Encoded, rows: Ints) -> Iterator[Shard]:
        """Yield some of the pairs with the indices `rows`, and the log-likelihoods of the answers, [n, n_labels]."""
        starts = encoded.matrix(IDS, rows, len(self._prefix))
        fits = encoded.lengths[rows] + self._added <= longest_unscaled(self._model.config)
        is_cached = self._uses_cache & fits & (starts == self._prefix).all(axis=1)
        yield from self._runner.run(self._with_cache, encoded, rows[is_cached])
        yield from self._runner.run(self._without_cache, encoded, rows[~is_cached])

    def _tokenize(self, pairs: Sequence[Pair], answer: str = "") -> Encoded:
        """Tokenize the prompts of pairs with an answer, without the tokens that mark the end of a text."""
        encoded = self._encoder([shown_text(self._prompt, pair, self._tokenizer) + answer for pair in pairs])
        return replace(encoded, lengths=encoded.lengths - self._n_end_tokens)

    def _added_by(self, answer: str, contexts: Sequence[list[int]]) -> torch.Tensor:
        """Return the tokens that an answer adds to every prompt."""
        with_answer = self._tokenize(EXAMPLES, answer).ids()
        added = with_answer[0][len(contexts[0]) :]
        if not added or any(whole != context + added for context, whole in zip(contexts, with_answer, strict=True)):
            raise InputError(
                f"the answer {answer!r} adds no token to the prompt, or changes the prompt's last token, with the "
                f"tokenizer of {self.facts.architecture}: use another prompt"
            )
        return torch.tensor(added)

    def _find_runner(self) -> Runner:
        """Pack the model, find out whether it can use a cache, and return what runs it."""
        model = self._model
        example = self.encode([EXAMPLE_PAIR] * 2)
        run = partial(run_once, encoded=example, device=model.device)
        packed = pack(model, partial(run, self._without_cache))
        plain = run(self._without_cache)
        self._uses_cache = outputs_match(partial(run, self._with_cache), plain, NOISE[model.dtype])
        step = self._without_cache
        cached = 0
        if self._uses_cache:
            step = self._with_cache
            cached = len(self._prefix)
        name = f"model {self.facts.architecture}"
        return find_runner(model, step, example, name=name, packed=packed, cached=cached)

    @cached_property
    def _prefix_cache(self) -> Any:  # noqa: ANN401 - a class per kind of model
        """The cache of the common start of all prompts; None if they have none."""
        if not self._prefix:
            return None
        prefix = torch.tensor([self._prefix], device=self._model.device)
        _, cache = self._forward(prefix, 1, past_key_values=None, use_cache=True)
        return cache

    def _with_cache(self, batch: Batch) -> list[torch.Tensor]:
        """Return the log-likelihoods of the answers to the prompts of a batch, [n, n_labels]."""
        contexts = batch[IDS][:, len(self._prefix) :]
        cache = copy.deepcopy(self._prefix_cache)
        if cache is not None:
            cache.batch_repeat_interleave(len(contexts))
        logits, cache = self._forward(contexts, 1, past_key_values=cache, use_cache=True)
        scores = logits[:, -1].float().log_softmax(dim=-1)[:, self._answers[:, 0]]
        if self._added > 1:
            cache.batch_repeat_interleave(self.n_outputs)
            answers = self._answers.repeat(len(contexts), 1)
            logits, _ = self._forward(answers[:, :-1], self._added - 1, past_key_values=cache, use_cache=True)
            scores += self._sums(logits, answers[:, 1:], self._is_token[:, 1:])
        return [scores]

    def _without_cache(self, batch: Batch) -> list[torch.Tensor]:
        """Return the same, computing each prompt with each answer from its first token on."""
        answers = self._answers.repeat(len(batch[IDS]), 1)
        texts = torch.cat([batch[IDS].repeat_interleave(self.n_outputs, dim=0), answers[:, :-1]], dim=1)
        logits, _ = self._forward(texts, self._added, use_cache=False)
        return [self._sums(logits, answers, self._is_token)]

    def _forward(self, ids: torch.Tensor, last: int, **cache: Any) -> tuple[torch.Tensor, Any]:  # noqa: ANN401
        """Return the logits at the last positions, [n, last, n_tokens], and the cache."""
        if self._keeps_logits:
            cache["logits_to_keep"] = last
        outputs = self._model(input_ids=ids, **cache)
        return outputs.logits[:, -last:], getattr(outputs, "past_key_values", None)

    def _sums(self, logits: torch.Tensor, answers: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
        """Return the sum of the log-probabilities of the tokens of each answer, [n, n_labels].

        Args:
            logits: Logits before each token of the answers, [n * n_labels, n_longest, n_tokens].
            answers: The tokens, [n * n_labels, n_longest].
            is_token: Which of them are those of the answers, [n_labels, n_longest].
        """
        log_probs = logits.float().log_softmax(dim=-1).gather(2, answers[..., None])
        return log_probs.view(-1, *is_token.shape).where(is_token, 0.0).sum(dim=2)


def _count_end_tokens(tokenizer: Tokenizer, *, special_tokens: bool) -> int:
    """Return the number of special tokens after a text, if it gets any."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    whole = tokenizer("a", add_special_tokens=special_tokens)["input_ids"]
    return int(whole[::-1].index(bare[-1]))


def shown_text(prompt: FilledPrompt, pair: Pair, tokenizer: Tokenizer) -> str:
    """Return the text that asks about a pair: messages in the tokenizer's chat template, if it has one.

    They are one message if the template has no system role.
    """
    from jinja2 import TemplateError

    if not tokenizer.chat_template:
        return prompt.text(*pair)
    show = partial(tokenizer.apply_chat_template, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    try:
        return str(show(prompt.messages(*pair)))
    except TemplateError:
        return str(show([{"role": "user", "content": prompt.text(*pair)}]))
