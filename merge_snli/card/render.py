"""Fill in the templates of the card of variants and of the card of pairs in groups."""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from generation.options import departures
from merge_snli.base.errors import one_line
from merge_snli.card.metadata import license_text, metadata
from merge_snli.card.tables import (
    annotation_table,
    code,
    column_table,
    composition_table,
    escaped,
    example_table,
    pair_columns,
    pairs_example,
    pairs_table,
    words_table,
)
from merge_snli.dataset.answered_forms import form_shares, shares_text
from merge_snli.dataset.record import GenerationRecord, MaskedLMRecord, PublishedRecord, Record
from merge_snli.dataset.texts import NLI_TEXTS, is_nli
from merge_snli.problems.inputs import public_name
from merge_snli.schema import ALL, SEED

TEMPLATE, PAIRS_TEMPLATE = "dataset_card.md", "pairs_card.md"
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
# Options with their own place in the card, and the device, which does not change the data.
SHOWN_ELSEWHERE = frozenset(
    {"title", "problems", "split", "mlm", "tagger", "classes", "inflation", "subsamples", "dtype", "device"}
)

ANNOTATED = (
    "Config `annotation`, split `test`, has the scores of {annotators} annotator(s) for {variants} variants, on the "
    "scale\nof the paper's section A.2. 5 is best:"
)

TEXT_COLUMNS = (
    "The columns `premise` and `hypothesis` have these names in every data set of MERGE. Here, `premise` is the\n"
    "text {} of a problem, and `hypothesis` the text {}.\n\n"
)

LOCAL = "./"

METRIC_IN_SPACE = "The metric is the Space [{metric}](https://huggingface.co/spaces/{metric}), which has a demo page."

METRIC_IN_PACKAGE = (
    "The metric is the folder `metrics/pattern_accuracy` of the MERGE software. After `merge-snli register`, {loaded} "
    "from any folder."
)
# What `merge-snli register` makes load by name, in the card of the bundled data set; in others, only the metric.
OF_BUNDLED = "the metric and\nthis data set load by these names"

DISCUSSIONS = (
    "Report errors in this data set in [its discussions](https://huggingface.co/datasets/{name}/discussions).\n"
)

# The comment on the example of a local folder.
IN_ITS_PARENT = "# In the folder that contains {folder}. In another folder, replace {load_name} by its path.\n"


def load_name_of(folder: Path) -> str:
    """Return the name that `datasets` loads a local folder by, from the folder that contains it.

    The leading `./` keeps a data set of the same name, such as the bundled `merge_snli`, from being loaded instead.
    """
    return f"{LOCAL}{folder.absolute().name}"


def render_card(record: Record, folder: Path) -> str:
    """Return the dataset card.

    The card has no date, so that the same run always gives the same bytes.

    Args:
        record: The record of the data set; `card` and `digest` are not used.
        folder: The data set's folder; the first rows of its data are the card's examples.

    Returns:
        Markdown with YAML metadata, from which `datasets` reads configs and splits.
    """
    if record.generation is None:
        return _fill(PAIRS_TEMPLATE, _texts(record) | pairs_values(record, folder))
    generated = _tables(record, folder) | _provenance(record, record.generation) | _task_values(record)
    return _fill(TEMPLATE, _texts(record) | generated)


def _fill(template: str, values: dict[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: values[match[1]], _read_template(template))


def _read_template(name: str) -> str:
    """Read a template from the installed package, or from the checkout."""
    packaged = files("merge_snli") / name
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / name).read_text(encoding="utf-8")


def _texts(record: Record) -> dict[str, str]:
    """Return the values of the placeholders that every card has."""
    load_name = one_line(record.published.dataset if record.published else record.load_name)
    folder = load_name.removeprefix(LOCAL)
    comment = "" if folder == load_name else IN_ITS_PARENT.format(folder=folder, load_name=load_name)
    labels = [f"{number} {escaped(name)}" for number, name in enumerate(record.label_names)]
    versions = [f"{name} {version}" for name, version in record.versions.items()]
    return {
        "metadata": metadata(record),
        "title": escaped(record.title),
        "load_name": load_name,
        "load_comment": comment,
        "labels": ", ".join(labels),
        "method_version": record.method_version,
        "versions": ", ".join(versions),
        **metric_values(record.published, is_bundled="/" not in load_name),
    }


def _task_values(record: Record) -> dict[str, str]:
    """Return the values of the placeholders that name the task and its texts."""
    first, second = map(escaped, record.texts)
    of_nli = is_nli(record.label_names, record.texts)
    return {
        "first_text": first,
        "second_text": second,
        "kind_of_problems": "natural language inference (NLI) problems" if of_nli else "problems of two texts",
        "kind_of_score": "NLI score" if of_nli else "score",
        "what_stays": "the inference" if of_nli else "the label",
        "text_columns": "" if record.texts == NLI_TEXTS else TEXT_COLUMNS.format(first, second),
    }


def _departures_text(sentences: tuple[str, ...]) -> str:
    """Return the sentences as a quoted list, or one sentence that there are none."""
    if not sentences:
        return "All options follow the paper's method."
    lines = ["> **This data set differs from the paper's method.**", ">"]
    lines += [f"> - {sentence}" for sentence in sentences]
    return "\n".join(lines)


def _tables(record: Record, folder: Path) -> dict[str, str]:
    values = {"annotation": _annotation(record), "license_text": license_text(record)}
    values["departures"] = _departures_text(departures(record.options))
    values["example"] = example_table(record, folder)
    values["composition"] = composition_table(record)
    values["words"] = words_table(record)
    values["example_config"] = next((name for name in record.test_configs if name != ALL), ALL)
    values["variant_columns"] = column_table(record, ALL, folder)
    values["seed_columns"] = column_table(record, SEED, folder)
    values["contact"] = DISCUSSIONS.format(name=record.published.dataset) if record.published else ""
    return values


def _annotation(record: Record) -> str:
    """Return the paragraph on the scores of annotators; empty if there are none."""
    if record.annotation is None:
        return ""
    annotators = len(record.annotation.annotators)
    text = ANNOTATED.format(variants=f"{record.annotation.rows // annotators:,}", annotators=annotators)
    notes = []
    for judge in record.annotation.judges:
        asked = f"{code(judge.annotator)} is the language model {code(judge.model)}, asked for up to "
        guidelines = f"guidelines of sha256 {judge.prompt[:12]}…."
        notes.append(f"- {asked}{judge.per_question} variants per question with {guidelines}")
    generation = record.generation
    if generation is not None and generation.judgments is not None:
        counts = ", ".join(f"{number:,} {outcome}" for outcome, number in (generation.judged or {}).items())
        by = ", ".join(map(code, generation.judgments.annotators))
        digest = f"sha256 {generation.judgments.digest[:12]}…"
        notes.append(f"- Variants were filtered by the scores of {by} ({digest}): {counts}.")
    paragraphs = f"\n\n{text}\n\n{annotation_table()}"
    return "\n".join([paragraphs, "", *notes]) if notes else paragraphs


def _provenance(record: Record, generation: GenerationRecord) -> dict[str, str]:
    problems, tagger = generation.problems, generation.tagger
    forms = [f"{code(name)}: {shares_text(of)}" for name, of in form_shares(generation).items()]
    values = _option_values(record.options)
    values["with_label"] = f"{problems.with_label:,}"
    values["without_label"] = f"{problems.without_label:,}"
    values["invalid"] = f", {generation.invalid_rows:,} invalid" if generation.invalid_rows else ""
    values["masked_lms"] = "<br>".join(map(_model_text, generation.masked_lms))
    values["forms"] = "<br>".join(forms)
    values["tagger"] = f"{code(tagger.name)} {escaped(tagger.version)} (sha256 {tagger.digest[:12]}…)"
    return values


def _option_values(options: Mapping[str, Any]) -> dict[str, str]:
    values = {name: str(options[name]) for name in ("dtype", "inflation", "subsamples")}
    values["last_subsample"] = str(options["subsamples"] - 1)
    values["classes"] = ", ".join(options["classes"])
    values["problems"] = code(public_name(options["problems"]))
    if options["split"] is not None:
        values["problems"] += f", split {code(options['split'])}"
    listed = [_option_text(name, value) for name, value in options.items() if _is_listed(name, value)]
    values["options"] = " ".join(listed)
    return values


def _is_listed(name: str, value: object) -> bool:
    """Return whether an option is listed: it is set, and the card does not show it elsewhere."""
    is_unset = value is None or value is False or (value == [] and name != "filters")
    return name not in SHOWN_ELSEWHERE and not is_unset


def _option_text(name: str, value: object) -> str:
    values = value if isinstance(value, list) else [value]
    shown = ",".join(public_name(str(of_list)) for of_list in values)
    return code(f"{name}={shown or 'none'}")


def _model_text(mlm: MaskedLMRecord) -> str:
    source = f"commit {mlm.revision}" if mlm.revision else "bundled or a local folder"
    return f"{code(mlm.name)} ({source}; sha256 {mlm.digest[:12]}…)"


def pairs_values(record: Record, folder: Path) -> dict[str, str]:
    """Return the values of the placeholders that only this card has.

    Args:
        record: The record of the pairs.
        folder: The data set's folder; the first rows of its data are the examples.
    """
    first = next(iter(record.configs))
    listed = [_option_text(name, value) for name, value in record.options.items() if value is not None]
    sources = [f"{escaped(public_name(of.name))} (sha256 {of.digest[:12]}…)" for of in record.sources]
    return {
        "summary": record.summary,
        "example": pairs_example(record, folder),
        "example_config": first,
        "example_split": record.configs[first].split,
        "group_column": record.group_column,
        "configs": pairs_table(record),
        "columns": pair_columns(record, folder),
        "notes": "\n".join(f"- {note}" for note in record.notes),
        "command": record.command,
        "options": " ".join(listed),
        "sources": "<br>".join(sources),
        "license_text": _pairs_license(record),
    }


def _pairs_license(record: Record) -> str:
    name = record.terms.license
    text = "The sentences have their own terms."
    if name not in {None, "other"}:
        text = f"The pairs are under {code(str(name))}."
    return text if record.terms.attribution is None else f"{text} {record.terms.attribution}"


def metric_values(published: PublishedRecord | None, *, is_bundled: bool) -> dict[str, str]:
    """Return the name of the metric and the sentence on it, for the template of a card."""
    if published is not None and published.metric:
        return {"metric_name": published.metric, "metric_text": METRIC_IN_SPACE.format(metric=published.metric)}
    loaded = OF_BUNDLED if is_bundled else "it loads by this name"
    return {"metric_name": "pattern_accuracy", "metric_text": METRIC_IN_PACKAGE.format(loaded=loaded)}
