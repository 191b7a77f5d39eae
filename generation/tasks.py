"""What each stage of a run on a cluster does to its shards. Who runs the tasks, and where, is not decided here.

Every task finds what earlier stages made by small files in the plan's folder, one per shard, and writes whole files
only. Two tasks that work on the same shard write the same files.
"""

from __future__ import annotations

import json
from collections import deque
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generation.answers.cache_key import CacheKey, cache_key_of
from generation.answers.store import Store
from generation.answers.suggest import suggest
from generation.masked_lms.loading import find_masked_lms, load_vocabulary
from generation.output.checks import require_words
from generation.output.record import add_word_counts, count_words
from generation.pipeline import find_inputs, finish, run_of
from generation.sentences.tagged_shards import forms_of_shard, read_words, tag_shard
from generation.sentences.tags_in_place import InPlaceTagger
from generation.variants.variant_shards import Method, VariantShard, make_variant_shard
from merge_snli.errors import IncompleteError, InputError
from merge_snli.files import machine_name, write_json
from merge_snli.problems.reading import stream_problems
from merge_snli.problems.source import open_source
from merge_snli.progress import Progress
from merge_snli.record import WordCounts, as_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from generation.options import Options
    from generation.output.record import RunInputs
    from generation.sentences.forms import Form
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.problems.reading import Survey
    from merge_snli.progress import Stage
    from merge_snli.record import Inputs
    from merge_snli.share import Share


@dataclass(frozen=True, kw_only=True)
class GenerationPlan:
    """Everything that the tasks of one run share.

    Attributes:
        options: The options of the run, as the record has them.
        survey: What the first pass over the problems found.
        inputs: The inputs at submission; tasks refuse to work with others.
        masked_lms: The masked LMs, as found at submission.
        answer_keys: The cache key of each masked LM's answers, by name.
        shards: Number of shards of problems.
        problems_per_shard: Number of problems per shard.
        device: The device of the masked LMs: `cpu`, `cuda` ….
        allow_pickle: Load masked LMs with pickle weights.
        out: The data set's folder.
        work: The work folder.
        folder: The folder of this plan's files.
    """

    options: Options
    survey: Survey
    inputs: Inputs
    masked_lms: tuple[ResolvedModel, ...]
    answer_keys: dict[str, CacheKey]
    shards: int
    problems_per_shard: int
    device: str
    allow_pickle: bool
    out: Path
    work: Path
    folder: Path

    def numbers(self, share: Share) -> Iterator[int]:
        """Yield the numbers of the shards of a share."""
        return (number for number in range(self.shards) if number in share)

    def tagged_file(self, number: int) -> Path:
        """Return the file that names a tagged shard and has the counts of its words."""
        return self.folder / "tagged" / f"{number:06}.json"

    def variants_file(self, number: int) -> Path:
        """Return the file that names the results of a shard."""
        return self.folder / "variants" / f"{number:06}.json"

    def tagged(self, numbers: Iterable[int]) -> list[Path]:
        """Return the tagged shards of these numbers.

        Raises:
            IncompleteError: If one is missing.
        """
        return [self.made(self.tagged_file(number))["shard"] for number in numbers]

    def made(self, file: Path) -> dict[str, Path]:
        """Return the paths in the file of a shard.

        Raises:
            IncompleteError: If the file or one of the paths is missing.
        """
        paths = {name: self.work / path for name, path in _read(file)["paths"].items()}
        for path in paths.values():
            if not path.is_file():
                raise IncompleteError(f"{path} is missing: run the same command again")
        return paths


def plan_generation(
    inputs: RunInputs,
    *,
    device: str,
    allow_pickle: bool,
    problems_per_shard: int,
    out: Path,
    work: Path,
    folder: Path,
) -> GenerationPlan:
    """Return the plan of a run.

    Args:
        inputs: Everything that the data set depends on, from `pipeline.read_inputs`.
        device: The device of the masked LMs.
        allow_pickle: Load masked LMs with pickle weights.
        problems_per_shard: Number of problems per shard.
        out: The data set's folder.
        work: The work folder.
        folder: The folder for the plan's files.
    """
    problems = inputs.problems.with_label if inputs.seeds is None else len(inputs.seeds)
    device_type = device.partition(":")[0]
    return GenerationPlan(
        options=inputs.options,
        survey=inputs.problems,
        inputs=inputs.to_record(),
        masked_lms=inputs.masked_lms,
        answer_keys={mlm.name: cache_key_of(mlm, inputs.options, device_type) for mlm in inputs.masked_lms},
        shards=-(-problems // problems_per_shard),
        problems_per_shard=problems_per_shard,
        device=device,
        allow_pickle=allow_pickle,
        out=out,
        work=work,
        folder=folder,
    )


def tag(plan: GenerationPlan, share: Share, stage: Stage) -> None:
    """Read the problems, and tag those of a share.

    Args:
        plan: The run.
        share: The task's share of the shards.
        stage: Progress, in problems.

    Raises:
        InputError: If an input has changed since the submission, or the work folder is not writable.
    """
    inputs = _inputs(plan)
    problems = stream_problems(open_source(plan.options), plan.survey)
    if inputs.seeds is not None:
        problems = inputs.seeds.select(problems)
    stage.total = len([*plan.numbers(share)]) * plan.problems_per_shard  # at most
    for number in range(plan.shards):
        part = list(islice(problems, plan.problems_per_shard))
        if number not in share:
            continue
        shard = tag_shard(part, inputs.tagger, plan.work, ignore_case=plan.options.ignore_case)
        words = count_words(read_words(shard), plan.survey.label_names)
        counts = {name: asdict(each) for name, each in words.items()}
        _note(plan, plan.tagged_file(number), {"shard": shard}, words=counts)
        stage.advance(len(part))
    deque(problems, maxlen=0)  # to the end, where a source that has changed is noticed


def answer(plan: GenerationPlan, name: str, share: Share, stage: Stage) -> None:
    """Predict the fillers of the forms of a share with one masked LM.

    Args:
        plan: The run.
        name: The masked LM.
        share: The task's share of the shards.
        stage: Progress, in forms.

    Raises:
        InputError: If this machine has another masked LM of this name, it cannot be loaded, or the work folder is not
            writable.
    """
    shards = plan.tagged(plan.numbers(share))
    number = [mlm.name for mlm in plan.masked_lms].index(name)
    (mlm,) = find_masked_lms([plan.options.mlm[number]], allow_pickle=plan.allow_pickle)
    key = cache_key_of(mlm, plan.options, plan.device.partition(":")[0])
    _require_same(f"masked LM {name}", asdict(key), asdict(plan.answer_keys[name]))
    options = replace(plan.options, device=plan.device)
    with Store(plan.work, key, shared=True) as store:
        suggest(_forms(shards, store, options, stage), mlm, store, options, stage)


def _forms(shards: Sequence[Path], store: Store, options: Options, stage: Stage) -> Iterator[dict[str, Form]]:
    """Yield the forms of each shard, and estimate how many of all shards have no answer."""
    missing = 0
    for nth, shard in enumerate(shards, 1):
        forms = forms_of_shard(shard, options)
        missing += len(store.missing(forms))
        stage.total = missing * len(shards) // nth
        yield forms


def make_variants(plan: GenerationPlan, share: Share, stage: Stage) -> None:
    """Filter the fillers of a share, combine them, and draw the variants.

    Args:
        plan: The run.
        share: The task's share of the shards.
        stage: Progress, in shards.

    Raises:
        IncompleteError: If the answer to a form is missing.
        InputError: If the work folder is not writable.
    """
    numbers = list(plan.numbers(share))
    shards = plan.tagged(numbers)
    stage.total = len(numbers)
    with ExitStack() as stack:
        method = _method(plan, stack)
        for number, shard in zip(numbers, shards, strict=True):
            made = make_variant_shard(shard, method, plan.work)
            _note(plan, plan.variants_file(number), made._asdict())
            stage.advance(1)


def write(plan: GenerationPlan, share: Share, stage: Stage) -> None:
    """Merge the results of all shards, and write the data set.

    Args:
        plan: The run.
        share: The whole run.
        stage: Progress, in data sets.

    Raises:
        IncompleteError: If the results of a shard are missing.
        InputError: If no problem has enough variants, or the folder cannot be written.
    """
    numbers = list(plan.numbers(share))
    words: dict[str, WordCounts] = {}
    for number in numbers:
        counts = _read(plan.tagged_file(number))["words"]
        words = add_word_counts(words, {name: WordCounts(**each) for name, each in counts.items()})
    require_words(words, plan.options)
    inputs = _inputs(plan)
    results = [VariantShard(**plan.made(plan.variants_file(number))) for number in numbers]
    run = run_of(inputs, plan.device.partition(":")[0], words, results)
    answers = [key.folder(plan.work) for key in plan.answer_keys.values()]
    finish(plan.out, plan.work, plan.tagged(numbers), answers, results, run, Progress(quiet=True))
    stage.advance(1)


def _method(plan: GenerationPlan, stack: ExitStack) -> Method:
    """Open the answers of all masked LMs, and read the vocabularies."""
    inputs = _inputs(plan)
    stores, vocabularies = {}, {}
    for mlm, name in zip(plan.masked_lms, plan.options.mlm, strict=True):
        store = stack.enter_context(Store(plan.work, plan.answer_keys[mlm.name], shared=True))
        size = store.vocabulary_size()
        if size is None:
            raise IncompleteError(f"{store.folder} has no answers of {mlm.name}: run the same command again")
        here = mlm if mlm.path.is_dir() else find_masked_lms([name], allow_pickle=plan.allow_pickle)[0]
        stores[mlm.name], vocabularies[mlm.name] = store, load_vocabulary(here, size)
    tagger = InPlaceTagger(inputs.tagger)
    names = plan.survey.label_names
    return Method(plan.options, names, stores, vocabularies, tagger, inputs.wordnet, inputs.seeds)


def _inputs(plan: GenerationPlan) -> RunInputs:
    """Find the inputs on this machine, and check that they are those of the submission."""
    inputs = find_inputs(plan.options, plan.survey, plan.masked_lms)
    _require_same("the run", as_json(inputs.to_record()), as_json(plan.inputs))
    return inputs


def _require_same(what: str, here: dict[str, Any], submitted: dict[str, Any]) -> None:
    different = [name for name, value in submitted.items() if here.get(name) != value]
    if different:
        raise InputError(
            f"{different[0]} of {what} is {here.get(different[0])} on {machine_name()}, but was "
            f"{submitted[different[0]]} when the run was submitted: use the same environment and files on all machines"
        )


def _note(plan: GenerationPlan, file: Path, made: Mapping[str, Path], **more: object) -> None:
    """Write the file of a shard, which later stages read."""
    write_json(file, {"paths": {name: str(path.relative_to(plan.work)) for name, path in made.items()}, **more})


def _read(path: Path) -> dict[str, Any]:
    """Read the file of a shard."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IncompleteError(f"{path} is missing or damaged: run the same command again") from error
    return content
