"""Find everything that a reproduction lacks before it starts: packages, weights and a GPU."""

import logging
from importlib.util import find_spec

from merge_snli.base.errors import InputError, Message, param
from merge_snli.embedded import embedded_path
from merge_snli.models.finding import check_weights, find_device, find_model
from merge_snli.models.paper_models import paper_model
from merge_snli.reproduction.plan import CORPUS, SCORES, SETS, SHEETS, PaperRun

logger = logging.getLogger(__name__)


def check_requirements(run: PaperRun) -> None:
    """Download the models, and check that nothing is missing.

    Packages are checked before the downloads.

    Raises:
        InputError: If something is missing; one sentence for each, with the option or command that mends it.
    """
    missing = missing_packages(run)
    if missing:
        raise InputError("; ".join(missing))
    allow_pickle = run.model_options.allow_pickle
    for name in (*run.masked_lms, *scored_models(run)):
        try:
            check_weights(find_model(name, allow_pickle=allow_pickle, adapters=True), allow_pickle=allow_pickle)
        except InputError as error:
            missing.append(error.message.marked)
    if missing:
        raise InputError("; ".join(missing))
    if (
        not all(map(embedded_path, run.models))
        and run.executor is None
        and find_device(run.model_options.device) == "cpu"
    ):
        logger.warning(
            Message(
                f"no GPU was found: {param('dry_run', True)} estimates the time on this CPU; name a GPU with "
                f"{param('device', 'cuda:0')}, or use {param('cluster', 'FILE')}"
            )
        )


def scored_models(run: PaperRun) -> tuple[str, ...]:
    """Return the models that the exhibits need."""
    return run.models if run.needs(SCORES, SETS, CORPUS) else ()


def missing_packages(run: PaperRun) -> list[str]:
    """Return a sentence for each optional package that the run needs and that is not installed."""
    known = [known for name in scored_models(run) if (known := paper_model(name)) is not None]
    adapters = [model.paper_name for model in known if model.note is not None and "peft" in model.note]
    needed = {
        "peft": f"{', '.join(adapters)}, an adapter, needs: pip install 'merge-snli[adapters]'" if adapters else "",
        "openpyxl": "the sheets for annotators need: pip install 'merge-snli[annotate]'" if run.needs(SHEETS) else "",
        "matplotlib": "the figures need: pip install matplotlib" if run.masked_lms else "",
    }
    return [
        f"{package} is not installed, and {why}"
        for package, why in needed.items()
        if why and find_spec(package) is None
    ]
