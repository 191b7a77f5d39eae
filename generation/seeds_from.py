"""The seeds of another data set, to which `--seeds-from` restricts a run so that scores on both are comparable."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.base.errors import InputError, listed
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.problems.problem import Problem
from merge_snli.schema import ALL

# Number of seeds that a message names.
MAX_NAMED = 3


@dataclass(frozen=True)
class Seeds:
    """The seeds of a data set.

    Attributes:
        name: The name of the data set, as given by the user.
        classes: By seed id, the word classes for which the seed has variants.
        texts: By seed id, premise and hypothesis.
    """

    name: str
    classes: Mapping[str, frozenset[str]]
    texts: Mapping[str, tuple[str, str]]

    def __len__(self) -> int:
        """Return the number of seeds."""
        return len(self.classes)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the seed ids and classes, which are all that a run depends on."""
        return sha256_of_json([[seed_id, sorted(self.classes[seed_id])] for seed_id in sorted(self.classes)])

    def select(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Yield the problems that are seeds; check that every seed is among them and has the same texts.

        Args:
            problems: All problems of the run.
        """
        missing = dict.fromkeys(self.classes)
        for problem in problems:
            if problem.id not in self.classes:
                continue
            if self.texts[problem.id] != (problem.premise, problem.hypothesis):
                raise InputError(
                    f"⟦seeds_from⟧ {self.name}: seed {problem.id!r} and the problem with this id have "
                    "different texts; use the same ⟦problems⟧ and ⟦id_column⟧ as for that data set"
                )
            missing.pop(problem.id, None)
            yield problem
        if missing:
            raise InputError(
                f"⟦seeds_from⟧ {self.name}: {len(missing):,} of {len(self):,} seeds are not among the "
                f"problems ({listed(missing, MAX_NAMED)}); use the ⟦problems⟧, ⟦split⟧, ⟦limit⟧ "
                "and ⟦id_column⟧ of that data set"
            )

    def has(self, problem_id: str, word_class: str) -> bool:
        """Return whether a problem is a seed of a word class."""
        return word_class in self.classes.get(problem_id, ())


def read_seeds(name: str, classes: Iterable[str]) -> Seeds:
    """Read the seeds of a data set.

    Args:
        name: Its folder or Hub id.
        classes: The word classes of the run; the data set's other classes are ignored.
    """
    dataset = find_dataset(name)
    require(dataset.record, "has_seeds", "generation")
    variants = read_split(dataset, ALL)
    variants = variants.filter(pc.is_in(variants["word_class"], pa.array([*classes])))
    if not variants.num_rows:
        raise InputError(f"⟦seeds_from⟧ {name} has no seed of class {' or '.join(classes)}: set other ⟦classes⟧")
    columns = [("word_class", "distinct"), ("seed_premise", "min"), ("seed_hypothesis", "min")]
    classes_of = {}
    texts_of = {}
    for seed in variants.group_by("seed_id").aggregate(columns).to_pylist():
        classes_of[seed["seed_id"]] = frozenset(seed["word_class_distinct"])
        texts_of[seed["seed_id"]] = (seed["seed_premise_min"], seed["seed_hypothesis_min"])
    return Seeds(name, classes_of, texts_of)


def require_every_seed(seeds: Seeds, variants: Mapping[tuple[str, str], int], inflation: int) -> None:
    """Check that every seed has enough variants, since scores on different seeds are not comparable.

    Args:
        seeds: The seeds of the run.
        variants: By seed id and word class, the number of variants; a missing entry means 0.
        inflation: The degree of inflation d.
    """
    short = {}
    for seed_id, names in sorted(seeds.classes.items()):
        for name in sorted(names):
            found = variants.get((seed_id, name), 0)
            if found < inflation:
                short[f"{seed_id} has {found} of class {name}"] = found
    if short:
        least = min(short.values())
        lower = f"lower ⟦inflation⟧ to {least}, or " if least else ""
        raise InputError(
            f"⟦seeds_from⟧ {seeds.name}: {len(short):,} seeds and classes have fewer than {inflation} variants "
            f"({listed(short, MAX_NAMED)}); {lower}generate this data set without ⟦seeds_from⟧, and the other one with "
            "the seeds of this one"
        )
