"""One run: what all of its stages share, in this process or on other machines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from generation.answers.store import CacheKey, cache_key_of
from generation.masked_lms.loading import find_masked_lms, load_masked_lm
from generation.masked_lms.masked_lm import MaskedLM
from generation.masked_lms.vocabulary import Vocabulary
from generation.options import Options
from generation.run_inputs import RunInputs
from generation.work import work_folder_of
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject, machine_name
from merge_snli.base.stages import MASKED_LM, TAG, Executor, Notes
from merge_snli.base.workers import usable_cores
from merge_snli.models.finding import ResolvedModel, find_device, kind_of
from merge_snli.problems.problem import Problem

# A worker takes a few seconds to start, so by default it gets at least this many problems.
PROBLEMS_PER_WORKER = 375

# Number of problems of each sample in which filters are counted on their own, if shards are not larger.
PROBLEMS_PER_SAMPLE = 1_000


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
    expected: JsonObject
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
        default = 1
        out = out.absolute()
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


def _require_same(what: str, here: JsonObject, submitted: JsonObject) -> None:
    for name, value in submitted.items():
        if here.get(name) != value:
            raise InputError(
                f"{name} of {what} is {here.get(name)} on {machine_name()}, but was {value} when the run was "
                "submitted: use the same environment and files on all machines"
            )
