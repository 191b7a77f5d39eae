"""One run: what its data set depends on, and what all of its stages share, in this process or on other machines."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from generation.answers.store import CacheKey, cache_key_of
from generation.filters.definitions import applied_filters
from generation.filters.lexical import WordNet, load_wordnet
from generation.masked_lms.loading import find_masked_lms, load_masked_lm
from generation.masked_lms.masked_lm import MaskedLM
from generation.masked_lms.vocabulary import Vocabulary
from generation.options import Options, check_language, with_absolute_paths
from generation.seeds_from import Seeds, read_seeds
from generation.sentences.tagging import InPlaceTagger
from generation.work import METHOD_VERSION, work_folder_of
from merge_snli.base.errors import InputError, Message
from merge_snli.base.files import machine_name
from merge_snli.base.progress import Progress
from merge_snli.base.stages import MASKED_LM, TAG, Executor, Notes
from merge_snli.base.workers import usable_cores
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
    as_json,
)
from merge_snli.languages.language import ENGLISH, is_english, languages
from merge_snli.models.finding import ResolvedModel, find_device, kind_of
from merge_snli.models.tagger import Tagger, find_tagger
from merge_snli.problems.guesses import needs_world_knowledge
from merge_snli.problems.language import LanguageCheck
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import Survey, stream_problems, survey_problems
from merge_snli.problems.source import ProblemSource, open_source

logger = logging.getLogger(__name__)

# A worker takes a few seconds to start, so by default it gets at least this many problems.
PROBLEMS_PER_WORKER = 375

# Number of problems of each sample in which filters are counted on their own, if shards are not larger.
PROBLEMS_PER_SAMPLE = 1_000


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

    def of_record(self) -> dict[str, Any]:
        """Return the inputs that are fields of `Record`, by name."""
        return {
            "method_version": METHOD_VERSION,
            "options": self.options.as_dict(),
            "sources": (SourceRecord(self.options.problems.public_name, self.problems.digest),),
            "label_names": tuple(self.problems.label_names),
        }

    def of_generation(self) -> dict[str, Any]:
        """Return the inputs that are fields of `GenerationRecord`, by name."""
        problems, tagger = self.problems, self.tagger
        found: dict[str, Any] = {
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

    def as_json(self) -> dict[str, Any]:
        """Return the inputs as the record has them, see `inputs_of`."""
        return as_json({"format": Record.format, **self.of_record(), **self.of_generation()})


@dataclass(frozen=True, kw_only=True)
class GenerationRun:
    """What all stages of a run share. It is pickled for tasks in other processes.

    Attributes:
        inputs: Everything that the rows of the data set depend on.
        expected: The inputs when the run was submitted, as JSON values; tasks refuse to work with others.
        answer_keys: The cache key of each masked LM's answers, by name.
        device: The device of the masked LMs: `cpu`, `cuda` ….
        allow_pickle: Load masked LMs with pickle weights.
        size: Number of problems.
        problems_per_shard: Number of problems per shard.
        out: The data set's folder.
        work: The work folder.
        notes: How stages find each other's results: files if the tasks are in other processes.
        shared: Whether its tasks may be on other machines.
        workers: Number of processes, or threads, for the work beside the masked LMs.
        sample: The problems of a trial in this process; None for all problems.
        loaded: Masked LMs that are already in memory, by name.
        vocabularies: The vocabularies of those that have answered in this process, for its workers.
    """

    inputs: RunInputs
    expected: Mapping[str, Any]
    answer_keys: Mapping[str, CacheKey]
    device: str
    allow_pickle: bool
    size: int
    problems_per_shard: int
    out: Path
    work: Path
    notes: Notes = field(default_factory=Notes)
    shared: bool = False
    workers: int = 1
    sample: Sequence[Problem] | None = None
    loaded: dict[str, MaskedLM] = field(default_factory=dict)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.inputs.options

    @property
    def shards(self) -> int:
        """The number of shards of problems."""
        return -(-self.size // self.problems_per_shard)

    @property
    def samples(self) -> int:
        """The number of samples in which each filter is counted on its own: groups of successive shards."""
        return -(-self.shards // self._shards_per_sample)

    @property
    def _shards_per_sample(self) -> int:
        return max(1, PROBLEMS_PER_SAMPLE // self.problems_per_shard)

    def sample_shards(self, number: int) -> range:
        """Return the numbers of the shards of a sample."""
        return range(self.shards)[number * self._shards_per_sample :][: self._shards_per_sample]

    @property
    def key(self) -> list[Any]:
        """Everything that the work of the stages depends on, as JSON values."""
        return [self.expected, self.device, self.problems_per_shard, str(self.work)]

    def problems(self) -> Iterator[Problem]:
        """Yield the problems in their order."""
        return self.inputs.stream() if self.sample is None else iter(self.sample)

    def on(self, problems: Iterable[Problem]) -> Self:
        """Return a run on some problems in this process, in two shards, without what this one has done."""
        sample = tuple(problems)
        size = len(sample)
        shard = -(-size // 2)
        run = replace(self, sample=sample, size=size, problems_per_shard=shard)
        return replace(run, notes=Notes(), loaded={}, vocabularies={})

    def check_inputs(self) -> None:
        """Check that the inputs on this machine are those of the submission."""
        _require_same("the run", self.inputs.as_json(), self.expected)

    def masked_lm(self, name: str) -> ResolvedModel:
        """Return a masked LM; on other machines, find it there and check that it is that of the submission."""
        number = [*self.answer_keys].index(name)
        if not self.shared:
            return self.inputs.masked_lms[number]
        (mlm,) = find_masked_lms([self.options.mlm[number]], allow_pickle=self.allow_pickle)
        key = cache_key_of(mlm, self.options, kind_of(self.device))
        _require_same(f"masked LM {name}", asdict(key), asdict(self.answer_keys[name]))
        return mlm

    def load(self, mlm: ResolvedModel) -> MaskedLM:
        """Load a masked LM for the device of the run."""
        return self.loaded.get(mlm.name) or load_masked_lm(mlm, device=self.device, dtype=self.options.dtype)

    def tagged(self, shards: Iterable[int]) -> list[Path]:
        """Return the tagged shards of these numbers."""
        return [self.notes.files(TAG, shard)["shard"] for shard in shards]


def find_wordnet(options: Options) -> WordNet | None:
    """Return WordNet if a filter of the run uses it; else None.

    Args:
        options: The options of the run.
    """
    return load_wordnet() if any(applied.filter.needs_wordnet for applied in applied_filters(options)) else None


def open_problems(options: ProblemOptions, progress: Progress) -> tuple[ProblemSource, Survey]:
    """Open the problems, and check every row, and the language.

    Args:
        options: Where the problems are and how to read them.
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


def plan_run(
    inputs: RunInputs,
    out: Path,
    *,
    work: str | Path | None = None,
    allow_pickle: bool = False,
    problems_per_shard: int,
    executor: Executor | None = None,
    workers: int | None = None,
) -> GenerationRun:
    """Plan a run.

    Args:
        inputs: Everything that the rows of the data set depend on.
        out: The data set's folder.
        work: The work folder; None for `OUT.work/`.
        allow_pickle: Load masked LMs with pickle weights.
        problems_per_shard: Number of problems per shard.
        executor: Runs the stages; None for this machine.
        workers: Number of processes without an executor; None for as many as there are cores and enough problems for.
    """
    options = inputs.options
    size = inputs.problems.with_label if inputs.seeds is None else len(inputs.seeds)
    if executor is None:
        device = find_device(options.device)
        default = max(1, min(usable_cores(), size // PROBLEMS_PER_WORKER))
    else:
        device = executor.device(MASKED_LM, options.device)
        default, out = 1, out.absolute()
    keys = {}
    for mlm in inputs.masked_lms:
        keys[mlm.name] = cache_key_of(mlm, options, kind_of(device))
    return GenerationRun(
        inputs=inputs,
        expected=inputs.as_json(),
        answer_keys=keys,
        device=device,
        allow_pickle=allow_pickle,
        size=size,
        problems_per_shard=problems_per_shard,
        out=out,
        work=work_folder_of(out, work),
        workers=workers or default,
    )


def check_workers(workers: int | None, executor: Executor | None) -> None:
    """Check that a run can have a number of worker processes."""
    if workers is not None and (workers < 1 or executor is not None):
        why = "the cluster file says how many tasks there are" if workers > 0 else "there must be at least 1"
        raise InputError(f"⟦workers⟧ is {workers}, but {why}")


def _require_same(what: str, here: Mapping[str, Any], submitted: Mapping[str, Any]) -> None:
    for name, value in submitted.items():
        if here.get(name) != value:
            raise InputError(
                f"{name} of {what} is {here.get(name)} on {machine_name()}, but was {value} when the run was "
                "submitted: use the same environment and files on all machines"
            )
