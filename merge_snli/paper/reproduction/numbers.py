"""Our numbers of the MERGE paper: on data (Tables 2, 4, 5, 6, 9), on models, and the figures."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from generation.report.overlap import draw_overlap
from generation.report.tables import report_tables
from merge_snli.base.errors import InputError, as_flags
from merge_snli.base.files import read_json, write_bytes
from merge_snli.base.table import Table
from merge_snli.comparison.compare import compare_results
from merge_snli.comparison.line_chart import image
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.comparison.word_classes import Classes, ClassPairs, PairCurves
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.paper_models import PAPER_NAMES, paper_model
from merge_snli.paper.hard_seeds import mean_accuracy, votes_on
from merge_snli.paper.report.artifact import Draw
from merge_snli.paper.report.report import Report
from merge_snli.paper.reproduction.verdict import Cells, OurNumber, Ours
from merge_snli.paper.reproduction.write import FIGURES
from merge_snli.paper.table_3 import Table3
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
    of_masked_lms: dict[tuple[str, str], OurNumber] = {}
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
    values: dict[str, Any] = {}
    figures: dict[str, tuple[str, ...]] = {}
    for chapter in chapters:
        for section, value in chapter.analyses:
            values[section.name] = value
            if not isinstance(value, NotComputable):
                for show in section.artifacts:
                    artifact = show(value)
                    name = artifact.paper.lower().replace(" ", "-")
                    if artifact.draw is not None and name in COMPUTED:
                        figures[name] = _draw(artifact.draw, artifact.title, name, out)
    of_plain = [result for result in results if result.dataset.digest == scored.record.digest]
    numbers = {}
    for name, (cells, analysis) in COMPUTED.items():
        value = values[analysis]
        if isinstance(value, NotComputable):
            numbers[name] = Ours(reason=str(value))
        else:
            numbers[name] = Ours(cells(value), NOT_RUN, figures.get(name, ()))
    numbers["section-5.1"] = _tests(values["seeds_against_variants"], of_plain)
    numbers["section-5.5"] = section_5_5(values)
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


def class_cells(value: Classes) -> Cells:
    """Return whether word classes differ significantly."""
    return {(_pair(test), SIGNIFICANT): _yes(test.result.p_value < ALPHA) for test in value.tests}


def class_pair_cells(value: ClassPairs) -> Cells:
    """Return the seeds of two word classes, and whether the classes differ significantly on them."""
    cells = {(_pair(pair), "seeds"): OurNumber(pair.seeds) for pair in value.pairs}
    cells |= {(_pair(test), SIGNIFICANT): _yes(test.adjusted_p < ALPHA) for test in value.tests}
    return cells


def _pair(pair: NamedTest | PairCurves) -> str:
    return f"{pair.first} − {pair.second}"


# By name of the artifact: its cells from the value of an analysis, none if the paper only draws it; and the analysis.
COMPUTED: Mapping[str, tuple[Callable[[Any], Cells], str]] = {
    "table-3": (table_3_cells, "table_3"),
    "section-5.1-majority": (
        lambda value: {("majority label", "PA(0.9) %"): _percent(value.mean["constant"])},
        "majority",
    ),
    "figure-4": (lambda _: {}, "model_curves"),
    "figure-5": (class_cells, "classes"),
    "figure-6": (class_pair_cells, "class_pairs"),
    "figure-7": (lambda _: {}, "fine_tuned"),
    "figure-8": (
        lambda value: {(data.name, "variants"): OurNumber(data.curve.variants) for data in value.sets},
        "filter_sets",
    ),
    "figure-11": (lambda _: {}, "model_curves"),
}


def _tests(value: Any, results: Sequence[Result]) -> Ours:  # noqa: ANN401 - the value of an analysis
    """Return the tests of section 5.1: of seeds against variants, and of models by the paper's t-test."""
    try:
        (comparison,) = compare_results(results, test="t-test")
    except InputError as error:
        return Ours(reason=as_flags(error))
    cells: dict[tuple[str, str], OurNumber] = {}
    if not isinstance(value, NotComputable):
        for test in value.over_models:
            is_higher = test.result.p_value < ALPHA and test.result.difference > 0
            cells[_pair(test), HIGHER] = _yes(is_higher)
    for pair in comparison.family.pairs:
        first, second, points = _name(pair.first), _name(pair.second), pair.result.difference
        cells[f"{first} − {second}", HIGHER] = _yes(pair.differs and points > 0)
        cells[f"{second} − {first}", HIGHER] = _yes(pair.differs and points < 0)
    cells.update(better_than_one(cells))
    return Ours(cells, NOT_RUN)


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


def section_5_5(values: Mapping[str, Any]) -> Ours:
    """Return the numbers of section 5.5."""
    reasons = ["a person has to judge the labels of Table 10: analyze has --without-seeds for that"]
    cells: dict[tuple[str, str], OurNumber] = {}
    for analysis, numbers in SECTION_5_5.items():
        value = values[analysis]
        if isinstance(value, NotComputable):
            reasons.append(str(value))
        else:
            for row, number in numbers.items():
                cells[row, VALUE] = number(value)
    return Ours(cells, "; ".join(reasons))


# The numbers of section 5.5 by analysis and name.
SECTION_5_5: Mapping[str, Mapping[str, Callable[[Any], OurNumber]]] = {
    "hard_seeds": {
        "seeds with no right variant": lambda hard: OurNumber(len(hard.never_right)),
        "seeds with no right variant, %": lambda hard: _percent(len(hard.never_right) / hard.seeds),
        "seeds below 5%": lambda hard: OurNumber(len(hard.rarely_right)),
    },
    "seed_correctness": {
        "PA(0.9) on seeds right, %": lambda right: _percent(right.mean_right),
        "PA(0.9) on seeds wrong, %": lambda right: _percent(right.mean_wrong),
    },
    "word_frequency": {
        "wrong seeds with right variants": lambda words: OurNumber(words.mean_seeds),
        "times as frequent as the original": lambda words: OurNumber(words.mean_ratio_snli),
    },
}


def table_10_cells(scored: ScoredDataset, printed: Collection[str]) -> Cells:
    """Return gold label, annotators' labels and mean accuracy of the seeds in the paper's Table 10, by id."""
    accuracy = mean_accuracy(scored)
    cells: dict[tuple[str, str], OurNumber] = {}
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
