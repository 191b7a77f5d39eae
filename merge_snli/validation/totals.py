"""Count seeds, variants and labels, and compare the counts with the record."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.dataset import RUN_FILE
from merge_snli.files import sha256_of_json
from merge_snli.schema import ALL

if TYPE_CHECKING:
    from merge_snli.record import Record
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.seed_groups import SeedGroup


class Totals:
    """Seeds, variants and labels by config, counted seed by seed."""

    def __init__(self, record: Record) -> None:
        """Start at zero.

        Args:
            record: The record of the run.
        """
        self._record = record
        self._counts: Counter[tuple[str, str]] = Counter()
        self._seeds: list[list[object]] = []

    def add(self, group: SeedGroup) -> None:
        """Count the variants of one seed."""
        names = self._record.problems.label_names
        label = group.rows[0]["label"]
        label_name = names[label] if 0 <= label < len(names) else label
        classes = Counter(str(row["word_class"]) for row in group.rows)
        for config, variants in [(ALL, classes.total()), *classes.items()]:
            self._counts.update(
                {(config, "seeds"): 1, (config, "variants"): variants, (config, f"labels.{label_name}"): 1}
            )
        if self._record.seeds is not None:
            self._seeds.append([group.seed_id, sorted(classes)])

    def check(self, collector: Collector) -> None:
        """Compare the counts with the record."""
        recorded: Counter[tuple[str, str]] = Counter()
        for config, counts in self._record.composition.items():
            recorded.update({(config, "seeds"): counts.seeds, (config, "variants"): counts.variants})
            recorded.update({(config, f"labels.{name}"): count for name, count in counts.labels.items()})
        for config, name in sorted(self._counts.keys() | recorded.keys()):
            found, expected = self._counts[config, name], recorded[config, name]
            if found != expected:
                message = f"is {expected:,}; the data has {found:,}"
                collector.find(RUN_FILE, None, f"composition.{config}.{name}", message)
        if self._record.seeds is not None and self._record.seeds.digest != sha256_of_json(self._seeds):
            message = "is not the digest of the seeds and word classes of the data"
            collector.find(RUN_FILE, None, "seeds.digest", message)
