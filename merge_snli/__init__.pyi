"""The public names, from which `__init__.py` imports them on first use."""

from generation.options import Options
from generation.pipeline import generate
from merge_snli.base.errors import InputError
from merge_snli.comparison.compare import compare_results as compare
from merge_snli.comparison.figures import draw_curves
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.stored import find_dataset as load
from merge_snli.hub.publish import publish
from merge_snli.language_models.import_files import import_files
from merge_snli.pairs.extended_pair import make_extended_pair as extended_pair
from merge_snli.pairs.options import ExtendedPairOptions, SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair as simple_pair
from merge_snli.paper.report.analyze import analyze
from merge_snli.results.result import Result
from merge_snli.results.score_table import score_table
from merge_snli.results.store import read_answers, read_result, read_results
from merge_snli.scoring.score import score
from merge_snli.validation import validate

__version__: str

__all__ = [
    "ExtendedPairOptions",
    "InputError",
    "MergeDataset",
    "Options",
    "Result",
    "SimplePairOptions",
    "analyze",
    "compare",
    "draw_curves",
    "extended_pair",
    "generate",
    "import_files",
    "load",
    "publish",
    "read_answers",
    "read_result",
    "read_results",
    "score",
    "score_table",
    "simple_pair",
    "validate",
]
