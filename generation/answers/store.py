"""Store the answers of masked LMs in checked Parquet shards, by what they depend on, and indexed by form."""

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from generation.answers.store_index import StoreIndex
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.options import Options, with_defaults
from generation.work import ANSWERS_FOLDER, DESCRIPTION_FILE, read_description, read_shard
from merge_snli.base.errors import IncompleteError, explained
from merge_snli.base.files import JsonObject, disk_errors_as_input_errors, sha256_of_json, write_json
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.dataset.record import MaskedLMRecord, Record, generation_of
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.runner import RUNNER, RUNNER_VERSION

# Libraries whose versions may change answers.
LIBRARIES = ("tokenizers", "torch", "transformers")

# Options that change answers.
KEY_OPTIONS = ("dtype", "top_k", "mask", "split_words")

# The fillers of a form under one masked LM, or why it has none: `split` or `too long`.
Answer = Fillers | str

ROWS_PER_GROUP = 256

# How shards are written. Fillers are smaller and faster in streams of their first, second … bytes than in a dictionary.
LISTS = ["piece_ids", "log_probs"]
FORMAT: JsonObject = {
    "compression": "lz4",
    "use_dictionary": False,
    "use_byte_stream_split": [f"{name}.list.element" for name in LISTS],
}


@dataclass(frozen=True, kw_only=True)
class CacheKey:
    """Everything that the answers of one masked LM depend on, except the forms.

    Attributes:
        masked_lm: Its name; not part of the key.
        digest: sha256 of its files.
        device: The type of device: `cpu`, `cuda` ….
        dtype: Its dtype.
        top_k: Number of fillers per form.
        mask: Whether to mask one occurrence at a time or all occurrences of a sentence.
        split_words: Whether to answer words of several tokens.
        libraries: The versions of `LIBRARIES`, and of the runner.
    """

    masked_lm: str
    digest: str
    device: str
    dtype: str
    top_k: int
    mask: str
    split_words: bool
    libraries: dict[str, str]

    def folder(self, work: Path) -> Path:
        """Return the folder of the answers in a work folder."""
        return work / ANSWERS_FOLDER / sha256_of_json({**asdict(self), "masked_lm": None})[:32]


def cache_key_of(model: ResolvedModel, options: Options, device: str) -> CacheKey:
    """Return the cache key of one masked LM of a run.

    Args:
        model: The masked LM.
        options: The run's options.
        device: The type of device that it runs on.
    """
    versions = {name: version(name) for name in LIBRARIES} | {RUNNER: RUNNER_VERSION}
    return _cache_key(model, device, options.as_dict(), versions)


def recorded_cache_keys(record: Record) -> tuple[CacheKey, ...]:
    """Return the cache keys of a finished run's masked LMs.

    Args:
        record: The record of the run.
    """
    options = with_defaults(record.options)
    run = generation_of(record)
    return tuple(_cache_key(mlm, run.device, options, record.versions) for mlm in run.masked_lms)


def _cache_key(
    model: ResolvedModel | MaskedLMRecord, device: str, options: JsonObject, versions: Mapping[str, str]
) -> CacheKey:
    return CacheKey(
        masked_lm=model.name,
        digest=model.digest,
        device=device,
        # Runs of before the runner had a version have none.
        libraries={name: versions[name] for name in (*LIBRARIES, RUNNER) if name in versions},
        **{name: options[name] for name in KEY_OPTIONS},
    )


@dataclass(frozen=True)
class MaskedLMAnswers:
    """The answers of one masked LM by the key of the form, and its vocabulary."""

    answers: Mapping[str, Answer]
    vocabulary: Vocabulary


def answers_of(table: pa.Table, keys: Container[str]) -> Iterable[tuple[str, Answer]]:
    """Yield key and answer of the rows of a shard whose key is in `keys`."""
    lists = [table[name].combine_chunks() for name in LISTS]
    for number, row in enumerate(table.drop_columns(LISTS).to_pylist()):
        key = row.pop("form")
        refused = row.pop("refused")
        if key in keys:
            # Copied: a few answers must not keep the whole shard in memory.
            yield key, refused or Fillers(*(column[number].values.to_numpy().copy() for column in lists), **row)


def _keys(shard: Path) -> list[str]:
    """Return the key of each row."""
    keys: list[str] = read_shard(shard, ["form"])["form"].to_pylist()
    return keys


def load_answers(
    opened: Mapping[str, tuple["Store", Vocabulary]], forms: Collection[str], advice: str
) -> dict[str, MaskedLMAnswers]:
    """Return the answers to forms, by masked LM.

    Args:
        opened: The store and the vocabulary of each masked LM.
        forms: Keys of forms.
        advice: What to do if answers are missing.

    Raises:
        IncompleteError: If a masked LM has not answered all forms.
    """
    of_mlms = {}
    for name, (store, vocabulary) in opened.items():
        answers = store.load(forms)
        if len(answers) < len(forms):
            lacks = f"{len(forms) - len(answers)} of {len(forms)} answers of {name}"
            raise IncompleteError(f"{store.folder} does not contain {lacks}: {advice}")
        of_mlms[name] = MaskedLMAnswers(answers, vocabulary)
    return of_mlms


class Store:
    """The answers of one masked LM in a work folder.

    The shards are indexed at the first use of the store, and each is checked once. The index is not a file of the work
    folder, which other machines may use at the same time: SQLite's locks fail on network file systems.

    Attributes:
        folder: The folder of the shards.
    """

    def __init__(self, work: Path, key: CacheKey) -> None:
        """Open the store.

        Args:
            work: The work folder.
            key: What the answers depend on.
        """
        self.folder = key.folder(work)
        with disk_errors_as_input_errors(work):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._key = key
        self._checked: set[str] = set()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the index."""
        if "_index" in vars(self):
            self._index.close()

    def describe(self, vocabulary_size: int) -> None:
        """Write the cache key and the size of the masked LM's vocabulary to a file."""
        write_json(self.folder / DESCRIPTION_FILE, {**asdict(self._key), "pieces": vocabulary_size})

    def vocabulary_size(self) -> int | None:
        """Return the size of the masked LM's vocabulary, or None if `describe` was not called yet."""
        size = read_description(self.folder).get("pieces")
        return size if isinstance(size, int) else None

    def missing(self, keys: Iterable[str]) -> set[str]:
        """Return the keys of forms that have no answer; damaged shards are deleted."""
        missing = set(keys)
        for shard, rows in self._index.find(missing).items():
            if self._is_intact(shard):
                missing -= rows.keys()
        return missing

    def save(self, answers: pa.Table) -> int:
        """Write answers as a new shard, and return their number.

        Args:
            answers: The answers, with `generation.masked_lms.masked_lm.ANSWER_SCHEMA`.

        Raises:
            InputError: If the disk is full; no partial shard is left.
        """
        shard = write_checked(self.folder, answers, row_group_size=ROWS_PER_GROUP, **FORMAT).stem
        if shard not in self._checked:
            self._index.add(shard, answers["form"].to_pylist())
        self._checked.add(shard)
        return len(answers)

    def load(self, keys: Iterable[str]) -> dict[str, Answer]:
        """Return the answers of those forms that have one, by key.

        Args:
            keys: Keys of forms.
        """
        found: dict[str, Answer] = {}
        for shard, rows in self._index.find(keys).items():
            if self._is_intact(shard):
                found.update(answers_of(self._read(shard, rows), rows))
        return found

    def _read(self, shard: str, rows: Mapping[str, int]) -> pa.Table:
        path = self._path(shard)
        groups = sorted({row // ROWS_PER_GROUP for row in rows.values()})
        errors = (pa.ArrowException, OSError)
        with explained(errors, f"{path} can no longer be read (⟦reason⟧); run again"), pq.ParquetFile(path) as file:
            return file.read_row_groups(groups)

    def _path(self, shard: str) -> Path:
        return self.folder / f"{shard}.parquet"

    @cached_property
    def _index(self) -> StoreIndex:
        index = StoreIndex()
        for path in sorted(self.folder.glob("*.parquet")):
            # The sha256 of a shard is checked when it is used, since a task on a cluster uses few of them.
            try:
                index.add(path.stem, _keys(path))
            except (pa.ArrowException, OSError, TypeError, ValueError):
                if is_intact(path):
                    raise
        return index

    def _is_intact(self, shard: str) -> bool:
        """Return whether a shard is intact; delete it if it is damaged."""
        if shard not in self._checked:
            if not is_intact(self._path(shard)):
                self._index.remove(shard)
                return False
            self._checked.add(shard)
        return True
