"""Check rows that `datasets` loaded, whose folder is not known, against themselves."""

from functools import partial

from generation.sentences.forms import SIDES
from merge_snli.base.files import JsonObject
from merge_snli.dataset.loaded import LoadedRows
from merge_snli.dataset.variants import replaced_words
from merge_snli.schema import TEST, data_file
from merge_snli.validation.findings import Collector, quoted

# What the variants of a seed have in common.
OF_SEED = ("seed_premise", "seed_hypothesis", "label")
NO_FOLDER = "record, card and files: the folder of the rows is not known"


def check_loaded(loaded: LoadedRows, collector: Collector) -> None:
    """Check that each variant is its seed with the word replaced, with the seed's label.

    Args:
        loaded: The rows.
        collector: Gets the findings and counts.
    """
    seeds: dict[str, JsonObject] = {}
    collector.skip(NO_FOLDER)
    for number, row in enumerate(loaded.table.to_pylist()):
        find = partial(collector.find, data_file(loaded.config, TEST), number)
        first = seeds.setdefault(row["seed_id"], row)
        for name in OF_SEED:
            if row[name] != first[name]:
                find(name, f"is {quoted(row[name])}; an earlier variant of the seed has {quoted(first[name])}")
        if row["label"] not in range(len(loaded.label_names)):
            find("label", f"is {row['label']}; the labels are 0 to {len(loaded.label_names) - 1}")
        original = row["original"]
        replacement = row["replacement"]
        for side in SIDES:
            starts = row[f"{side}_offsets"] or []
            if not replaced_words(row[f"seed_{side}"], row[side], starts, original, replacement):
                find(
                    side, f"is not the seed's with {quoted(original)} replaced by {quoted(replacement)} at its offsets"
                )
    collector.count("seeds", len(seeds))
    collector.count("variants", loaded.table.num_rows)
