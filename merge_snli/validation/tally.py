"""What the rows add up to, beside what the record says that they do."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.dataset import RUN_FILE
from merge_snli.files import sha256_of_json
from merge_snli.schema import ALL
from merge_snli.validation.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from merge_snli.record import Record
    from merge_snli.validation.seed_groups import SeedGroup


class Tally:
    """Seeds, variants and labels by config, counted seed by seed."""

    def __init__(self, record: Record) -> None:
        """Begin to count.

        Args:
            record: The record of the run.
        """
        self._record = record
        self._counts: dict[str, Counter[str]] = {}
        self._seeds: list[list[object]] = []

    def add(self, group: SeedGroup) -> None:
        """Count the variants of one more seed."""
        names = self._record.problems.label_names
        label = group.rows[0]["label"]
        classes = Counter(str(row["word_class"]) for row in group.rows)
        for config, variants in [(ALL, classes.total()), *classes.items()]:
            self._counts.setdefault(config, Counter()).update(
                {"seeds": 1, "variants": variants, f"labels.{names[label] if 0 <= label < len(names) else label}": 1}
            )
        if self._record.seeds is not None:
            self._seeds.append([group.seed_id, sorted(classes)])

    def findings(self) -> Iterator[Finding]:
        """Yield where the record says otherwise."""
        composition = self._record.composition
        for config in dict.fromkeys([*self._counts, *composition]):
            found, said = self._counts.get(config, Counter()), Counter[str]()
            if config in composition:
                of = composition[config]
                said.update({"seeds": of.seeds, "variants": of.variants})
                said.update({f"labels.{name}": count for name, count in of.labels.items()})
            for name in sorted(found.keys() | said.keys()):
                if found[name] != said[name]:
                    message = f"is {said[name]:,} where the data has {found[name]:,}"
                    yield Finding(RUN_FILE, None, f"composition.{config}.{name}", message)
        if self._record.seeds is not None and self._record.seeds.digest != sha256_of_json(self._seeds):
            message = "the seeds and classes of the data are not those of the data set that they were taken from"
            yield Finding(RUN_FILE, None, "seeds.digest", message)
