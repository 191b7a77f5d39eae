"""The files that are written for a publication: record and card without paths of this machine, and `eval.yaml`."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from generation.options import RUN_TOML, Options, write_run_file
from merge_snli.base.errors import InputError, param
from merge_snli.base.files import JsonObject
from merge_snli.base.hub_ids import LICENSE_ID, check_license
from merge_snli.card import license_of
from merge_snli.card.dataset_folder import card_and_record
from merge_snli.dataset.record import PublishedRecord, Record
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.texts import NLI_TEXTS
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.prompts import DEFAULT_PROMPT, TASK_PROMPT, read_prompt
from merge_snli.problems.inputs import public_name
from merge_snli.results.eval_results import eval_tasks
from merge_snli.schema import SEED, TEST

# Options that may be paths, or lists of them.
PATHS = ("problems", "seeds_from", "lexicon")


DESCRIPTION = (
    "Natural language inference problems in which a word shared by premise and hypothesis is replaced in both. "
    "Pattern accuracy is the share of seed problems with at least 90% of their variants classified correctly, "
    "averaged over the subsamples. Sample accuracy is the share of variants classified correctly. "
    "The tasks here report sample accuracy over all variants, not its mean over the subsamples. For pattern accuracy, "
    "install the package and inspect-ai, and run: inspect eval merge_snli/nli -T dataset={repo} -T config={config}"
)

# Columns that the prompt or a reader of a log needs.
METADATA = ("premise", "hypothesis", "seed_id", "variant_id", "word_class", "original", "replacement")


def published_record(
    dataset: MergeDataset, *, repo: str, metric: str | None, license_id: str | None
) -> dict[str, bytes]:
    """Return the card and the record to publish. The folder is not changed.

    Args:
        dataset: The data set.
        repo: Its id on the Hub, for the card's examples.
        metric: The id of the metric's Space, or None.
        license_id: The license of the problems, if the record has none.

    Returns:
        Contents by path: the card, `run.json`, and `run.toml` if the folder has one.
    """
    record = _with_license(dataset.record, dataset.name, license_id)
    record = replace(record, options=record.options | _public_options(record), published=PublishedRecord(repo, metric))
    files = card_and_record(record, dataset.folder)
    if (dataset.folder / RUN_TOML).is_file():
        return files | {RUN_TOML: write_run_file(Options(**record.options)).encode()}
    return files


def _with_license(record: Record, name: str, license_id: str | None) -> Record:
    """Return the record with the license of its problems."""
    known = license_of(record)
    chosen = known if license_id is None else license_id.lower()
    if chosen is None:
        raise InputError(
            f"the license of the problems of {name} is unknown, and it applies to their variants: look it up and pass "
            f"it with ⟦license⟧ ID, such as {param('license', 'cc-by-4.0')}"
        )
    check_license(chosen)
    if license_id is None or known == chosen:
        return record
    if known is not None and LICENSE_ID.fullmatch(known):
        raise InputError(f"⟦license⟧ {license_id} contradicts the license of the problems, {known}: leave it out")
    return replace(record, options=record.options | {"license": chosen}, terms=replace(record.terms, license=chosen))


def _public_options(record: Record) -> JsonObject:
    """Return the options that may be paths, reduced to the last name of the path."""
    options = record.options
    public = {name: _public(options[name]) for name in PATHS if options.get(name)}
    if record.generation is None:
        return public
    tagger = options["tagger"]
    mlms = zip(options["mlm"], record.generation.masked_lms, strict=True)
    return {
        **public,
        # Only masked LMs from the Hub have a revision; the id of a tagger never has a slash.
        "mlm": [given if mlm.revision else mlm.name for given, mlm in mlms],
        "tagger": None if tagger is None else Path(tagger).name,
    }


def _public(names: str | list[str]) -> Any:  # noqa: ANN401 - a name, or a list if a list is given
    if isinstance(names, list):
        return [_public(name) for name in names]
    return Path(names).resolve().name if Path(names).exists() else public_name(names)


def eval_yaml(dataset: MergeDataset, repo: str) -> bytes:
    """Return the content of `eval.yaml`: one task per config of variants.

    Args:
        dataset: The data set.
        repo: Its id on the Hub.
    """
    configs = [config for config in dataset.configs if config != SEED]
    tasks = []
    for task, config in eval_tasks(configs).items():
        tasks.append({"id": task, "config": config, "split": TEST, **_inspect_fields(dataset.record)})
    content = {
        "name": "MERGE",
        "description": DESCRIPTION.format(repo=repo, config=configs[0]),
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120).encode()


def _inspect_fields(record: Record) -> JsonObject:
    """Return how Inspect asks and scores a task: only its own solvers and scorers can be named here.

    The label is a number in the data, so the prompt asks for the number.
    """
    names = record.label_names
    prompt = read_prompt(DEFAULT_PROMPT if record.texts == NLI_TEXTS else TASK_PROMPT)
    numbered = replace(prompt, words={name: f"{number} ({name})" for number, name in enumerate(names)})
    filled = FilledPrompt(numbered, names, texts=record.texts)
    template = f"{filled.system} Give only the number.\n\n{filled.question('{premise}', '{hypothesis}')}"
    digits = "".join(map(str, range(len(names))))
    return {
        "field_spec": {"input": "premise", "target": "label", "metadata": list(METADATA)},
        "solvers": [{"name": "prompt_template", "args": {"template": template}}, {"name": "generate"}],
        "scorers": [{"name": "pattern", "args": {"pattern": rf"(?:^|\D)([{digits}])\D*$"}}],
    }
