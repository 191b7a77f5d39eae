"""The page of the metric's Space: paste or upload predictions to get SA, the PA curve and a table."""

import csv
import io
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import evaluate
import gradio as gr
import pandas as pd

COLUMNS = ("prediction", "reference", "group")
TABLE_THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)

EXAMPLE = """\
prediction,reference,group
entailment,entailment,small girl
entailment,entailment,small girl
neutral,entailment,small girl
entailment,entailment,small girl
neutral,neutral,red ball
neutral,neutral,red ball
neutral,neutral,red ball
neutral,neutral,red ball
"""

INTRODUCTION = """\
# Pattern accuracy

Pattern accuracy PA(t) is the share of groups in which at least the share t of the rows is classified correctly. Sample
accuracy SA is the share of rows classified correctly. Paste a table with the columns `prediction`, `reference` and
`group`, separated by commas or tabs, or upload it as a file. Only a prediction may be empty; it is then wrong.
"""


@cache
def _metric() -> Any:  # noqa: ANN401  (evaluate has no types)
    return evaluate.load(str(Path(__file__).with_name("pattern_accuracy.py")))


def read_table(text: str) -> dict[str, list[str]]:
    """Read the three columns of a table in CSV or TSV.

    Args:
        text: The table. Its first line names the columns, in any order; other columns are ignored.

    Returns:
        The columns, by the names of the metric's arguments.

    Raises:
        ValueError: If a column or a value is missing, or a column is there twice. A prediction may be empty, and is
            then wrong.
    """
    lines = text.strip().splitlines()
    if not lines:
        raise ValueError("The table is empty: paste a table or upload a file.")
    rows = csv.DictReader(io.StringIO(text.strip()), delimiter="\t" if "\t" in lines[0] else ",")
    names = [name.strip() for name in rows.fieldnames or []]
    rows.fieldnames = names
    for name in COLUMNS:
        if name not in names:
            raise ValueError(f"The column {name!r} is missing: the header has {', '.join(map(repr, names))}.")
        if names.count(name) > 1:
            raise ValueError(f"The header has the column {name!r} twice: leave one of them out.")
    columns: dict[str, list[str]] = {f"{name}s": [] for name in COLUMNS}
    for row in rows:
        for name in COLUMNS:
            value = row[name]
            if value is None or not (value.strip() or name == "prediction"):
                raise ValueError(f"Line {rows.line_num} has no value for {name}.")
            columns[f"{name}s"].append(value.strip())
    return columns


def score_table(text: str, path: str | None, against: str) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    """Compute the outputs of the page.

    Args:
        text: The pasted table, used if no file is uploaded.
        path: The uploaded file.
        against: What a prediction must agree with to be correct, `"gold"` or `"majority"`.

    Returns:
        A summary with SA and the counts, the PA curve, and a table of PA at some thresholds.

    Raises:
        gradio.Error: If the input is invalid, with the message to show.
    """
    try:
        columns = read_table(Path(path).read_text(encoding="utf-8-sig") if path else text)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            scores = _metric().compute(**columns, thresholds="curve", against=against)
    except UnicodeDecodeError as error:
        raise gr.Error("The file is not UTF-8 text.") from error
    except ValueError as error:
        raise gr.Error(str(error)) from error
    by_threshold = scores["pattern_accuracy"]
    n_groups = scores["n_groups"]
    curve = pd.DataFrame({"threshold": list(by_threshold), "pattern accuracy": list(by_threshold.values())})
    groups = "1 group" if n_groups == 1 else f"{n_groups:,} groups"
    summary = (
        f"**Sample accuracy {scores['sample_accuracy']:.1%}** over {scores['n_samples']:,} rows; "
        f"**pattern accuracy at 0.9: {by_threshold[0.9]:.1%}** of {groups}."
    )
    for warning in caught:
        summary += f"\n\n**Warning:** `{warning.message}`"
    return summary, curve, curve[curve["threshold"].isin(TABLE_THRESHOLDS)].round(4)


def build() -> gr.Blocks:
    """Build the page."""
    page = gr.Blocks(title="Pattern accuracy")
    with page:
        gr.Markdown(INTRODUCTION)
        with gr.Row():
            with gr.Column():
                text = gr.Textbox(EXAMPLE, label="Table", lines=12, max_lines=20, elem_id="table")
                upload = gr.File(label="or upload a file", file_types=[".csv", ".tsv", ".txt"], elem_id="upload")
                against = gr.Radio(["gold", "majority"], value="gold", label="Compare predictions with")
                button = gr.Button("Compute", variant="primary", elem_id="compute")
            with gr.Column():
                summary = gr.Markdown(elem_id="summary")
                curve = gr.LinePlot(
                    x="threshold", y="pattern accuracy", x_lim=[0, 1], y_lim=[0, 1], label="Curve", elem_id="curve"
                )
                table = gr.Dataframe(label="Pattern accuracy by threshold", interactive=False, elem_id="scores")
        button.click(score_table, inputs=[text, upload, against], outputs=[summary, curve, table])
    return page


if __name__ == "__main__":
    build().launch()
