"""The tagger's own arithmetic on the few tokens that one tag depends on.

spaCy's small English taggers embed each token by hashed features and mix them with d residual layers, each of which
sees one neighbour on either side: the tag of a token depends on d tokens to its left and right and on nothing else.
So a suggestion's tag needs 2d + 1 embeddings, of which all but its own are known from the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from generation.sentences.in_place import InPlace
    from generation.sentences.tagging import Tagger

PLACES_AT_ONCE = 4_096
OUTSIDE = 0
"""Row of the embeddings that stands for what lies before the first and behind the last token: zeros."""


class UnknownArchitectureError(ValueError):
    """The tagger is not built of hashed embeddings, window layers and a softmax."""


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Tokens of a text: offset, text, whether a space follows, and row of the embeddings of each."""

    starts: list[int]
    texts: list[str]
    spaced: list[bool]
    rows: list[int]


@dataclass(frozen=True, slots=True)
class _Context:
    """What surrounds one occurrence: rows of the neighbours, and the characters that touch it.

    spaCy splits at white space first, so only the run of other characters around a suggestion is split anew.
    """

    left: list[int]
    right: list[int]
    before: str
    behind: str
    spaced: bool


class ReceptiveFieldTagger:
    """Tags one token of a sentence without tagging the others; keeps the embeddings of all tokens that it met."""

    def __init__(self, tagger: Tagger) -> None:
        """Take the weights out of a pipeline.

        Args:
            tagger: What `load_tagger` gave.

        Raises:
            UnknownArchitectureError: Where the pipeline's tagger is built otherwise.
        """
        self._nlp = tagger.nlp
        try:
            tok2vec: Any = tagger.nlp.get_pipe("tok2vec")
            output: Any = tagger.nlp.get_pipe("tagger")
            embed, encode = tok2vec.model.layers
            self._columns: list[str] = embed.layers[0].attrs["columns"]
            self._spacy = self._columns.index("SPACY")
            self._embed = [layer.layers[0] for layer in embed.layers[2:4]]
            self._layers = _window_layers(encode)
            softmax = next(node for node in output.model.walk() if node.name == "softmax")
            self._softmax = _tensor(softmax.get_param("W")), _tensor(softmax.get_param("b"))
            self._tags: tuple[str, ...] = output.labels
        except (KeyError, ValueError, AttributeError, IndexError, StopIteration) as error:
            raise UnknownArchitectureError(f"{type(error).__name__}: {error}") from error
        self._field = len(self._layers)
        self._row_of: dict[bytes, int] = {}
        self._new: list[npt.NDArray[np.uint64]] = []
        self._embeddings = torch.zeros(1, self._layers[0].width)
        self._chunks: dict[tuple[str, bool], _Tokens] = {}

    def tags(self, places: Sequence[InPlace]) -> list[str | None]:
        """Return the Penn tag of each suggestion in its place, None where it is no token of its own."""
        sentences: dict[str, _Tokens] = {}
        contexts: dict[tuple[str, int, int], _Context] = {}
        windows = [self._window(place, sentences, contexts) for place in places]
        self._embed_new()
        known = [window for window in windows if window is not None]
        tags: list[str] = []
        for first in range(0, len(known), PLACES_AT_ONCE):
            tags += self._tags_of(torch.tensor(known[first : first + PLACES_AT_ONCE]))
        found = iter(tags)
        return [None if window is None else next(found) for window in windows]

    def _window(
        self, place: InPlace, sentences: dict[str, _Tokens], contexts: dict[tuple[str, int, int], _Context]
    ) -> list[int] | None:
        """Return the rows of the 2d + 1 embeddings around the suggestion, None where it is no token of its own."""
        where = place.sentence, place.start, place.end
        context = contexts.get(where) or contexts.setdefault(where, self._context(place, sentences))
        tokens = self._chunk(context.before + place.word + context.behind, context.spaced)
        start = len(context.before)
        if start not in tokens.starts or tokens.texts[tokens.starts.index(start)] != place.word:
            return None
        rows = [*context.left, *tokens.rows, *context.right]
        centre = len(context.left) + tokens.starts.index(start)
        return rows[centre - self._field : centre + self._field + 1]

    def _context(self, place: InPlace, sentences: dict[str, _Tokens]) -> _Context:
        text = place.sentence
        begin, end = place.start, place.end
        while begin > 0 and not text[begin - 1].isspace():
            begin -= 1
        while end < len(text) and not text[end].isspace():
            end += 1
        tokens = sentences.get(text) or sentences.setdefault(text, self._tokens(text))
        first = sum(start < begin for start in tokens.starts)
        behind = sum(start < end for start in tokens.starts)
        outside = [OUTSIDE] * self._field
        return _Context(
            (outside + tokens.rows[:first])[-self._field :],
            (tokens.rows[behind:] + outside)[: self._field],
            text[begin : place.start],
            text[place.end : end],
            tokens.spaced[behind - 1],
        )

    def _chunk(self, text: str, spaced: bool) -> _Tokens:
        """Split a run of characters without white space, the last of whose tokens is followed by a space or not."""
        known = self._chunks.get((text, spaced))
        return known or self._chunks.setdefault((text, spaced), self._tokens(text, spaced))

    def _tokens(self, text: str, spaced: bool = False) -> _Tokens:
        doc = self._nlp.make_doc(text)
        features = doc.to_array([*self._columns]).astype(np.uint64).reshape(len(doc), len(self._columns))
        if spaced and len(doc):
            features[-1, self._spacy] = 1
        return _Tokens(
            [token.idx for token in doc],
            [token.text for token in doc],
            [bool(token.whitespace_) for token in doc],
            [self._row(token) for token in features],
        )

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
            values = self._embeddings[windows]
            for layer in self._layers:
                values = layer(values)
            weights, bias = self._softmax
            best = (values[:, 0] @ weights.T + bias).argmax(dim=-1)
        return [self._tags[index] for index in best.tolist()]


@dataclass(frozen=True)
class _WindowLayer:
    """One residual layer: the token and its two neighbours through maxout and layer normalisation."""

    weights: torch.Tensor
    bias: torch.Tensor
    gain: torch.Tensor
    shift: torch.Tensor

    @property
    def width(self) -> int:
        """The size of an embedding."""
        return int(self.gain.shape[0])

    def __call__(self, values: torch.Tensor) -> torch.Tensor:
        """Turn (n, k, width) into (n, k - 2, width): the outermost tokens serve as neighbours only."""
        count, tokens, width = values.shape
        triples = torch.cat([values[:, :-2], values[:, 1:-1], values[:, 2:]], dim=-1)
        pieces = triples.reshape(-1, 3 * width) @ self.weights.T + self.bias
        mixed = pieces.reshape(count, tokens - 2, width, -1).amax(dim=-1)
        normal = torch.nn.functional.layer_norm(mixed, (width,), self.gain, self.shift, eps=1e-8)
        return values[:, 1:-1] + normal


def _window_layers(encode: Any) -> list[_WindowLayer]:  # noqa: ANN401 - thinc's models are untyped
    """Read the residual layers of a window encoder whose windows reach one token to either side."""
    nodes = list(encode.walk())
    if any(node.attrs["window_size"] != 1 for node in nodes if node.name == "expand_window"):
        raise UnknownArchitectureError("its windows reach further than one token")
    maxouts = [node for node in nodes if node.name == "maxout"]
    norms = [node for node in nodes if node.name == "layernorm"]
    if not maxouts:
        raise UnknownArchitectureError("it has no window layers")
    return [
        _WindowLayer(
            _tensor(maxout.get_param("W").reshape(-1, maxout.get_dim("nI"))),
            _tensor(maxout.get_param("b").reshape(-1)),
            _tensor(norm.get_param("G")),
            _tensor(norm.get_param("b")),
        )
        for maxout, norm in zip(maxouts, norms, strict=True)
    ]


def _tensor(array: npt.NDArray[np.float32]) -> torch.Tensor:
    return torch.tensor(np.asarray(array))
