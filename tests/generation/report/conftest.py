"""A run that the tests of reports read again."""

from pathlib import Path

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from merge_snli.dataset.stored import MergeDataset
from tests.records import first_problems

LONG = " It is warm." * 64


@pytest.fixture(scope="package")
def options(tmp_path_factory: pytest.TempPathFactory) -> Options:
    """Options with problems that have left-out words, and one with a long text."""
    more = (
        '{"id": "odd", "premise": "A dog runs after a Dog.", "hypothesis": "A dog runs.", "label": "entailment"}',
        '{"id": "parts", "premise": "He\'s not running.", "hypothesis": "He\'s not walking.", "label": "neutral"}',
        f'{{"id": "long", "premise": "A dog runs.{LONG}", "hypothesis": "A dog runs.", "label": "neutral"}}',
    )
    problems = str(first_problems(tmp_path_factory.mktemp("problems"), 8, *more))
    mlm = ("demo:mlm-wordpiece", "demo:mlm-bpe")
    return Options(problems=problems, id_column="id", mlm=mlm, inflation=5, subsamples=1)


@pytest.fixture(scope="package")
def made(options: Options, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    """The data set, with its work folder."""
    return run_pipeline(options, tmp_path_factory.mktemp("run") / "merge_snli")


@pytest.fixture(scope="package")
def work(made: MergeDataset) -> Path:
    """The work folder of the run."""
    return made.folder.with_name("merge_snli.work")
