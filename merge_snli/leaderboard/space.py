"""Write the repository of a leaderboard Space that others can submit results to, check it, and rebuild its page."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, param, raise_first
from merge_snli.base.files import write_json, write_text
from merge_snli.base.hub_ids import fetch
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.comparison.html_page import asset
from merge_snli.dataset.stored import MergeDataset, check_out, find_dataset, other_than
from merge_snli.leaderboard.write import write_leaderboard
from merge_snli.scoring.check import differences
from merge_snli.scoring.grouping import model_key
from merge_snli.scoring.opening import find_whole
from merge_snli.scoring.result import Result
from merge_snli.scoring.store import answers_name, file_name, parse_result, read_results, write_result

RESULTS, SETTINGS = "results", "leaderboard.json"
SPACE_ID = re.compile(r"[\w.-]+/[\w.-]+")
RESULT_PATH = re.compile(rf"{RESULTS}/[^/]+\.(json|parquet)")

# Number of differences that are listed per file.
SHOWN = 3

LIMITS = (
    "The check computes every number of a result again from its answers, and compares the digest of the data set. "
    "Invented answers pass it: only running the model can find them."
)

# What is wrong with each file of a Space, by path; empty if the file passes.
Checked = dict[str, list[str]]


def checked_text(checked: Checked) -> str:
    """Return one line per file that passes, and one per problem of the others."""
    lines = [f"{path}: {problem}" for path, problems in checked.items() for problem in (problems or ["passed"])]
    return "\n".join([*lines, "", *textwrap.wrap(LIMITS, TEXT_WIDTH), ""])


def init_space(space: str, results: Sequence[Result], datasets: Sequence[MergeDataset], out: Path) -> Path:
    """Write the repository of a Space.

    Args:
        space: Hub id of the Space, `ORG/NAME`.
        results: The first results, on `datasets`.
        datasets: The data sets that results may be submitted on.
        out: The folder; new or empty.

    Returns:
        The path of the page.

    Raises:
        InputError: If the id is invalid, `out` has files, no data set is given, or a result does not pass the check.
    """
    raise_first(
        (not SPACE_ID.fullmatch(space), f"{param('init_space')} {space} is not the id of a Space: give ORG/NAME"),
        (
            not datasets,
            f"{param('init_space')} needs {param('dataset')}: name the data sets that results may be submitted on",
        ),
    )
    out = check_out(out, find_other=other_than())
    for name, problems in check_results({file_name(result): result for result in results}, {}, datasets).items():
        if problems:
            raise InputError(f"{name}: {problems[0]}")
    path = _write_page(results, out, space)
    for result in results:
        write_result(result, out / RESULTS)
    listed = [
        {
            "name": dataset.public_name,
            "revision": dataset.revision,
            "digest": dataset.digest,
            "title": dataset.record.title,
        }
        for dataset in datasets
    ]
    write_json(out / SETTINGS, {"space": space, "datasets": listed})
    names = "\n".join(f"- {dataset['title']}: `{dataset['name']}`, sha256 `{dataset['digest']}`" for dataset in listed)
    card = asset("merge_snli.leaderboard", "page", "space.md")
    write_text(out / "README.md", card.replace("SPACE_ID", space).replace("DATA_SETS", names).replace("LIMITS", LIMITS))
    return path


def build_space(folder: Path, datasets: Sequence[MergeDataset] = ()) -> Checked:
    """Check every result of a Space, and rebuild its page if all pass.

    Args:
        folder: The folder of the Space's repository.
        datasets: The data sets of the leaderboard, for those that cannot be found by their names.

    Raises:
        InputError: If the folder is not that of a Space, it has no result, or a data set cannot be found.
    """
    settings = _settings(folder)
    of_files = check_results(_results_of(_files_of(folder)), {}, _find_datasets(settings, datasets))
    checked = {f"{RESULTS}/{name}": problems for name, problems in of_files.items()}
    if not any(checked.values()):
        _write_page(read_results(folder / RESULTS), folder, settings["space"])
    return checked


def check_pull_request(space: str, number: int, datasets: Sequence[MergeDataset] = ()) -> Checked:
    """Check a pull request to a Space on the Hub: it may only add the files of results, and these must pass.

    Args:
        space: Hub id of the Space.
        number: Number of the pull request.
        datasets: As for `build_space`.

    Raises:
        InputError: If the Space or the pull request cannot be downloaded, or a data set cannot be found.
    """
    alternative = f"the folder of its repository without {param('pull_request')}"
    main, proposed = (
        fetch(space, repo_type="space", revision=revision, patterns=["*"], alternative=alternative)
        for revision in (None, f"refs/pr/{number}")
    )
    before, after = _files_of(main), _files_of(proposed)
    added = {path: content for path, content in after.items() if path not in before and RESULT_PATH.fullmatch(path)}
    problems: Checked = {
        path: [f"is changed: a pull request may only add results to {RESULTS}/, and must be up to date with main"]
        for path in sorted({*before, *after})
        if path not in added and before.get(path) != after.get(path)
    }
    known = {name: result for name, result in _results_of(before).items() if not isinstance(result, str)}
    of_files = check_results(_results_of(added), known, _find_datasets(_settings(main), datasets))
    if not added:
        problems[f"pull request {number}"] = ["adds no result"]
    return problems | {f"{RESULTS}/{name}": reasons for name, reasons in of_files.items()}


def _settings(folder: Path) -> dict[str, Any]:
    try:
        settings: dict[str, Any] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        listed = [(dataset["name"], dataset["revision"], dataset["digest"]) for dataset in settings["datasets"]]
        if not (isinstance(settings["space"], str) and listed):
            raise ValueError(SETTINGS)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder} is not a leaderboard Space: {SETTINGS} is missing or damaged; make one with "
            f"{param('init_space')}"
        ) from error
    return settings


def _find_datasets(settings: Mapping[str, Any], given: Sequence[MergeDataset]) -> list[MergeDataset]:
    """Return the data sets that a Space lists: those given, the others by name."""
    by_digest = {dataset.digest: dataset for dataset in given}
    opened = []
    for listed in settings["datasets"]:
        dataset = by_digest.get(listed["digest"]) or find_dataset(listed["name"], revision=listed["revision"])
        if dataset.digest != listed["digest"]:
            raise InputError(
                f"{listed['name']} has the digest {dataset.digest[:8]}, and the leaderboard is on "
                f"{listed['digest'][:8]}: name the folder of that data set with {param('dataset')}"
            )
        opened.append(dataset)
    return opened


def _files_of(folder: Path) -> dict[str, bytes]:
    """Return the content of the files of a repository by path, without those of Git."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith((".git/", ".cache/"))}


def _results_of(files: Mapping[str, bytes]) -> dict[str, Result | str]:
    """Return the results in files by name of the JSON file, or why it is none; a file of answers alone is none."""
    own = {path.removeprefix(f"{RESULTS}/"): content for path, content in files.items() if RESULT_PATH.fullmatch(path)}
    documents = [name for name in own if name.endswith(".json")]
    read: dict[str, Result | str] = {}
    for name in documents:
        try:
            read[name] = parse_result(own[name], own.get(answers_name(name)), name)
        except InputError as error:
            read[name] = str(error)
    alone = {name for name in own if not name.endswith(".json")} - {answers_name(name) for name in documents}
    return read | dict.fromkeys(sorted(alone), "is the file of the answers of no result: add NAME.json")


def _write_page(results: Sequence[Result], folder: Path, space: str) -> Path:
    about = (
        f"To submit a model, score it with merge-snli score on a data set of this leaderboard, and open a pull request "
        f"to {space} that adds the two files of the result to {RESULTS}/. {LIMITS}"
    )
    return write_leaderboard(results, folder, about=about)


def check_results(
    results: Mapping[str, Result | str], accepted: Mapping[str, Result], datasets: Sequence[MergeDataset]
) -> Checked:
    """Check submitted results.

    Args:
        results: Each submitted result by the name of its file, or why the file is none.
        accepted: The results that are on the leaderboard, by name.
        datasets: The data sets of the leaderboard.

    Returns:
        What is wrong with each result; empty if it passes.

    Raises:
        InputError: If a data set cannot be read.
    """
    known, checked = dict(accepted), dict[str, list[str]]()
    for name, result in results.items():
        if isinstance(result, str):
            checked[name] = [result]
            continue
        checked[name] = [*_wrong_kind(name, result), *_copies(result, known)] or _recomputed(result, datasets)
        known[name] = result
    return checked


def _wrong_kind(name: str, result: Result) -> list[str]:
    left_out, (group, row) = result.left_out, result.units
    unanswered = left_out.rows + left_out.undrawn
    return [
        *([] if name == file_name(result) else [f"is not named {file_name(result)}"]),
        *(["is on a part of a config: score the whole"] if result.dataset.partial is not None else []),
        *(
            ["has scores on the source, which its answers do not give: score without --source"]
            if result.source is not None
            else []
        ),
        *(
            [f"leaves out {left_out.groups} {group}s and {unanswered} {row}s: all need an answer"]
            if left_out.groups or unanswered
            else []
        ),
    ]


def _copies(result: Result, others: Mapping[str, Result]) -> list[str]:
    """Return a sentence for each other result that is of the same model or has the same answers on the same data."""
    copies = []
    for name, other in others.items():
        if other.dataset.key == result.dataset.key:
            if model_key(result) == model_key(other):
                copies.append(f"is of the same model as {name}")
            elif _answers(result) == _answers(other):
                copies.append(f"has the same answers as {name}")
    return copies


def _answers(result: Result) -> dict[str, str | None]:
    table = result.table
    return dict(zip(table["row_id"].to_pylist(), table["answer"].to_pylist(), strict=True))


def _recomputed(result: Result, datasets: Sequence[MergeDataset]) -> list[str]:
    try:
        data = find_whole(result.dataset, datasets, by=() if result.has_seeds else tuple(result.parts))
        if data is None:
            names = ", ".join(f"{dataset.name} ({dataset.digest[:8]})" for dataset in datasets)
            return [f"is on data with the digest {result.dataset.digest[:8]}: the leaderboard has {names}"]
        wrong = list(islice(differences(result, data), SHOWN + 1))
    except (InputError, ValueError) as error:
        return [str(error)]
    return wrong if len(wrong) <= SHOWN else [*wrong[:SHOWN], "and more"]
