"""The columns of every table of models: names, scores with their intervals, and the letters of the tests."""

from dataclasses import dataclass

from merge_snli.base.columns import Columns
from merge_snli.results.rows import ScoreValues, ends_text, percent


@dataclass(frozen=True)
class ModelRow:
    """A line of a table of models.

    Attributes:
        name: Display name of the model.
        scores: Its scores; a table shows nothing for one that is missing.
        letters: The letters of the tests; None if it was not tested.
        number: Its number in the table.
    """

    name: str
    scores: ScoreValues
    letters: str | None = None
    number: int | None = None


class ModelColumns(Columns[ModelRow]):
    """The columns of a table of models, with shares in percent."""

    def __init__(self, *, exact: bool = False) -> None:
        """Start without columns.

        Args:
            exact: Whether CSV has shares in full, and not with one decimal.
        """
        super().__init__()
        self._exact = exact

    def add_name(self, header: str = "Model") -> None:
        """Add the column of names."""
        self.add(header, lambda row: row.name, align="left")

    def add_number(self) -> None:
        """Add the column of numbers."""
        self.add("#", lambda row: row.number)

    def add_score(self, header: str, name: str, form: str = ".1f", *, interval: str = "") -> None:
        """Add the column of a score, and that of its interval.

        Args:
            header: Header of the score.
            name: Name of the score in `ScoreValues`, a share.
            form: Format of the number, such as `+.1f`.
            interval: Header of the interval; empty for a score without one.
        """
        self.add(header, lambda row: self._percent(row.scores[name]), format=form)
        if interval:
            self.add(interval, lambda row: _ends(row, name, "+" if form.startswith("+") else ""), under=True)

    def add_letters(self) -> None:
        """Add the column of letters."""
        self.add("Letters", lambda row: row.letters, align="left")

    def _percent(self, share: float | None) -> float | None:
        if share is None or not self._exact:
            return percent(share)
        return 100 * share


def _ends(row: ModelRow, name: str, sign: str) -> str | None:
    ends = row.scores.ends(name)
    return None if ends is None else ends_text(*ends, sign=sign)
