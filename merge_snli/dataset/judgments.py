"""The scores F and R of variants in tables, and in the logs of Inspect's task `merge_snli/judge`."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from merge_snli.base.errors import InputError, explained
from merge_snli.base.extras import install_command
from merge_snli.base.files import JsonObject, read_json, sha256_of_json
from merge_snli.base.inspect_logs import BROKEN, CONNECTION, read_header, read_samples, settings_of
from merge_snli.base.limits import open_parquet
from merge_snli.dataset.record import AnnotationRecord, JudgeRecord
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.schema import ANNOTATION, features

KEYS = ("variant_id", "annotator")

# The meaning of each score. 5 is best; section 4 of the paper prints the scale reversed.
SCALE = {1: "poor", 2: "mostly poor", 3: "uncertain", 4: "mostly good", 5: "good"}

# The scores, as columns and as questions.
SCORES = {
    "F": "fluency: is the variant correct, and does it make sense?",
    "R": "reasoning: is the label right for the variant?",
}

# In a log: the key of the metadata that says how the language model was asked, the name of the scorer, and the key of a
# score's metadata that holds the scores by variant id.
JUDGE, SCORER, BY_VARIANT = "merge_snli_judge", "judgments", "scores"


@dataclass(frozen=True)
class VariantJudgments:
    """The scores of variants.

    Attributes:
        table: Rows with the columns of config `annotation`, sorted by variant id and annotator.
        judges: How those annotators were asked that are language models, as far as that is known, by name.
    """

    table: pa.Table
    judges: tuple[JudgeRecord, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The sha256 of the scores without the comments."""
        return sha256_of_json([self.table[name].to_pylist() for name in (*KEYS, *SCORES)])

    @cached_property
    def means(self) -> dict[str, float]:
        """The mean F plus the mean R of each variant, over its annotators."""
        total = self.table.append_column("total", pc.add(self.table["F"], self.table["R"]))
        by_variant = total.group_by("variant_id").aggregate([("total", "mean")])
        return dict(zip(by_variant["variant_id"].to_pylist(), by_variant["total_mean"].to_pylist(), strict=True))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators, sorted."""
        return tuple(sorted(pc.unique(self.table["annotator"]).to_pylist()))

    def of(self, column: str, values: Collection[str]) -> "VariantJudgments":
        """Return the scores of some variants or annotators."""
        table = self.table.filter(pc.is_in(self.table[column], pa.array([*values], pa.string())))
        left = set(table["annotator"].to_pylist())
        return VariantJudgments(table, tuple(judge for judge in self.judges if judge.annotator in left))

    def encoded(self) -> tuple[bytes, AnnotationRecord]:
        """Return the data file of config `annotation`, and what the record says of it."""
        sink = pa.BufferOutputStream()
        pq.write_table(self.table, sink, compression="zstd")
        content = bytes(sink.getvalue().to_pybytes())
        digest = hashlib.sha256(content).hexdigest()
        return content, AnnotationRecord(digest, self.table.num_rows, self.annotators, self.judges)


def is_score(value: object) -> bool:
    """Return whether a value is one of the scores: a whole number, not `True`."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value in SCALE


def judgments_of(rows: Iterable[JsonObject], judges: Iterable[JudgeRecord] = (), *, source: str) -> VariantJudgments:
    """Return checked scores.

    Args:
        rows: The scores: `variant_id`, `annotator`, `F`, `R`, and perhaps `comment`, and `where` for messages.
        judges: How language models among the annotators were asked.
        source: Where they are from, for messages.

    Raises:
        InputError: If a score is not a whole number from 1 to 5, a name is missing, or an annotator scored a variant
            twice.
    """
    judged: dict[tuple[str, ...], JsonObject] = {}
    for number, row in enumerate(rows, 1):
        where = row.get("where", f"{source}, row {number}")
        for name in KEYS:
            if not row.get(name):
                raise InputError(f"{where}: {name} is {row.get(name)!r}: give a name")
        for name in SCORES:
            if not is_score(row.get(name)):
                allowed = f"a whole number from {min(SCALE)} to {max(SCALE)}"
                raise InputError(f"{where}: {name} is {row.get(name)!r}: give {allowed}")
        key = str(row["variant_id"]), str(row["annotator"])
        if key in judged:
            raise InputError(f"{where}: {key[1]} has scored {key[0]!r} already: delete one of the two")
        scores = {name: row[name] for name in SCORES}
        judged[key] = {**dict(zip(KEYS, key, strict=True)), **scores, "comment": row.get("comment") or ""}
    table = pa.Table.from_pylist([judged[key] for key in sorted(judged)], features(ANNOTATION).arrow_schema)
    return VariantJudgments(table, tuple(sorted(judges, key=lambda judge: judge.annotator)))


def judgments_of_run(dataset: MergeDataset) -> VariantJudgments:
    """Return the judgments that the variants of a data set were filtered by; none if they were not."""
    generation = dataset.record.generation
    annotation = dataset.record.annotation
    if generation is None or generation.judgments is None or annotation is None:
        return judgments_of([], source=dataset.name)
    stored = VariantJudgments(read_split(dataset, ANNOTATION), annotation.judges)
    return stored.of("annotator", generation.judgments.annotators)


def judgments_in(paths: Sequence[str | Path]) -> VariantJudgments:
    """Read the scores in logs of Inspect's task `merge_snli/judge`, and in tables as CSV or Parquet.

    Args:
        paths: At least one file.

    Raises:
        InputError: If a file cannot be read, or as `judgments_of`.
    """
    rows = []
    judges: list[JudgeRecord] = []
    for path in map(Path, paths):
        read = _read_log(path) if _is_log(path) else _read_table(path)
        rows += read.table.to_pylist()
        judges += read.judges
    return judgments_of(rows, judges, source=", ".join(map(str, paths)))


def is_judgments(path: Path) -> bool:
    """Return whether `judgments_in` is for a file, and not a sheet of one annotator or an export of Label Studio."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", errors="replace") as file:
            return KEYS[1] in file.readline()
    return path.suffix == ".parquet" or _is_log(path)


def _is_log(path: Path) -> bool:
    """Return whether a file is a log of Inspect."""
    content = read_json(path) if path.suffix == ".json" else None
    return path.suffix == ".eval" or (isinstance(content, dict) and "eval" in content)


def _read_table(path: Path) -> VariantJudgments:
    message = f"{path} cannot be read as CSV or Parquet (⟦reason⟧): give variant_id, annotator, F and R as columns"
    with explained((OSError, pa.ArrowException), message):
        if path.suffix == ".parquet":
            with open_parquet(path) as file:
                table = file.read()
        else:
            names = csv.ConvertOptions(column_types=dict.fromkeys(KEYS, pa.string()))
            table = csv.read_csv(path, convert_options=names)
    return judgments_of(table.to_pylist(), source=str(path))


def _read_log(path: Path) -> VariantJudgments:
    """Read a log, finished or not: variants that were not judged, or not in a readable reply, have no scores."""
    with explained(ImportError, f"inspect-ai is not installed: run {install_command('inspect')}"):
        from inspect_ai._util.error import PrerequisiteError
    with explained((*BROKEN, PrerequisiteError), f"{path} is not a whole log of merge_snli/judge (⟦reason⟧)"):
        header = read_header(path)
        asked = (header.eval.metadata or {}).get(JUDGE)
        if asked is None or (header.eval.config.epochs or 1) > 1:
            problem = "has several replies per question" if asked else f"is of the task {header.eval.task}"
            raise InputError(f"{path} {problem}: give a log of merge_snli/judge with one reply per question")
        settings = {}
        for name, value in settings_of(header).items():
            if name == "temperature" or name not in CONNECTION:
                settings[name] = json.dumps(value, sort_keys=True)
        asked |= {"annotator": asked["annotator"] or header.eval.model, "datasets": tuple(asked["datasets"])}
        judge = JudgeRecord(model=header.eval.model, settings=settings, **asked)
        rows = []
        for sample in read_samples(path):
            if sample.error is not None or not sample.scores:
                continue
            by_variant = (sample.scores[SCORER].metadata or {})[BY_VARIANT]
            for variant_id, scores in by_variant.items():
                rows.append({"variant_id": variant_id, "annotator": judge.annotator, **scores})
    return judgments_of(rows, [judge], source=str(path))
