"""The seeds of another data set: what `--seeds-from` restricts a run to, so that scores on both compare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from merge_snli.dataset import find_dataset, read_split
from merge_snli.errors import InputError
from merge_snli.files import sha256_of_json
from merge_snli.schema import ALL, SEED, WORD_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from merge_snli.problems.reading import Problem

NAMED = 3
"""How many seeds a message names."""


@dataclass(frozen=True)
class Seeds:
    """The seeds of a data set.

    Attributes:
        name: The data set as the user named it.
        classes: By seed id, the word classes in which it is a seed.
        texts: By seed id, its premise and hypothesis.
    """

    name: str
    classes: Mapping[str, frozenset[str]]
    texts: Mapping[str, tuple[str, str]]

    def __len__(self) -> int:
        """Return the number of seeds."""
        return len(self.classes)

    @cached_property
    def digest(self) -> str:
        """The sha256 over seeds and classes: all that another run depends on."""
        return sha256_of_json([[seed_id, sorted(self.classes[seed_id])] for seed_id in sorted(self.classes)])

    def only(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Yield the problems that are seeds.

        Args:
            problems: The problems of the run, all of them.

        Raises:
            InputError: Where one has the id of a seed and another text; at the end, where a seed was not among them.
        """
        missing = dict.fromkeys(self.classes)
        for problem in problems:
            if problem.id not in self.classes:
                continue
            if self.texts[problem.id] != (problem.premise, problem.hypothesis):
                raise InputError(
                    f"--seeds-from {self.name}: its seed {problem.id} has another text than the problem of that id: "
                    "give the problems and the --id-column that it was made with"
                )
            missing.pop(problem.id, None)
            yield problem
        if missing:
            raise InputError(
                f"--seeds-from {self.name}: of its {len(self):,} seeds {len(missing):,} are not among the "
                f"problems ({_named(missing)}): give the problems, --split, --limit and --id-column of its run"
            )

    def has(self, problem_id: str, word_class: str) -> bool:
        """Tell whether the problem of an id is a seed of a class."""
        return word_class in self.classes.get(problem_id, ())


def read_seeds(name: str, classes: Iterable[str]) -> Seeds:
    """Read the seeds of a data set.

    Args:
        name: Its folder or Hub id.
        classes: The word classes of the run; others of the data set are left aside.

    Raises:
        InputError: Where it is no MERGE data set, or has no seed of these classes.
    """
    source = find_dataset(name)
    pairs = read_split(source, ALL).group_by(["seed_id", "word_class"]).aggregate([])
    of_seed: dict[str, set[str]] = {}
    for pair in pairs.to_pylist():
        if pair["word_class"] in classes:
            of_seed.setdefault(pair["seed_id"], set()).add(pair["word_class"])
    if not of_seed:
        there = ", ".join(word_class for word_class in WORD_CLASSES if word_class in source.configs)
        raise InputError(
            f"--seeds-from {name} has no seed of class {' or '.join(classes)}: give --classes of those it has ({there})"
        )
    texts = {
        row["seed_id"]: (row["premise"], row["hypothesis"])
        for row in read_split(source, SEED).select(["seed_id", "premise", "hypothesis"]).to_pylist()
    }
    return Seeds(name, {seed_id: frozenset(found) for seed_id, found in of_seed.items()}, texts)


def require_every_seed(seeds: Seeds, variants: Mapping[tuple[str, str], int], inflation: int) -> None:
    """Stop where a seed has fewer variants than a draw takes: data sets with other seeds do not compare.

    Args:
        seeds: The seeds of the run.
        variants: By seed id and word class, how many variants were found; 0 where there is no entry.
        inflation: The degree of inflation d.

    Raises:
        InputError: Says how many there are, and names the first of them.
    """
    pairs = [(seed_id, name) for seed_id in sorted(seeds.classes) for name in sorted(seeds.classes[seed_id])]
    short = {pair: variants.get(pair, 0) for pair in pairs if variants.get(pair, 0) < inflation}
    if short:
        least = min(short.values())
        lower = f"lower --inflation to {least}, or " if least else ""
        named = _named(f"{seed_id} has {count} of class {name}" for (seed_id, name), count in short.items())
        raise InputError(
            f"--seeds-from {seeds.name}: of its {len(pairs):,} seeds and classes {len(short):,} have fewer than "
            f"{inflation} variants here ({named}): {lower}make this data set without --seeds-from and the others with "
            "its seeds"
        )


def _named(names: Iterable[str]) -> str:
    """Name the first few."""
    listed = list(names)
    return ", ".join([*listed[:NAMED], *(["…"] if len(listed) > NAMED else [])])
