"""Options of a generation run, with the same names everywhere; presets, and run files with options as TOML."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from generation.filters.definitions import METHOD_OPTIONS, FilterOptions, applied_filters
from generation.filters.filter import ENGLISH_ONLY, FILTERS_GROUP
from merge_snli.base.errors import InputError, nearest, param
from merge_snli.base.files import JsonObject, read_toml
from merge_snli.base.hub_ids import check_license
from merge_snli.base.option import TYPE_NAMES, converted, described, option_field, option_types, require_unique
from merge_snli.embedded import PREFIX
from merge_snli.languages.language import is_english, language_of
from merge_snli.models.paper_models import BART, BERT, PAPER_MLMS, ROBERTA
from merge_snli.problems.options import ProblemOptions
from merge_snli.schema import DEFAULT_CLASSES, GOOD, WORD_CLASSES

# The filters of the paper's method that `--filters` selects.
FILTER_NAMES = tuple(METHOD_OPTIONS)
_METHOD_FILTERS = ", ".join(f"{name} ({option.help})" for name, option in METHOD_OPTIONS.items())

# The value of `--filters` that disables all of them.
NO_FILTER = "none"

INTERSECTION, UNION = "intersection", "union"

# Headings of options in `--help`.
MASKED_LMS, DATA_SET = "masked LMs", "data set"

# The run file that a run writes next to its `run.json`.
RUN_TOML = "run.toml"

HEADER = "# The options of a run. To reproduce it: merge-snli generate --options run.toml --out DIR\n"

DEMO_FILTERS: Mapping[str, Any] = {"min_mlms": 2, "same_tag": True, "articles": True, "max_rank": 30}

# The options of the bundled data set that the preset `demo` sets otherwise: verbs show all word classes.
BUNDLED_OPTIONS: dict[str, Any] = {"classes": DEFAULT_CLASSES, "capitals": False}

# Variants of verbs rarely read well with small masked LMs, and no filter changes that.
READABLE: Mapping[str, Any] = {
    "classes": ("noun", "adj"),
    "same_tag": True,
    "articles": True,
    "same_parse": True,
    "no_compounds": True,
    "supersense": True,
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
    "strict": {**READABLE, "veto": 20, "capitals": True},
    "balanced": {**READABLE, "max_rank": 50},
    # The masked LMs in this package, with filters that leave enough seeds of the bundled problems.
    "demo": {
        **DEMO_FILTERS,
        "mlm": ("demo:mlm-wordpiece", "demo:mlm-bpe"),
        "classes": READABLE["classes"],
        "capitals": True,
        "inflation": 10,
    },
}


# The field of an option that every record has.
_option = partial(option_field, always_recorded=True)


@dataclass(frozen=True, kw_only=True)
class _MethodOptions(ProblemOptions):
    """The options that precede those of the filters in a record."""

    mlm: tuple[str, ...] = _option(
        MISSING,
        "masked LMs: Hub ids, folders or demo:NAME; replaces those of a preset or options file",
        group=MASKED_LMS,
        metavar="MODEL",
        departure="**Bundled masked LMs**: they have two to four layers and were trained on about twenty thousand "
        "sentences, so variants can read badly. This data set shows how the method works; it is not a benchmark.",
        departs=lambda names: any(name.startswith(PREFIX) for name in names),
        changes_rows=False,
    )
    classes: tuple[str, ...] = _option(
        DEFAULT_CLASSES,
        f"word classes to replace: {', '.join(WORD_CLASSES)}",
        group=DATA_SET,
        metavar="CLASS",
        choices=WORD_CLASSES,
        departure="**Other word classes** than the paper's nouns, verbs and adjectives were replaced.",
    )
    top_k: int = _option(
        200,
        "fillers per form and masked LM",
        group=MASKED_LMS,
        metavar="N",
        minimum=1,
        maximum=10_000,  # fillers take disk space per form
        is_amount=True,
        departure="**Another number of suggestions per form** than the paper's 200.",
    )
    inflation: int = _option(
        20,
        "degree of inflation d: minimum number of variants per seed and class, and size of a subsample",
        group=DATA_SET,
        metavar="N",
        minimum=1,
        is_amount=True,
        departure="**Another degree of inflation** than the paper's 20: pattern accuracies cannot be compared with the "
        "paper's.",
    )
    subsamples: int = _option(
        10,
        "number of subsamples: random draws of variants",
        group=DATA_SET,
        metavar="N",
        minimum=1,
        maximum=1_000,  # each subsample is a split with a file per config
        is_amount=True,
        departure="**Another number of random draws** than the paper's 10.",
    )
    random_seed: int = _option(
        0,
        "seed of the subsamples, of the scrambling and of --sample",
        group=DATA_SET,
        metavar="N",
        neutral="the paper's subsamples are random; no seed is better than another",
    )
    device: str | None = _option(
        None,
        "torch device, such as cpu or cuda:0",
        group=MASKED_LMS,
        metavar="NAME",
        shown_default="GPU if available",
        neutral="says where the masked LMs run",
        changes_rows=False,
    )
    sides: str = _option(
        INTERSECTION,
        "replacements validated in both sentences, or in at least one",
        group=FILTERS_GROUP,
        choices=(INTERSECTION, UNION),
        departure="**Union of premise and hypothesis**: a replacement needs to be validated in only one of the two "
        "sentences, so it may not fit the other.",
    )
    filters: tuple[str, ...] = _option(
        FILTER_NAMES,
        f"{_METHOD_FILTERS}, both, or {NO_FILTER}",
        group=FILTERS_GROUP,
        metavar="FILTER",
        neutral="each filter that is not applied has a sentence of its own",
    )
    scramble: bool = _option(
        False,
        "shuffle the letters of each replacement",
        group=FILTERS_GROUP,
        departure="**Scrambled**: the letters of every replacement are shuffled, so most are not words. This data set "
        "shows how much a score depends on real words. It is not a test of inference.",
    )
    seeds_from: str | None = _option(
        None,
        "use exactly the seeds of another MERGE data set",
        group=DATA_SET,
        metavar="DIR",
        departure="**Seeds of another data set**: only the seeds and word classes of that data set have variants here.",
        changes_rows=False,
    )
    mask: str = _option(
        "one",
        "mask one occurrence at a time, or all at once",
        group=MASKED_LMS,
        choices=("one", "all"),
        departure="**All occurrences masked at once**: if a word occurs twice in a sentence, the masked LMs saw "
        "neither.",
    )
    split_words: bool = _option(
        False,
        "also replace words that a tokenizer splits into several tokens",
        group=MASKED_LMS,
        departure="**Split words included**: words that a masked LM's tokenizer splits into pieces were replaced as "
        "well.",
    )


@dataclass(frozen=True, kw_only=True)
class Options(FilterOptions, _MethodOptions):
    """Options of a generation run, in addition to those of `ProblemOptions`.

    Each field describes itself, see `base.option`; docs/generate.md lists them all. The options of the filters
    are defined with them, in `generation/filters/definitions.py`.
    """

    ignore_case: bool = _option(
        False,
        "ignore case when matching shared words",
        group=FILTERS_GROUP,
        departure="**Case ignored**: premise and hypothesis may share a word in different case.",
    )
    dtype: str = _option(
        "float32",
        "dtype of the masked LMs",
        group=MASKED_LMS,
        choices=("float32", "bfloat16"),
        departure="**bfloat16**: the masked LMs ran with lower precision, which changes some suggestions.",
    )
    title: str | None = _option(
        None,
        "title of the data set",
        group=DATA_SET,
        metavar="TEXT",
        shown_default='from the problems, as "MERGE on SNLI (test)"',
        neutral="names the data set",
        changes_rows=False,
    )
    license: str | None = _option(
        None,
        "license of the problems for the card, if the data set is not a known one",
        group=DATA_SET,
        metavar="ID",
        neutral="names the license",
        changes_rows=False,
    )
    judgments: tuple[str, ...] = option_field(
        (),
        "keep variants only that judgments call good: logs of Inspect's task merge_snli/judge, or tables (CSV or "
        "Parquet) with variant_id, annotator, F and R",
        group=FILTERS_GROUP,
        metavar="FILE",
        departure="**Judged variants**: variants were judged for fluency and reasoning (appendix A.2) before the "
        "subsamples were drawn, and those not judged good were dropped. Config `annotation` has the judgments.",
        changes_rows=False,
    )
    min_judged: float = option_field(
        float(GOOD),
        "with --judgments: smallest sum of mean F and mean R of a good variant",
        shown_default="9, as in the paper",
        group=FILTERS_GROUP,
        metavar="X",
        minimum=2,
        maximum=10,
        departure="**Another limit of the judgments** than F + R of 9, from which the paper calls a variant good.",
    )

    @property
    def sampling_seed(self) -> int:
        """The random seed of `sample`."""
        return self.random_seed

    def __post_init__(self) -> None:
        """Set the defaults and check the values."""
        super().__post_init__()
        self._set("filters", _read_filters(self.filters))
        check_license(self.license)
        require_unique("judgments", self.judgments)
        for option, values in (("classes", self.classes), ("mlm", self.mlm)):
            if not values:
                raise InputError(f"⟦{option}⟧ is empty: give at least one value")
            require_unique(option, values)
        if self.title is not None and not (self.title.strip() and self.title.isprintable()):
            raise InputError(f"⟦title⟧ is {self.title!r}: give one line of text")
        if self.min_mlms > len(self.mlm):
            raise InputError(f"⟦min_mlms⟧ is {self.min_mlms}, but ⟦mlm⟧ has only {len(self.mlm)}: choose at most that")
        if self.veto is not None and self.veto > self.top_k:
            raise InputError(
                f"⟦veto⟧ is {self.veto}, but the masked LMs give only {self.top_k} fillers: choose at most "
                "that, or a larger ⟦top_k⟧"
            )
        if self.dissents and self.veto is None:
            raise InputError(f"⟦dissents⟧ is {self.dissents}, but nothing is vetoed: set ⟦veto⟧")
        if self.dissents >= len(self.mlm):
            raise InputError(f"⟦dissents⟧ is {self.dissents}, but ⟦mlm⟧ has only {len(self.mlm)}: choose fewer")


def with_absolute_paths(options: Options) -> Options:
    """Return the options with the paths of existing files and folders made absolute, to record them."""
    # Without a slash, the name of an installed tagger comes before that of a folder.
    has_folder = options.tagger is not None and "/" in options.tagger
    return replace(
        options,
        problems=options.problems.absolute(),
        mlm=tuple(map(_absolute, options.mlm)),
        judgments=tuple(map(_absolute, options.judgments)),
        seeds_from=None if options.seeds_from is None else _absolute(options.seeds_from),
        tagger=_absolute(str(options.tagger)) if has_folder else options.tagger,
    )


def _absolute(name: str) -> str:
    """Return the absolute path of a file or folder; any other name as it is."""
    is_local = not name.startswith(PREFIX) and Path(name).exists()
    return str(Path(name).absolute()) if is_local else name


def with_defaults(recorded: JsonObject) -> JsonObject:
    """Return the options in a run's record, with defaults for the options that the run's version did not have."""
    defaults = {name: option.default for name, option in described(Options) if option.default is not MISSING}
    values = {**defaults, **recorded}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def options_of_run(recorded: JsonObject) -> Options:
    """Return the options of a finished run from those in its record."""
    return Options(**with_defaults(recorded))


def departures(recorded: JsonObject) -> tuple[str, ...]:
    """Return a sentence for each difference from the paper's method, those about the amount of data last.

    Args:
        recorded: The options as recorded by a run.
    """
    values = with_defaults(recorded)
    given = [(option, values[name]) for name, option in described(Options)]
    given += [(option, name in values["filters"]) for name, option in METHOD_OPTIONS.items()]
    departing = [option for option, value in given if option.is_departure(value)]
    amounts = [option for option in reversed(departing) if option.is_amount]
    others = [option for option in departing if not option.is_amount]
    return tuple(str(option.departure) for option in (*others, *amounts))


def _read_filters(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the filters, given as names or as one text, in the order of `FILTER_NAMES`."""
    names: list[str] = []
    for value in values:
        names += map(str.strip, value.split(","))
    if names == [NO_FILTER]:
        return ()
    for name in names:
        if name not in FILTER_NAMES:
            raise InputError(
                f"⟦filters⟧ has {name!r}: choose {','.join(FILTER_NAMES)}, {', '.join(FILTER_NAMES)} or {NO_FILTER}"
            )
    return tuple(name for name in FILTER_NAMES if name in names)


def preset_options(name: str) -> dict[str, Any]:
    """Return the options of a preset.

    Args:
        name: A key of `PRESETS`.
    """
    if name not in PRESETS:
        raise InputError(f"⟦preset⟧ is {name!r}: choose from {', '.join(PRESETS)}")
    return dict(PRESETS[name])


def check_language(options: Options) -> None:
    """Check that the filters of a run are for its language.

    Args:
        options: The options of the run, with their language.
    """
    if is_english(options.language):
        return
    english = [filter_.name for filter_, _ in applied_filters(options) if filter_.languages == ENGLISH_ONLY]
    if not english:
        return
    language = language_of(options.language).name
    raise InputError(
        f"the problems are in {language}, and these options are for English only: {', '.join(map(param, english))}; "
        "leave them out, and any ⟦preset⟧ that sets them, such as strict"
    )


def write_run_file(options: Options) -> str:
    """Return the options of a run as TOML, without those that are None."""
    import tomli_w

    given = {name: value for name, value in options.as_dict().items() if value is not None}
    return HEADER + tomli_w.dumps(given)


def read_run_file(path: Path) -> dict[str, Any]:
    """Read a run file.

    Args:
        path: A TOML file. Its keys are fields of `Options`, with `-` or `_` between words.

    Returns:
        The values by field. Their types are checked here, everything else by `Options`.
    """
    types = option_types(Options)
    values: dict[str, Any] = {}
    for key, value in read_toml(path, "options").items():
        name = key.replace("-", "_")
        if name not in types:
            similar = nearest(key, types) or f" (options: {', '.join(types)})"
            raise InputError(f"⟦options⟧ {path}: unknown option {key!r}{similar}")
        if name in values:
            raise InputError(f"⟦options⟧ {path}: duplicate option {key!r}, once with - and once with _")
        values[name] = converted(value, types[name])
        if values[name] is None:
            raise InputError(f"⟦options⟧ {path}: {key} is {value!r}, not {TYPE_NAMES[types[name]]}")
    return values
