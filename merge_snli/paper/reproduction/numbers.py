"""Our numbers of the MERGE paper: on data (Tables 2, 4, 5, 6, 9), on models, and the figures."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from generation.report.overlap import draw_overlap
from generation.report.tables import report_tables
from merge_snli.base.errors import InputError, as_flags
from merge_snli.base.files import JsonObject, read_json, write_bytes
from merge_snli.base.table import Table
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.line_chart import image
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.comparison.word_classes import Classes, ClassPairs, PairCurves
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.paper_models import PAPER_NAMES, paper_model
from merge_snli.paper.filter_sets import FilterSets
from merge_snli.paper.hard_seeds import HardSeeds, mean_accuracy, votes_on
from merge_snli.paper.report.artifact import Draw
from merge_snli.paper.report.report import Report
from merge_snli.paper.reproduction.verdict import Cells, OurNumber, Ours
from merge_snli.paper.reproduction.write import FIGURES
from merge_snli.paper.seed_correctness import SeedCorrectness
from merge_snli.paper.table_3 import SeedsAgainstVariants, Table3
from merge_snli.paper.word_frequency import WordFrequency
from merge_snli.papers.numbers import MERGE, read_paper
from merge_snli.results.records import Ends
from merge_snli.results.result import Result
from merge_snli.statistics import NamedTest

# The tables of a data set by name of the artifact, with their number of columns that name a row.
TABLES = {"table-2": 1, "table-4": 1, "table-5": 1, "table-6": 2, "table-9": 1}

ALPHA = 0.05

# Of these, "both RoBERTa NLI models significantly outperform BERT, though only RoBERTa-L-SMFA surpasses both of its
# versions": the first is better than one of the others.
OF_ONE = ("RoBERTa-B-S", "BERT-B-S", "BERT-L-S")

NOT_RUN = "not in this run"
JUDGED = "a person has to judge the labels of Table 10: analyze has --without-seeds for that"
SIGNIFICANT, HIGHER, VALUE = "significant", "significantly higher", "value"


def data_numbers(
    dataset: MergeDataset, work: Path, masked_lms: Sequence[ResolvedModel], out: Path, *, suggestions: bool
) -> dict[str, Ours]:
    """Return our numbers on the plain data set, by name of the artifact, and draw Figure 9.

    Args:
        dataset: The data set.
        work: The work folder of its run.
        masked_lms: Its masked LMs.
        out: The output folder.
        suggestions: Whether to compute Figure 9 from all suggestions.

    Raises:
        InputError: If a file of the data set or of its work folder is missing or changed.
    """
    tables, overlap = report_tables(dataset, work, suggestions=suggestions)
    ours = {}
    for name, labels in TABLES.items():
        ours[name] = Ours(_cells(tables[name.replace("-", "_")], labels), NOT_RUN)
    of_masked_lms: Cells = {}
    for model in masked_lms:
        config = read_json(model.path / "config.json")
        kind = "E-D" if config.get("is_encoder_decoder") else "E"
        of_masked_lms[_name(model.name), "architecture"] = OurNumber(kind)
    of_masked_lms.update(ours["table-5"].cells)
    ours["table-5"] = Ours(of_masked_lms, "not a masked LM of this run")
    if suggestions:
        file = f"{FIGURES}/figure-9.svg"
        draw_overlap(overlap, out / file)
        ours["figure-9"] = Ours(files=(file,))
    return ours


def _cells(table: Table, labels: int) -> Cells:
    """Return the cells of a table by the names in its first columns, masked LMs by their names in the paper."""
    cells = {}
    for row in table.rows:
        names = [_name(str(name)) for name in row[:labels]]
        for column, value in zip(table.columns[labels:], row[labels:], strict=True):
            cells[" ".join(names), column.header] = OurNumber(value)
    return cells


def score_numbers(report: Report, results: Sequence[Result], out: Path) -> dict[str, Ours]:
    """Return our numbers on models, by name of the artifact, and draw the figures.

    Args:
        report: The analyses; those of the plain data set first.
        results: The results that they are of.
        out: The output folder.
    """
    chapters = report.data_sets[0], report.across_data_sets
    scored = chapters[0].scored[0]
    values: JsonObject = {}
    figures: dict[str, tuple[str, ...]] = {}
    for chapter in chapters:
        for section, value in chapter.analyses:
            values[section.name] = value
            if not isinstance(value, NotComputable):
                for show in section.artifacts:
                    artifact = show(value)
                    name = artifact.paper.lower().replace(" ", "-")
                    if artifact.draw is not None and name.startswith("figure"):
                        figures[name] = _draw(artifact.draw, artifact.title, name, out)
    of_plain = [result for result in results if result.dataset.digest == scored.record.digest]
    found: dict[str, Cells] = {}
    reasons = {"section-5.5": [JUDGED]}
    for name, analysis, cells in COMPUTED:
        of_artifact = found.setdefault(name, {})
        value = values[analysis]
        if isinstance(value, NotComputable):
            reasons.setdefault(name, []).append(str(value))
        else:
            of_artifact |= cells(value)
    numbers = {}
    for name, of_artifact in found.items():
        numbers[name] = Ours(of_artifact, "; ".join(reasons.get(name, [NOT_RUN])), figures.get(name, ()))
    numbers["section-5.1"] = _with_tests(numbers["section-5.1"], of_plain)
    ids = [result.model.name for result in of_plain]
    numbers["table-8"] = Ours({(_name(each), "model card"): OurNumber(each) for each in ids}, "not scored")
    printed = read_paper(MERGE).artifacts["table-10"].rows
    of_seeds = table_10_cells(scored, printed)
    numbers["table-10"] = Ours(of_seeds, "not a seed of this data set, or not recorded")
    return numbers


def _draw(draw: Draw, title: str, name: str, out: Path) -> tuple[str, ...]:
    """Write a figure of the report for a wide page and for a phone, and return the files."""
    files = {f"{FIGURES}/{name}.svg": False, f"{FIGURES}/{name}-narrow.svg": True}
    for file, narrow in files.items():
        write_bytes(out / file, image(draw(narrow, title), "svg", text_as="none"))
    return tuple(files)


def table_3_cells(value: Table3) -> Cells:
    """Return the cells of Table 3, in percent."""
    columns = {"source": "source", "seeds": "on_seeds", "variants": "on_variants", "QT": "qt", "MT": "mt"}
    cells = {}
    for row in value.rows:
        for column, name in columns.items():
            cells[_name(row["model"]), column] = _percent(row[name], row.get(f"{name}_interval"))
    return cells


def tests_over_models(value: SeedsAgainstVariants) -> Cells:
    """Return whether a sample accuracy is significantly higher than another, over the models."""
    cells = {}
    for test in value.over_models:
        is_higher = test.result.p_value < ALPHA and test.result.difference > 0
        cells[_pair(test), HIGHER] = _yes(is_higher)
    return cells


def class_cells(value: Classes) -> Cells:
    """Return whether word classes differ significantly."""
    return {(_pair(test), SIGNIFICANT): _yes(test.result.p_value < ALPHA) for test in value.tests}


def class_pair_cells(value: ClassPairs) -> Cells:
    """Return the seeds of two word classes, and whether the classes differ significantly on them."""
    cells = {(_pair(pair), "seeds"): OurNumber(pair.seeds) for pair in value.pairs}
    cells |= {(_pair(test), SIGNIFICANT): _yes(test.adjusted_p < ALPHA) for test in value.tests}
    return cells


def filter_set_cells(value: FilterSets) -> Cells:
    """Return the number of distinct drawn variants of each data set."""
    return {(data["name"], "variants"): OurNumber(data["curve"].variants) for data in value.sets}


def hard_seed_cells(value: HardSeeds) -> Cells:
    """Return how many seeds hardly any model answers right."""
    never = len(value.never_right)
    return {
        ("seeds with no right variant", VALUE): OurNumber(never),
        ("seeds with no right variant, %", VALUE): _percent(never / value.seeds),
        ("seeds below 5%", VALUE): OurNumber(len(value.rarely_right)),
    }


def correctness_cells(value: SeedCorrectness) -> Cells:
    """Return the mean PA on seeds answered right and wrong."""
    return {
        ("PA(0.9) on seeds right, %", VALUE): _percent(value.mean_right),
        ("PA(0.9) on seeds wrong, %", VALUE): _percent(value.mean_wrong),
    }


def frequency_cells(value: WordFrequency) -> Cells:
    """Return the mean numbers of seeds and of the ratio of their words."""
    return {
        ("wrong seeds with right variants", VALUE): OurNumber(value.mean_seeds),
        ("times as frequent as the original", VALUE): OurNumber(value.mean_ratio_snli),
    }


def _pair(pair: NamedTest | PairCurves) -> str:
    return f"{pair.first} − {pair.second}"


def _drawn_only(_: object) -> Cells:
    return {}


# The artifacts of models, each with an analysis and the cells from its value; none if the paper only draws it.
COMPUTED: tuple[tuple[str, str, Callable[[Any], Cells]], ...] = (
    ("table-3", "table_3", table_3_cells),
    ("section-5.1", "seeds_against_variants", tests_over_models),
    (
        "section-5.1-majority",
        "majority",
        lambda value: {("majority label", "PA(0.9) %"): _percent(value.mean["constant"])},
    ),
    ("figure-4", "model_curves", _drawn_only),
    ("figure-5", "classes", class_cells),
    ("figure-6", "class_pairs", class_pair_cells),
    ("figure-7", "fine_tuned", _drawn_only),
    ("figure-8", "filter_sets", filter_set_cells),
    ("section-5.5", "hard_seeds", hard_seed_cells),
    ("section-5.5", "seed_correctness", correctness_cells),
    ("section-5.5", "word_frequency", frequency_cells),
    ("figure-11", "model_curves", _drawn_only),
)


def _with_tests(ours: Ours, results: Sequence[Result]) -> Ours:
    """Add the paper's t-tests of models to the numbers of section 5.1."""
    try:
        (comparison,) = compare_results(results, test="t-test")
    except InputError as error:
        return Ours(reason=as_flags(error))
    cells = dict(ours.cells)
    for pair in comparison.family.pairs:
        first = _name(pair.first)
        second = _name(pair.second)
        points = pair.result.difference
        cells[f"{first} − {second}", HIGHER] = _yes(pair.differs and points > 0)
        cells[f"{second} − {first}", HIGHER] = _yes(pair.differs and points < 0)
    cells.update(better_than_one(cells))
    return replace(ours, cells=cells)


def better_than_one(cells: Cells) -> Cells:
    """Return whether the smaller RoBERTa is better than exactly one of the BERTs; nothing without all three.

    Args:
        cells: Whether each model is better than each other.
    """
    model, *others = OF_ONE
    found = []
    for other in others:
        number = cells.get((f"{model} − {other}", HIGHER))
        if number is None:
            return {}
        found.append(number.value)
    return {(f"{model} − one of {' and '.join(others)}", HIGHER): _yes(found.count("yes") == 1)}


def table_10_cells(scored: ScoredDataset, printed: Collection[str]) -> Cells:
    """Return gold label, annotators' labels and mean accuracy of the seeds in the paper's Table 10, by id."""
    accuracy = mean_accuracy(scored)
    cells: Cells = {}
    for index, seed in enumerate(scored.ids):
        if seed not in printed:
            continue
        _, _, gold = scored.seeds[index]
        cells[seed, "gold label"] = OurNumber(gold)
        votes = votes_on(scored.data, index)
        if votes is not None:
            for name in scored.record.labels:
                cells[seed, f"{name} votes"] = OurNumber(votes.get(name, 0))
        cells[seed, "average rate"] = OurNumber(float(np.round(accuracy[index], 4)))
    return cells


def _name(model: str) -> str:
    """Return the name of a model or masked LM in the paper; its own if the paper does not have it."""
    known = paper_model(model)
    return PAPER_NAMES.get(model, model) if known is None else known.paper_name


def _percent(share: float | None, interval: Ends | None = None) -> OurNumber:
    value = None if share is None else 100 * share
    if interval is None:
        return OurNumber(value)
    low, high = interval
    return OurNumber(value, (100 * low, 100 * high))


def _yes(is_so: bool) -> OurNumber:
    return OurNumber("yes" if is_so else "no")
