"""Make the bundled data set in `build/data/merge_snli`, from where `make data` copies it into the package."""

from dataclasses import replace
from pathlib import Path

from generation import generate
from generation.options import BUNDLED_OPTIONS
from merge_snli.card.dataset_folder import card_and_record, write_files
from merge_snli.dataset.stored import FOLDER, MergeDataset


def bundled_files(dataset: MergeDataset) -> dict[str, bytes]:
    """Return card and record, sealed, for a data set that loads by the bare name of the package's folder."""
    return card_and_record(replace(dataset.record, load_name=FOLDER.name), dataset.folder)


def main() -> None:
    """Generate the variants of the bundled problems, and write card and record of the bundled data set."""
    out = Path("build", "data", FOLDER.name)
    dataset = generate("demo:problems", preset="demo", id_column="id", out=out, **BUNDLED_OPTIONS)
    write_files(out, bundled_files(dataset))


if __name__ == "__main__":
    main()
