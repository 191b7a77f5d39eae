"""Everything that the rows of a data set depend on: its options, problems, masked LMs, tagger, seeds and judgments."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from generation.filters.definitions import applied_filters
from generation.filters.lexical import WordNet, load_wordnet
from generation.masked_lms.loading import find_masked_lms
from generation.options import Options, check_language, with_absolute_paths
from generation.seeds_from import Seeds, read_seeds
from generation.sentences.tagging import InPlaceTagger
from generation.work import METHOD_VERSION
from merge_snli.base.errors import Message
from merge_snli.base.files import JsonObject
from merge_snli.base.progress import Progress
from merge_snli.dataset.judgments import VariantJudgments, judgments_in
from merge_snli.dataset.record import (
    JudgmentsRecord,
    MaskedLMRecord,
    ProblemsRecord,
    Record,
    SeedsRecord,
    SourceRecord,
    TaggerRecord,
    WordNetRecord,
)
from merge_snli.dataset.record_file import as_json
from merge_snli.languages.language import ENGLISH, is_english, languages
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.tagger import Tagger, find_tagger
from merge_snli.problems.guesses import needs_world_knowledge
from merge_snli.problems.language import LanguageCheck
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import Survey, stream_problems, survey_problems
from merge_snli.problems.source import ProblemSource, open_source

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunInputs:
    """Everything that the rows of a data set depend on.

    Taggers, seeds, judgments and WordNet are found on first use. A copy for another process finds its own.

    Attributes:
        options: The options of the run.
        problems: What the first pass over the problems found.
        masked_lms: The masked LMs, resolved to files with a digest.
        source: The opened problems; None to open them again.
    """

    options: Options
    problems: Survey
    masked_lms: tuple[ResolvedModel, ...]
    source: ProblemSource | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone, without what each process opens and finds for itself."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"source": None}

    @cached_property
    def tagger(self) -> Tagger:
        """The tagger."""
        options = self.options
        return find_tagger(options.tagger, language=options.language, parser=options.same_parse)

    @cached_property
    def in_place_tagger(self) -> InPlaceTagger:
        """The tagger for suggestions in their sentences, which verifies its fast path once."""
        return InPlaceTagger(self.tagger)

    @cached_property
    def seeds(self) -> Seeds | None:
        """The seeds of another data set that the run is restricted to; None for no restriction."""
        return None if self.options.seeds_from is None else read_seeds(self.options.seeds_from, self.options.classes)

    @cached_property
    def judgments(self) -> VariantJudgments | None:
        """The judgments that variants are filtered by; None if they are not."""
        return judgments_in(self.options.judgments) if self.options.judgments else None

    @cached_property
    def wordnet(self) -> WordNet | None:
        """WordNet, if suggestions related to other words are dropped; else None."""
        return find_wordnet(self.options)

    def stream(self) -> Iterator[Problem]:
        """Yield the problems of the run in their order; refuse those that have changed since the first pass."""
        problems = stream_problems(self.source or open_source(self.options), self.problems)
        return problems if self.seeds is None else self.seeds.select(problems)

    def of_record(self) -> JsonObject:
        """Return the inputs that are fields of `Record`, by name."""
        return {
            "method_version": METHOD_VERSION,
            "options": self.options.as_dict(),
            "sources": (SourceRecord(self.options.problems.public_name, self.problems.digest),),
            "label_names": tuple(self.problems.label_names),
        }

    def of_generation(self) -> JsonObject:
        """Return the inputs that are fields of `GenerationRecord`, by name."""
        problems = self.problems
        tagger = self.tagger
        found: JsonObject = {
            "problems": ProblemsRecord(problems.with_label, problems.without_label),
            "invalid_rows": problems.invalid,
            "masked_lms": tuple(MaskedLMRecord(mlm.name, mlm.revision, mlm.digest) for mlm in self.masked_lms),
            "tagger": TaggerRecord(tagger.name, tagger.version, tagger.digest),
            "seeds": None,
            "wordnet": None,
            "judgments": None,
        }
        if self.seeds is not None:
            found["seeds"] = SeedsRecord(self.seeds.digest, len(self.seeds))
        if self.wordnet is not None:
            found["wordnet"] = WordNetRecord(self.wordnet.version, self.wordnet.digest)
        if self.judgments is not None:
            found["judgments"] = JudgmentsRecord(self.judgments.digest, self.judgments.annotators)
        return found

    def as_json(self) -> JsonObject:
        """Return the inputs as the record has them, see `inputs_of`."""
        return as_json({"format": Record.format, **self.of_record(), **self.of_generation()})


def find_wordnet(options: Options) -> WordNet | None:
    """Return WordNet if a filter of the run uses it; else None.

    Args:
        options: The options of the run.
    """
    return load_wordnet() if any(applied.filter.needs_wordnet for applied in applied_filters(options)) else None


def open_problems(options: ProblemOptions, progress: Progress) -> tuple[ProblemSource, Survey]:
    """Open the problems, and check every row, and the language.

    Args:
        options: The options of the source of the problems.
        progress: Receives the stage.
    """
    with progress.stage("reading", unit="rows") as stage:
        source = open_source(options)
        language = options.language or language_of_run(options) or ENGLISH
        check = LanguageCheck(language, is_given=options.language is not None) if language in languages() else None
        return source, survey_problems(source, stage, check)


def language_of_run(options: ProblemOptions) -> str | None:
    """Return the code of the language of a run, as records have it; None for English unless it is given.

    Args:
        options: The options of the run.
    """
    if options.tagger is None and is_english(options.language):
        return options.language
    language = find_tagger(options.tagger, language=options.language).language
    return options.language if is_english(language) else language


def read_inputs(options: Options, progress: Progress, *, allow_pickle: bool = False) -> RunInputs:
    """Check the problems, and find everything else that the data set depends on, before any work is done.

    Args:
        options: The options of the run.
        progress: Receives the stage.
        allow_pickle: Accept masked LMs with pickle weights.
    """
    in_language = replace(options, language=language_of_run(options))
    check_language(in_language)
    masked_lms = find_masked_lms(options.mlm, allow_pickle=allow_pickle)
    source, survey = open_problems(options, progress)
    if needs_world_knowledge(source.options):
        logger.warning(
            Message(
                "%s: what is known about the replaced word can decide the label of this task. Drop suggestions related "
                "to other words with ⟦no_relations=True⟧, and check a sample with merge-snli annotate"
            ),
            options.problems,
        )
    options = replace(with_absolute_paths(in_language), **source.columns)
    inputs = RunInputs(options, survey, masked_lms, source)
    if not (is_english(options.language) or inputs.tagger.has_lemmas):
        logger.warning("the tagger has no lemmatizer: other forms of the problems' words are not recognized")
    return inputs
