"""Fast tagging of one token: compute only the part of the tagger's network that its tag depends on.

spaCy's small English taggers embed each token by hashed features and apply d residual layers. Each layer sees one
neighbor on either side, so the tag of a token depends on the d tokens to its left and right and on nothing else. The
tag of a suggestion needs 2d + 1 embeddings, and all but its own are the same for all suggestions at this occurrence.
"""

import functools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from generation.sentences.forms import Substitution
from merge_snli.base.arrays import Floats32
from merge_snli.models.tagger import Tagger

# Few, so that the values between two layers stay in a core's cache.
SUGGESTIONS_PER_BATCH = 512
# The suggestions of a problem follow each other, and many problems have the same.
SENTENCES_IN_CACHE, CONTEXTS_IN_CACHE, WORDS_IN_CACHE = 16, 10_000, 200_000
# The row of the embeddings for positions before the first and after the last token: zeros.
PADDING = 0


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Tokens of a text, by token: offset, text, and row of the embeddings."""

    starts: list[int]
    texts: list[str]
    rows: list[int]


class _Context(NamedTuple):
    """The context of one occurrence: the rows of its neighbors, and the adjacent characters.

    spaCy splits at white space first, so only the characters between two white spaces have to be tokenized again. A
    space after them is a feature of the last token.
    """

    left: list[int]
    right: list[int]
    before: str
    after: str


class ReceptiveFieldTagger:
    """Tags one token of a sentence without tagging the others, and caches the embeddings of all tokens."""

    def __init__(self, tagger: Tagger) -> None:
        """Read the weights of a pipeline.

        Args:
            tagger: The tagger.

        Raises:
            ValueError: If the pipeline's tagger has no window layers, or larger windows. Another architecture can give
                other errors, such as a missing part.
        """
        self._nlp = tagger.nlp
        tok2vec: Any = tagger.nlp.get_pipe("tok2vec")
        output: Any = tagger.nlp.get_pipe("tagger")
        embed, encode = tok2vec.model.layers
        self._columns: list[str] = embed.layers[0].attrs["columns"]
        self._embed = [layer.layers[0] for layer in embed.layers[2:4]]
        self._layers = _window_layers(encode)
        softmax = next(node for node in output.model.walk() if node.name == "softmax")
        self._softmax = _tensor(softmax.get_param("W")), _tensor(softmax.get_param("b"))
        self._tags: tuple[str, ...] = output.labels
        self._field = len(self._layers)
        self._row_of: dict[bytes, int] = {}
        self._new: list[npt.NDArray[np.uint64]] = []
        self._embeddings = torch.zeros(1, len(self._layers[0].gain))
        self._sentence = functools.lru_cache(SENTENCES_IN_CACHE)(self._tokenize)
        self._word = functools.lru_cache(WORDS_IN_CACHE)(self._tokenize)
        self._context = functools.lru_cache(CONTEXTS_IN_CACHE)(self._find_context)

    def tags(self, suggestions: Sequence[Substitution]) -> list[str | None]:
        """Return the Penn tag of each suggestion in its sentence; None if it is not a single token."""
        windows = [self._window(suggestion) for suggestion in suggestions]
        self._embed_new()
        known = [window for window in windows if window is not None]
        tags = []
        with _one_thread():
            for first in range(0, len(known), SUGGESTIONS_PER_BATCH):
                tags += self._tags_of(torch.tensor(known[first : first + SUGGESTIONS_PER_BATCH]))
        remaining = iter(tags)
        return [None if window is None else next(remaining) for window in windows]

    def _window(self, suggestion: Substitution) -> list[int] | None:
        """Return the rows of the 2d + 1 embeddings around the suggestion; None if it is not a single token."""
        context = self._context(suggestion.sentence, suggestion.start, suggestion.end)
        tokens = self._word(context.before + suggestion.word + context.after)
        start = len(context.before)
        if start not in tokens.starts:
            return None
        index = tokens.starts.index(start)
        if tokens.texts[index] != suggestion.word:
            return None
        # Left and right of these, the context has as many rows as the receptive field.
        return (context.left + tokens.rows + context.right)[index : index + 2 * self._field + 1]

    def _find_context(self, text: str, start: int, end: int) -> _Context:
        first, after = start, end
        while first > 0 and not text[first - 1].isspace():
            first -= 1
        while after < len(text) and not text[after].isspace():
            after += 1
        if text[after : after + 1] == " ":
            after += 1
        tokens = self._sentence(text)
        padding = [PADDING] * self._field
        number, next_number = bisect_left(tokens.starts, first), bisect_left(tokens.starts, after)
        left = padding + tokens.rows[max(0, number - self._field) : number]
        right = tokens.rows[next_number : next_number + self._field] + padding
        return _Context(left[-self._field :], right[: self._field], text[first:start], text[end:after])

    def _tokenize(self, text: str) -> _Tokens:
        doc = self._nlp.make_doc(text)
        features = doc.to_array([*self._columns]).astype(np.uint64).reshape(len(doc), len(self._columns))
        return _Tokens([token.idx for token in doc], [token.text for token in doc], list(map(self._row, features)))

    def _row(self, features: npt.NDArray[np.uint64]) -> int:
        key = features.tobytes()
        row = self._row_of.get(key)
        if row is None:
            row = self._row_of[key] = len(self._row_of) + 1
            self._new.append(features)
        return row

    def _embed_new(self) -> None:
        if not self._new:
            return
        values: Any = np.stack(self._new)
        for layer in self._embed:
            values = layer.predict(values)
        self._embeddings = torch.cat([self._embeddings, _tensor(values)])
        self._new = []

    def _tags_of(self, windows: torch.Tensor) -> list[str]:
        """Return the tags of the middle tokens; `windows` has shape (n, 2d + 1)."""
        with torch.inference_mode():
            first, *others = self._layers
            # Most suggestions of a batch have the same neighbors, so most triples of the first layer are repeated.
            count = len(self._embeddings)
            numbers = (windows[:, :-2] * count + windows[:, 1:-1]) * count + windows[:, 2:]
            numbers, suggestions = torch.unique(numbers, return_inverse=True)
            triples = torch.stack([numbers // count**2, numbers // count % count, numbers % count], dim=1)
            values = first(self._embeddings[triples])[suggestions, 0]
            for layer in others:
                values = layer(values)
            weights, bias = self._softmax
            best = (values[:, 0] @ weights.T + bias).argmax(dim=-1)
        return [self._tags[index] for index in best.tolist()]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute with one thread, since several wait for each other on small batches if other processes use the cores."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True)
class _WindowLayer:
    """One residual layer: maxout and layer normalization of a token and its two neighbors."""

    weights: torch.Tensor
    bias: torch.Tensor
    gain: torch.Tensor
    shift: torch.Tensor

    def __call__(self, values: torch.Tensor) -> torch.Tensor:
        """Map (n, k, width) to (n, k - 2, width); the outermost tokens are only neighbors."""
        count, tokens, width = values.shape
        triples = torch.cat([values[:, :-2], values[:, 1:-1], values[:, 2:]], dim=-1)
        pieces = torch.addmm(self.bias, triples.view(-1, 3 * width), self.weights.T)
        mixed = functools.reduce(torch.maximum, pieces.view(count, tokens - 2, -1, width).unbind(dim=2))
        normalized = torch.nn.functional.layer_norm(mixed, (width,), self.gain, self.shift, eps=1e-8)
        return values[:, 1:-1] + normalized


def _window_layers(encode: Any) -> list[_WindowLayer]:  # noqa: ANN401 - thinc's models are untyped
    """Return the residual layers of a window encoder with a window of one token on either side."""
    nodes = list(encode.walk())
    if any(node.attrs["window_size"] != 1 for node in nodes if node.name == "expand_window"):
        raise ValueError("window size is not 1")
    maxouts = [node for node in nodes if node.name == "maxout"]
    norms = [node for node in nodes if node.name == "layernorm"]
    if not maxouts:
        raise ValueError("no window layers")
    return [
        _WindowLayer(
            # The pieces of the maxout come first, so that its maximum is over contiguous values.
            _tensor(maxout.get_param("W").swapaxes(0, 1).reshape(-1, maxout.get_dim("nI"))),
            _tensor(maxout.get_param("b").swapaxes(0, 1).reshape(-1)),
            _tensor(norm.get_param("G")),
            _tensor(norm.get_param("b")),
        )
        for maxout, norm in zip(maxouts, norms, strict=True)
    ]


def _tensor(array: Floats32) -> torch.Tensor:
    return torch.tensor(np.asarray(array))
