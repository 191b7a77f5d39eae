"""The plan of a run on a cluster: what all of its tasks share, and the files by which they find each other's results.

These are small files in the plan's folder, one per shard. Tasks write whole files only; two tasks that work on the same
shard write the same files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generation.answers.cache_key import CacheKey, cache_key_of
from merge_snli.errors import IncompleteError
from merge_snli.files import write_json
from merge_snli.record import WordCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from generation.options import Options
    from generation.output.record import RunInputs
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.problems.reading import Survey
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
                raise IncompleteError(f"{path} is missing")
        return paths

    def words(self, number: int) -> dict[str, WordCounts]:
        """Return the counts of the words of a tagged shard, by word class.

        Raises:
            IncompleteError: If its file is missing.
        """
        return {name: WordCounts(**each) for name, each in _read(self.tagged_file(number))["words"].items()}

    def note(self, file: Path, made: Mapping[str, Path], **more: object) -> None:
        """Write the file of a shard, which later stages read."""
        write_json(file, {"paths": {name: str(path.relative_to(self.work)) for name, path in made.items()}, **more})


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


def _read(path: Path) -> dict[str, Any]:
    """Read the file of a shard."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IncompleteError(f"{path} is missing or damaged") from error
    return content
