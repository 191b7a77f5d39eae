"""Options by name and from files: presets, as data, and run files, the options of a run as TOML."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from generation.options import Options
from merge_snli.base.errors import InputError, nearest, param
from merge_snli.base.files import read_toml
from merge_snli.models.paper_models import BART, BERT, PAPER_MLMS, ROBERTA
from merge_snli.problems.options import TYPE_NAMES, converted, option_types

# The run file that a run writes next to its `run.json`.
RUN_TOML = "run.toml"

HEADER = "# The options of a run. To reproduce it: merge-snli generate --options run.toml --out DIR\n"


DEMO_FILTERS: Mapping[str, Any] = {"min_mlms": 2, "same_tag": True, "articles": True, "max_rank": 30}

# Variants of verbs rarely read well with small masked LMs, and no filter changes that.
STRICT: Mapping[str, Any] = {
    "classes": ("noun", "adj"),
    "same_tag": True,
    "articles": True,
    "max_rank": 20,
    "same_parse": True,
    "no_compounds": True,
    "supersense": True,
    "no_other_forms": True,
    "no_quantifiers": True,
    "pronouns": True,
}

# The amounts and the set operation of section 4 of the paper.
PAPER: Mapping[str, Any] = {"top_k": 200, "sides": "intersection", "inflation": 20, "subsamples": 10}

# Values of fields of `generation.Options` by the name of the preset; the other fields keep their defaults.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    # arXiv:2510.24295, section 4 and Table 5 without BART, and before BART was excluded.
    "paper": {**PAPER, "mlm": PAPER_MLMS},
    "paper-bart": {**PAPER, "mlm": (*PAPER_MLMS, *BART)},
    # The talk at the 5th NALOMA workshop, 5 August 2025: two masked LMs, premise or hypothesis.
    "slides": {**PAPER, "mlm": (BERT[0], ROBERTA[0]), "sides": "union"},
    # docs/filters.md: variants that read well, also from small masked LMs; and more seeds than with `strict`.
    "strict": STRICT,
    "balanced": {**STRICT, "max_rank": 50},
    # The masked LMs in this package, with filters that leave enough seeds of the bundled problems.
    "demo": {**DEMO_FILTERS, "mlm": ("demo:mlm-wordpiece", "demo:mlm-bpe"), "inflation": 10},
}


def preset_options(name: str) -> dict[str, Any]:
    """Return the options of a preset.

    Args:
        name: A key of `PRESETS`.
    """
    if name not in PRESETS:
        raise InputError(f"{param('preset')} is {name!r}: choose from {', '.join(PRESETS)}")
    return dict(PRESETS[name])


def write_run_file(options: Options) -> str:
    """Return the options of a run as TOML, without those that are None."""
    import tomli_w

    return HEADER + tomli_w.dumps({name: value for name, value in options.as_dict().items() if value is not None})


def read_run_file(path: Path) -> dict[str, Any]:
    """Read a run file.

    Args:
        path: A TOML file. Its keys are fields of `Options`, with `-` or `_` between words.

    Returns:
        The values by field. Their types are checked here, everything else by `Options`.
    """
    types, values = option_types(Options), dict[str, Any]()
    for key, value in read_toml(path, "options").items():
        name = key.replace("-", "_")
        if name not in types:
            similar = nearest(key, types) or f" (options: {', '.join(types)})"
            raise InputError(f"{param('options')} {path}: unknown option {key!r}{similar}")
        if name in values:
            raise InputError(f"{param('options')} {path}: duplicate option {key!r}, once with - and once with _")
        is_text_for_list = types[name] is tuple and isinstance(value, str)
        values[name] = None if is_text_for_list else converted(value, types[name])
        if values[name] is None:
            raise InputError(f"{param('options')} {path}: {key} is {value!r}, not {TYPE_NAMES[types[name]]}")
    return values
