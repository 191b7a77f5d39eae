"""Read the numbers of a paper: tables of printed cells, and sentences on what it only draws or tells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from merge_snli.base.files import toml_beside

MERGE, SIMPLE_PAIR = PAPERS = "merge", "simple-pair"

# A number as the paper prints it, a word, or an empty text if the cell is empty.
PaperCell = int | float | str


@dataclass(frozen=True, kw_only=True)
class PaperArtifact:
    """A table or figure of a paper, or the numbers of a section.

    Attributes:
        name: Its name, such as `table-3`.
        title: What it shows.
        section: The section that it belongs to.
        needs: What our numbers are computed from, as in `merge_snli.paper.reproduction.run`.
        says: Sentences of the paper on it, as printed.
        not_computed: Why it cannot be computed, and what to do; empty if it can.
        commands: The commands for that.
        precision: The unit to which the paper rounds; None for that of the last printed digit.
        columns: Headers of the cells.
        rows: The cells by name of the row, one per column.
        undecided: Why no number compares with a row, by its name: the paper can be read in two ways.
    """

    name: str
    title: str
    section: str
    needs: tuple[str, ...]
    says: tuple[str, ...] = ()
    not_computed: str = ""
    commands: tuple[str, ...] = ()
    precision: float | None = None
    columns: tuple[str, ...] = ()
    rows: Mapping[str, tuple[PaperCell, ...]] = field(default_factory=dict)
    undecided: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The numbers of a paper.

    Attributes:
        title: Its title.
        source: Its identifier, such as `arXiv:2510.24295`.
        artifacts: By name, in the order of the page.
        models: Published models of rows of its tables, if the authors did not publish theirs.
        note: What to know when reading our numbers beside the paper's; empty if nothing.
    """

    title: str
    source: str
    artifacts: Mapping[str, PaperArtifact]
    note: str = ""
    models: Mapping[str, str] = field(default_factory=dict)


@cache
def read_paper(name: str) -> Paper:
    """Return the numbers of a paper.

    Args:
        name: The stem of its file in this folder, such as `MERGE`.
    """
    from pydantic import TypeAdapter

    return TypeAdapter(Paper).validate_python(toml_beside(__file__, name))
