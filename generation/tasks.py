"""The stages of a run in their order, and what each does to its shards, wherever its tasks run."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from itertools import chain, islice
from pathlib import Path

from generation.answers.store import Store
from generation.masked_lms.loading import load_vocabulary
from generation.masked_lms.masked_lm import MaskedLM
from generation.options import Options
from generation.output.dataset import require_seeds, require_words, write_output
from generation.report.inventory import note_needs
from generation.run import GenerationRun
from generation.seeds_from import require_every_seed
from generation.sentences.forms import Form
from generation.sentences.tagged_shards import forms_of_shard, read_words, tag_shard
from generation.sentences.word_counts import add_word_counts, count_words
from generation.variant_shards import (
    STANDALONE,
    Opened,
    VariantShard,
    make_standalone_counts,
    make_variant_shard,
    read_variant_counts,
)
from merge_snli.base.errors import IncompleteError
from merge_snli.base.progress import Stage
from merge_snli.base.stages import FILTERS, MASKED_LM, TAG, WRITE, RunStage, TaskShare
from merge_snli.dataset.record import WordCounts
from merge_snli.models.runner.encoded import ahead

logger = logging.getLogger(__name__)

# Number of forms that are sorted by length together: enough to fill nearly all batches, in little memory.
FORMS_PER_CHUNK = 32_768
# A longer form counts as several of this length, as far as a masked LM sees it in one window.
CHARACTERS_PER_FORM, CHARACTERS_PER_WINDOW = 250, 2_500


def stages(run: GenerationRun) -> tuple[RunStage, ...]:
    """Return the stages that generate a data set, in order."""
    shards = run.shards
    read_and_tag = RunStage(
        name="read and tag", kind=TAG, unit="problems", work=partial(tag, run), shards=shards, step=0, parallel=True
    )
    masked_lms = [
        RunStage(name=name, kind=MASKED_LM, unit="forms", work=partial(answer, run, name), shards=shards, step=1)
        for name in run.answer_keys
    ]
    filters_and_sets = RunStage(
        name="filters and sets",
        kind=FILTERS,
        unit="shards",
        work=partial(make_variants, run),
        shards=run.samples + shards,
        step=2,
        parallel=True,
    )
    writing = RunStage(name="write", kind=WRITE, unit="data set", work=partial(write, run), step=3)
    return (read_and_tag, *masked_lms, filters_and_sets, writing)


def tag(run: GenerationRun, share: TaskShare, stage: Stage) -> None:
    """Read the problems; tag those of a share, and count their shared words.

    Args:
        run: The run.
        share: The task's share of the shards.
        stage: Progress, in problems.
    """
    run.check_inputs()
    problems = run.problems()
    options = run.options
    per_shard = run.problems_per_shard
    read = 0
    stage.total = sum(min(per_shard, run.size - number * per_shard) for number in share.of(run.shards))
    for number in share.taken(run.shards):
        deque(islice(problems, number * per_shard - read), maxlen=0)
        of_shard = list(islice(problems, per_shard))
        read = (number + 1) * per_shard
        shard = tag_shard(of_shard, run.inputs.tagger, run.work, ignore_case=options.ignore_case)
        of_problems = read_words(shard)
        counts = count_words(of_problems, run.inputs.problems.label_names)
        words = {name: asdict(of_class) for name, of_class in counts.items()}
        run.notes.write(TAG, number, {"shard": shard}, words=words)
        stage.advance(len(of_shard))
    deque(problems, maxlen=0)  # to the end, where a source that has changed is noticed


def answer(run: GenerationRun, name: str, share: TaskShare, stage: Stage) -> None:
    """Predict the fillers of the forms of a share with one masked LM.

    Args:
        run: The run.
        name: The masked LM.
        share: The task's share of the shards.
        stage: Progress, in forms.
    """
    require_words(words_of(run), run.options)
    shards = run.tagged(share.of(run.shards))
    mlm = run.masked_lm(name)
    with Store(run.work, run.answer_keys[name]) as store:
        forms = (forms_of_shard(shard, run.options.classes, run.options.mask) for shard in shards)
        suggest(forms, len(shards), partial(run.load, mlm), store, run.options, stage)
        if name not in run.vocabularies:
            run.vocabularies[name] = load_vocabulary(mlm, store.vocabulary_size() or 0, run.options.language)


def make_variants(run: GenerationRun, share: TaskShare, stage: Stage) -> None:
    """Filter the fillers of a share, combine them to variants, and select the subsamples.

    Args:
        run: The run.
        share: The task's share of the shards.
        stage: Progress, in shards and samples of several.
    """
    items = run.samples + run.shards
    stage.total = len(share.of(items))
    run.check_inputs()
    with ExitStack() as stack:
        inputs = run.inputs
        opened = open_answers(run, stack)
        for number in share.taken(items):
            if number < run.samples:  # these take longer, so they come first
                sample = run.tagged(run.sample_shards(number))
                made = {STANDALONE: make_standalone_counts(sample, inputs, opened, run.work)}
            else:
                (shard,) = run.tagged([number - run.samples])
                made = make_variant_shard(shard, inputs, opened, run.work)._asdict()
            run.notes.write(FILTERS, number, made)
            stage.advance(1)


def write(run: GenerationRun, _: TaskShare, stage: Stage) -> None:
    """Merge the results of all shards, and write the data set.

    Args:
        run: The run.
        _: The whole run.
        stage: Progress, in data sets.
    """
    stage.total = 1
    run.check_inputs()
    inputs = run.inputs
    options = run.options
    results = variant_shards(run)
    standalone = standalone_counts(run)
    counts = read_variant_counts(results)
    if inputs.seeds is not None:
        of_seeds = {(row["seed_id"], row["word_class"]): row["variants"] for row in counts.to_pylist()}
        require_every_seed(inputs.seeds, of_seeds, options.inflation)
    require_seeds(counts, options, results)
    answers = [key.folder(run.work) for key in run.answer_keys.values()]
    made = [*chain.from_iterable(results), *standalone]
    note_needs(run.work, run.expected, run.tagged(range(run.shards)), made, answers)
    write_output(run, words_of(run), results, standalone)
    stage.advance(1)


def variant_shards(run: GenerationRun) -> list[VariantShard]:
    """Return the files that were made from all shards."""
    return [VariantShard(**run.notes.files(FILTERS, run.samples + number)) for number in range(run.shards)]


def standalone_counts(run: GenerationRun) -> list[Path]:
    """Return the files with the counts of each filter when it is the only one, of all samples."""
    return [run.notes.files(FILTERS, number)[STANDALONE] for number in range(run.samples)]


def words_of(run: GenerationRun) -> dict[str, WordCounts]:
    """Return the counts of the shared words of all problems, by word class.

    Args:
        run: A run whose problems have all been tagged.
    """
    words: dict[str, WordCounts] = {}
    for number in range(run.shards):
        counts = run.notes.read(TAG, number)["words"]
        words = add_word_counts(words, {name: WordCounts(**of_class) for name, of_class in counts.items()})
    return words


def open_answers(run: GenerationRun, stack: ExitStack) -> Opened:
    """Open the answers of all masked LMs, and read the vocabularies.

    Args:
        run: A run whose forms have all been answered.
        stack: Closes the answers.
    """
    opened = {}
    for mlm in run.inputs.masked_lms:
        store = stack.enter_context(Store(run.work, run.answer_keys[mlm.name]))
        size = store.vocabulary_size()
        if size is None:
            raise IncompleteError(f"{store.folder} has no answers of {mlm.name}")
        vocabulary = run.vocabularies.get(mlm.name)
        if vocabulary is None:
            found = mlm if mlm.path.is_dir() else run.masked_lm(mlm.name)
            vocabulary = load_vocabulary(found, size, run.options.language)
        opened[mlm.name] = store, vocabulary
    return opened


def suggest(
    forms: Iterable[Mapping[str, Form]],
    shards: int,
    load: Callable[[], MaskedLM],
    store: Store,
    options: Options,
    stage: Stage,
) -> None:
    """Compute and store the fillers of every form that has no stored answer.

    Args:
        forms: The forms of each shard, by key.
        shards: The number of shards.
        load: Loads the masked LM; called only if there is such a form, or the size of its vocabulary is not known.
        store: Its answers.
        options: `top_k` and `split_words` are used.
        stage: Progress, in forms.
    """
    mlm: MaskedLM | None = None
    chunks = _missing(forms, shards, store, stage)
    first = next(chunks, None)
    if first is not None:
        mlm = load()
        encode = partial(mlm.encode, split_words=options.split_words)
        for encoded in ahead(encode, chain([first], chunks)):
            for number in ahead(store.save, mlm.answers(encoded, options.top_k)):
                stage.advance(number)
    if mlm is not None or store.vocabulary_size() is None:
        store.describe(len((mlm or load()).vocabulary.pieces))


def _missing(forms: Iterable[Mapping[str, Form]], shards: int, store: Store, stage: Stage) -> Iterator[dict[str, Form]]:
    """Yield the forms without an answer in chunks of about `FORMS_PER_CHUNK`, and estimate their number."""
    missing: dict[str, Form] = {}
    previous: dict[str, Form] = {}
    number = size = 0
    for nth, of_shard in enumerate(forms, 1):
        # The answers of the previous chunk are not stored yet.
        keys = sorted(store.missing(of_shard) - previous.keys())
        number += len(keys)
        stage.total = number * shards // nth
        for key in keys:
            missing[key] = of_shard[key]
            size += -(-min(len(of_shard[key].text), CHARACTERS_PER_WINDOW) // CHARACTERS_PER_FORM)
            if size >= FORMS_PER_CHUNK:
                yield missing
                previous = missing
                missing = {}
                size = 0
    if missing:
        yield missing
