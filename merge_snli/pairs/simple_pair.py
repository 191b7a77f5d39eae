"""Make Simple Pair (Luo et al. 2022, section 2.2.1, Figure 1 and appendix table 5) from templates and words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from random import Random

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import NEUTRAL
from merge_snli.dataset.record import SourceRecord, TermsRecord
from merge_snli.dataset.stored import MergeDataset
from merge_snli.pairs.lexicon import MIN_WORDS, SHIPPED, Lexicon, read_lexicon
from merge_snli.pairs.options import RELEVANCE_SHARE, SimplePairOptions
from merge_snli.pairs.output import PairConfig, Row, check_folder, write_pairs
from merge_snli.pairs.pair_templates import (
    CONJUNCTION,
    KINDS,
    SIMPLE,
    PairTemplate,
    Words,
    category_of,
    draw_words,
    fill,
    read_templates,
)
from merge_snli.schema import TEST

COMMAND = "pairs simple"
SUMMARY = (
    "Pairs of simple sentences for natural language inference (NLI), made from templates and word lists as in Luo "
    "et al.\n(2022), section 2.2.1. The hypothesis changes a word of the premise, or combines its words in another "
    "way, so the label\nof every test pair is neutral. Config `augmentation` has pairs of all labels to train on."
)
NOTES = (
    "The words are this project's own, in the numbers of the paper. The data set is not a copy of the paper's.",
    "Words that make each other more or less likely never meet in a pair, such as *ripe* and *soft*.",
    "A pair is neutral if the sentences are read as statements without further context. A reader who takes them to "
    "describe one event may call some a contradiction, as the paper's annotators did in 2 to 6 of 100 pairs "
    "(appendix table 2).",
    "No premise of config `augmentation` is a premise of another config.",
)

RELEVANCE, AUGMENTATION = "relevance", "augmentation"
# The configs in their order.
DESCRIPTIONS = {
    SIMPLE: "one sentence each: N is A, and subject, verb, object",
    RELEVANCE: "a quarter of `simple`, with its hypotheses joined with the premise or with another sentence",
    CONJUNCTION: "premises of two clauses, whose words the hypothesis combines in another way",
    AUGMENTATION: "entailment, neutral and contradiction for each premise, to train on",
}

SLOTS = {"n": "noun", "a": "adjective", "s": "subject", "v": "verb in the past", "o": "object"}
GENERAL_COLUMNS = {
    "family": "n_is_a or svo",
    "category": "category of the nouns; for svo, those of the first subject and object",
}
RELEVANCE_COLUMNS = {
    "relevance": "relevant: joined with the premise; irrelevant: joined with another sentence",
    "order": "added first, or hypothesis first",
    "joined_by": "and, or full stop",
}

# Premises per template in config `augmentation`, for every `--premises`.
AUGMENTATION_PREMISES = 200

# Draws in a row that may give no new premise before the words count as used up.
MAX_DRAWS = 1_000


def make_simple_pair(
    out: str | Path, options: SimplePairOptions | None = None, *, overwrite: bool = False
) -> MergeDataset:
    """Make Simple Pair in a folder.

    Args:
        out: The folder. `load_dataset("simple_pair", CONFIG)` needs it to be named `simple_pair`.
        options: The options.
        overwrite: Replace a data set in the folder that was made with other options.

    Raises:
        InputError: If the folder has other content, words or templates are invalid, or there are too few words.
    """
    options = options or SimplePairOptions()
    folder = check_folder(out, COMMAND, options.as_dict(), overwrite=overwrite)
    configs, sources = simple_pair_configs(options)
    return write_pairs(
        folder,
        configs,
        command=COMMAND,
        options=options.as_dict(),
        sources=sources,
        title="Simple Pair",
        summary=SUMMARY,
        notes=NOTES,
        terms=TermsRecord("apache-2.0", "Words and templates were written for the MERGE software."),
    )


def simple_pair_configs(options: SimplePairOptions) -> tuple[dict[str, PairConfig], tuple[SourceRecord, ...]]:
    """Return the rows of every config, and what they were made from; raises as `make_simple_pair`."""
    folder = Path(options.lexicon or SHIPPED)
    templates, digest = read_templates(folder)
    lexicon = tested = trained = read_lexicon(folder)
    if options.held_out_nouns:
        tested, trained = _halves(lexicon, options.random_seed)
    rows = simple_pair_rows(templates, tested, trained, premises=options.premises, random_seed=options.random_seed)
    sources = (SourceRecord("lexicon", lexicon.digest), SourceRecord("templates", digest))
    return {name: _config(name, rows[name]) for name in DESCRIPTIONS}, sources


def _halves(lexicon: Lexicon, seed: int) -> tuple[Lexicon, Lexicon]:
    """Split the nouns of each category at random."""
    first, second = {}, {}
    for name, category in lexicon.categories.items():
        half = len(category.nouns) // 2
        if half < MIN_WORDS:
            raise InputError(
                f"⟦held_out_nouns⟧: category {name} has {len(category.nouns)} nouns, needs {2 * MIN_WORDS}"
            )
        nouns = Random(f"{seed}:nouns:{name}").sample(category.nouns, len(category.nouns))
        first[name] = category.model_copy(update={"nouns": tuple(nouns[:half])})
        second[name] = category.model_copy(update={"nouns": tuple(nouns[half:])})
    return replace(lexicon, categories=first), replace(lexicon, categories=second)


def _config(name: str, rows: Sequence[Row]) -> PairConfig:
    """Return the rows of a config with its columns: a slot has one if a row of the config fills it."""
    columns = dict(GENERAL_COLUMNS)
    if name == RELEVANCE:
        columns |= RELEVANCE_COLUMNS
    filled = set(chain.from_iterable(rows))
    for kinds in KINDS.values():
        for number, kind in product("123", kinds):
            slot = f"{kind}{number}"
            if slot in filled:
                columns[slot] = f"{SLOTS[kind]} {number}, or empty"
    split = "train" if name == AUGMENTATION else TEST
    return PairConfig(DESCRIPTIONS[name], rows, columns, split)


def simple_pair_rows(
    templates: Mapping[str, PairTemplate], tested: Lexicon, trained: Lexicon, *, premises: int, random_seed: int
) -> dict[str, list[Row]]:
    """Return the rows of every config; labels are names.

    Args:
        templates: The templates by name.
        tested: The words of the test configs.
        trained: The words of config `augmentation`.
        premises: Premises per family in config `simple` and per template in config `conjunction`.
        random_seed: Seed of all draws.
    """
    used: set[str] = set()
    found: dict[str, list[Row]] = {name: [] for name in DESCRIPTIONS}
    for name, template in templates.items():
        drawn = _draw_premises(AUGMENTATION, name, template, AUGMENTATION_PREMISES, trained, random_seed, used)
        for shared, words in drawn:
            random = Random(f"{random_seed}:{shared['group_id']}")
            for label, hypotheses in template.hypotheses.items():
                hypothesis = random.choice(list(hypotheses))
                text = fill(hypotheses[hypothesis], words, trained)
                found[AUGMENTATION].append(_row(shared, hypothesis, label, text))
    for name, template in templates.items():
        drawn = _draw_premises(template.config, name, template, premises, tested, random_seed, used)
        for number, (shared, words) in enumerate(drawn):
            for hypothesis, text in template.neutral.items():
                filled = fill(text, words, tested)
                found[template.config].append(_row(shared, hypothesis, NEUTRAL, filled))
            if template.config == SIMPLE and number < premises // RELEVANCE_SHARE:
                shared["group_id"] = f"{RELEVANCE}-{name}-{number:05}"
                found[RELEVANCE] += _relevance_rows(template, shared, words, tested, random_seed)
    return found


def _draw_premises(
    config: str, name: str, template: PairTemplate, count: int, lexicon: Lexicon, seed: int, used: set[str]
) -> Iterator[tuple[Row, Words]]:
    """Yield what the rows of a premise share, and the words of its slots; add the premises to `used`."""
    random = Random(f"{seed}:{config}:{name}")
    for number in range(count):
        for _ in range(MAX_DRAWS):
            words = draw_words(template.sentences, template.family, lexicon, random)
            if words is None:
                continue
            premise = fill(template.premise, words, lexicon)
            if premise not in used:
                break
        else:
            raise InputError(
                f"⟦premises⟧ is too large for the words: config {config} has only {number} different premises "
                f"of template {name}; pass a smaller number or a larger ⟦lexicon⟧"
            )
        used.add(premise)
        shared = {"group_id": f"{config}-{name}-{number:05}", "premise": premise, "template": name}
        yield shared | {"family": template.family, "category": category_of(words, lexicon)} | words, words


def _row(shared: Row, name: str, label: str, hypothesis: str) -> Row:
    pair_id = f"{shared['group_id']}:{name}"
    return {**shared, "pair_id": pair_id, "hypothesis": hypothesis, "label": label, "hypothesis_template": name}


def _relevance_rows(template: PairTemplate, shared: Row, words: Words, lexicon: Lexicon, seed: int) -> Iterator[Row]:
    """Yield each hypothesis joined with the premise (relevant) and with another sentence, in random order."""
    random = Random(f"{seed}:{shared['group_id']}")
    irrelevant = str(template.irrelevant)
    for _ in range(MAX_DRAWS):
        drawn = draw_words((irrelevant,), template.family, lexicon, random, words)
        if drawn is not None:
            break
    else:
        raise InputError(
            f"no words of the lexicon fit the irrelevant sentence of {shared['premise']!r}: pass a larger ⟦lexicon⟧"
        )
    for relevance, added in (("relevant", template.premise), ("irrelevant", irrelevant)):
        for name, hypothesis in template.neutral.items():
            order = "hypothesis first"
            first, second = hypothesis, added
            if random.random() < 0.5:
                order = "added first"
                first, second = added, hypothesis
            joined_by = "full stop"
            text = f"{first} {second}"
            if random.random() < 0.5:
                joined_by = "and"
                text = f"{first.removesuffix('.')} and {second}"
            row = _row(shared | drawn, f"{name}:{relevance}", NEUTRAL, fill(text, drawn, lexicon))
            row["hypothesis_template"] = name
            yield row | {"relevance": relevance, "order": order, "joined_by": joined_by}
