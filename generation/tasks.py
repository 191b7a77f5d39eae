"""What each stage of a run on a cluster does to its shards. Who runs the tasks, and where, is not decided here."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from generation.answers.cache_key import cache_key_of
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
from merge_snli.files import machine_name
from merge_snli.problems.reading import stream_problems
from merge_snli.problems.source import open_source
from merge_snli.progress import Progress
from merge_snli.record import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from generation.options import Options
    from generation.output.record import RunInputs
    from generation.sentences.forms import Form
    from generation.task_plan import GenerationPlan
    from merge_snli.progress import Stage
    from merge_snli.record import WordCounts
    from merge_snli.share import Share


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
        plan.note(plan.tagged_file(number), {"shard": shard}, words=counts)
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
            plan.note(plan.variants_file(number), made._asdict())
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
        words = add_word_counts(words, plan.words(number))
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
            raise IncompleteError(f"{store.folder} has no answers of {mlm.name}")
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
