"""Each analysis and figure of the report is everywhere that the recipe in docs/architecture.md names."""

import pkgutil
import re
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pytest

from merge_snli import comparison, paper
from merge_snli.paper.report import curve_artifacts, table_artifacts, word_artifacts
from merge_snli.paper.report.sections import ACROSS, SECTIONS, Section
from merge_snli.paper.reproduction.numbers import COMPUTED
from merge_snli.paper.reproduction.run import CORPUS, FILTER_SETS, SCORES
from merge_snli.papers.numbers import MERGE, read_paper
from tests import ROOT

# What has the tests of the analyses.
TESTS = ("paper/test_analyses.py", "comparison/test_scored_dataset.py")
ALL_SECTIONS = (*SECTIONS, *ACROSS)
ARTIFACTS = (curve_artifacts, table_artifacts, word_artifacts)
# What `score_numbers` has besides `COMPUTED`.
OTHERS = {"table-8", "table-10"}


def modules_of(package: ModuleType) -> list[ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(package.__path__) if not found.ispkg]
    return [import_module(f"{package.__name__}.{name}") for name in names]


def functions_of(module: ModuleType) -> dict[str, Callable[..., object]]:
    return {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


SOURCE = "".join(text_of(str(module.__file__)) for module in ARTIFACTS)


@pytest.mark.parametrize("module", modules_of(paper), ids=lambda module: module.__name__)
def test_an_analysis_has_a_section(module: ModuleType) -> None:
    assert functions_of(module).keys() & {section.name for section in ALL_SECTIONS}


@pytest.mark.parametrize("section", ALL_SECTIONS, ids=lambda section: section.name)
def test_a_section_is_documented_and_tested(section: Section) -> None:
    homes = [module for module in modules_of(paper) + modules_of(comparison) if section.name in functions_of(module)]
    assert [f"::: {module.__name__}" for module in homes if f"::: {module.__name__}\n" in text_of("docs/api/paper.md")]
    table = text_of("docs/analyze.md").partition("## The analyses")[2].partition("\n\n**")[0]
    assert f"`{section.name}`" in table
    tests = [text_of(f"tests/merge_snli/{name}") for name in TESTS]
    assert any(re.search(rf"\b{section.name}\(", text) for text in tests)


@pytest.mark.parametrize("module", ARTIFACTS, ids=lambda module: module.__name__)
def test_what_shows_an_analysis_is_in_a_section(module: ModuleType) -> None:
    shown = {function.__name__ for section in ALL_SECTIONS for function in section.artifacts}
    assert {name for name in functions_of(module) if name.endswith("_artifact")} <= shown


def test_names_of_files_are_unique() -> None:
    names = re.findall(r'\n +name="([^"]+)"', SOURCE)
    assert len(names) == len(set(names)) >= len(ALL_SECTIONS)


def test_figures_and_tables_of_the_paper_are_reproduced() -> None:
    shown = {name.lower().replace(" ", "-") for name in re.findall(r'paper="((?:Figure|Table) \d+)"', SOURCE)}
    printed = read_paper(MERGE).artifacts
    of_models = set()
    for name, artifact in printed.items():
        if {SCORES, FILTER_SETS, CORPUS} & {*artifact.needs} and not artifact.not_computed:
            of_models.add(name)
    assert shown <= of_models <= OTHERS.union(name for name, *_ in COMPUTED)
