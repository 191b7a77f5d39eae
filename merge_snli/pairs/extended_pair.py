"""Make Extended Pair (Luo et al. 2022, section 2.2.2): neutral pairs of sentences of NLI problems."""

import re
from collections.abc import Iterator, Sequence
from itertools import cycle, islice, product
from pathlib import Path
from random import Random

from spacy.lang.en.stop_words import STOP_WORDS

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.label_spellings import NEUTRAL
from merge_snli.dataset.record import SourceRecord, TermsRecord
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.tagger import find_tagger
from merge_snli.pairs.clauses import Clause, load_parser, parser_record
from merge_snli.pairs.extended_sentences import (
    EXTENDED_CONJUNCTION,
    TEMPLATES,
    ExtendedTemplates,
    Sentences,
    find_clauses,
    read_sources,
)
from merge_snli.pairs.lexicon import SHIPPED, read_entries
from merge_snli.pairs.options import CONJUNCTION_SHARE, ExtendedPairOptions, parse_source
from merge_snli.pairs.output import PairConfig, Row, check_folder, write_pairs
from merge_snli.pairs.pair_templates import capitalized
from merge_snli.problems.known_datasets import known_dataset

EXTENDED_SIMPLE = "extended_simple"
HYPOTHESES = 3
MAX_DRAWS = 1_000
WORD = re.compile(r"[^\W\d_]+")

COMMAND = "pairs extended"
SIMPLE_DESCRIPTION = "premises and hypotheses of the problems, paired at random"
CONJUNCTION_DESCRIPTION = (
    "premises of two sentences, whose subjects and predicates the hypothesis combines in another way"
)
SIMPLE_COLUMNS = {
    "premise_source": "problems that the premise is from",
    "hypothesis_source": "problems that the hypothesis is from",
}
CONJUNCTION_COLUMNS = {
    "source1": "problems that the first sentence is from",
    "source2": "problems that the second sentence is from",
    "s1": "subject of sentence 1",
    "p1": "predicate of sentence 1",
    "s2": "subject of sentence 2",
    "p2": "predicate of sentence 2",
}
NOTES = (
    "No pair is a pair of the problems. The two sentences of a random pair, and the two of a conjunction, share no "
    "word other than function words. Conjoined sentences are from one source.",
    "Subjects, predicates and negations were found by an automatic parser, which makes errors. The subjects of a "
    "conjunction agree in number; general ones, such as *a person*, are left out.",
    "A hypothesis such as *A man is outside* can be true of the premise's situation by chance.",
)


def make_extended_pair(out: str | Path, options: ExtendedPairOptions, *, overwrite: bool = False) -> MergeDataset:
    """Make Extended Pair in a folder.

    Args:
        out: The folder.
        options: The options.
        overwrite: Replace a data set in the folder that was made with other options.

    Raises:
        InputError: If the folder has other content, the problems cannot be read or are too few, or there is no parser.
    """
    folder = check_folder(out, COMMAND, options.as_dict(), overwrite=overwrite)
    templates = read_entries(SHIPPED / TEMPLATES, ExtendedTemplates)
    problems = read_sources(options.problems)
    parser = find_tagger()
    clauses = find_clauses(problems, templates, load_parser(parser), options.random_seed)
    simple = extended_simple_rows(problems, options)
    conjunction = extended_conjunction_rows(clauses, templates, options)
    configs = {
        EXTENDED_SIMPLE: PairConfig(SIMPLE_DESCRIPTION, list(simple), SIMPLE_COLUMNS),
        EXTENDED_CONJUNCTION: PairConfig(CONJUNCTION_DESCRIPTION, list(conjunction), CONJUNCTION_COLUMNS),
    }
    names = " and ".join(f"`{source.name}`" for source in problems)
    sources = [SourceRecord(source.name, source.digest) for source in problems]
    sources += [parser_record(parser), SourceRecord("templates", sha256_of_file(SHIPPED / TEMPLATES))]
    return write_pairs(
        folder,
        configs,
        command=COMMAND,
        options=options.as_dict(),
        sources=tuple(sources),
        title="Extended Pair",
        summary=(
            f"Neutral pairs of sentences of NLI problems ({names}), made as in Luo et al. (2022), section 2.2.2: "
            "paired at\nrandom, or two of them joined and their subjects and predicates combined in another way."
        ),
        notes=NOTES,
        terms=_terms(options),
    )


def _terms(options: ExtendedPairOptions) -> TermsRecord:
    """Return the license and attribution of the problems, as far as they are known."""
    licenses: set[str | None] = set()
    attributions: dict[str, None] = {}
    for name in options.problems:
        known = known_dataset(parse_source(name)[0])
        licenses.add(None if known is None else known.license)
        if known is not None:
            attributions[known.attribution] = None
    license_ = options.license
    if license_ is None and None not in licenses:
        license_ = "other" if len(licenses) > 1 else licenses.pop()
    return TermsRecord(license_, " ".join(attributions) or None)


def extended_simple_rows(sources: Sequence[Sentences], options: ExtendedPairOptions) -> Iterator[Row]:
    """Yield premises in turn from each source, each with three hypotheses drawn in turn from each source.

    A drawn pair is not a pair of a source, and its sentences share no word other than function words.

    Args:
        sources: The sentences.
        options: The number of premises, and the seed of the draws.
    """
    random = Random(f"{options.random_seed}:{EXTENDED_SIMPLE}")
    originals = frozenset[tuple[str, str]]().union(*(source.pairs for source in sources))
    drawn = [iter(random.sample(source.premises, len(source.premises))) for source in sources]
    used: set[str] = set()
    for number in range(options.premises):
        of = number % len(sources)
        premise = _draw_premise(sources[of], drawn[of], used, options.premises)
        group = f"{EXTENDED_SIMPLE}-{number:05}"
        hypotheses: list[str] = []
        for nth, source in enumerate(islice(cycle(sources), of, of + HYPOTHESES)):
            hypothesis = _draw_hypothesis(premise, source, originals, hypotheses, random)
            hypotheses.append(hypothesis)
            yield _row(
                f"{group}:{nth}",
                premise=premise,
                hypothesis=hypothesis,
                template="sentence",
                hypothesis_template="random_sentence",
                premise_source=sources[of].name,
                hypothesis_source=source.name,
            )


def _row(pair_id: str, **texts: str) -> Row:
    return {"pair_id": pair_id, "group_id": pair_id.rpartition(":")[0], "label": NEUTRAL, **texts}


def _draw_premise(source: Sentences, texts: Iterator[str], used: set[str], premises: int) -> str:
    for text in texts:
        if text not in used:
            used.add(text)
            return text
    raise InputError(
        f"⟦premises⟧ is {premises:,}, but {source.name} has only enough for {len(used):,}: pass a smaller number, "
        "or more problems"
    )


def _draw_hypothesis(
    premise: str, source: Sentences, originals: frozenset[tuple[str, str]], used: Sequence[str], random: Random
) -> str:
    words = _words(premise)
    for _ in range(MAX_DRAWS):
        text = random.choice(source.hypotheses)
        if text not in used and (premise, text) not in originals and words.isdisjoint(_words(text)):
            return text
    raise InputError(f"{source.name} has too few hypotheses without a word of {premise!r}: pass more problems")


def _words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, without function words and the plural's s."""
    return frozenset(word.removesuffix("s") for word in WORD.findall(text.lower()) if word not in STOP_WORDS)


def extended_conjunction_rows(
    clauses: Sequence[Clause], templates: ExtendedTemplates, options: ExtendedPairOptions
) -> Iterator[Row]:
    """Yield premises of two sentences, and hypotheses that combine the subject of one with the predicate of the other.

    The two sentences are from one source, so that most subjects go with most predicates. Their subjects agree in
    number, and they share no word other than function words.

    Args:
        clauses: The sentences.
        templates: The templates.
        options: The number of premises of random pairs, and the seed of the draws.
    """
    premises = 3 * options.premises // CONJUNCTION_SHARE  # per template
    pairs = [pair for pair in product(clauses, repeat=2) if _go_together(*pair)]
    if len(pairs) < premises:
        raise InputError(
            f"⟦premises⟧ is too large: {premises:,} conjunctions per template are needed, and the drawn "
            f"sentences give only {len(pairs):,}: pass a smaller number"
        )
    for name, template in templates.premises.items():
        drawn = Random(f"{options.random_seed}:{EXTENDED_CONJUNCTION}:{name}").sample(pairs, len(pairs))[:premises]
        for number, (first, second) in enumerate(drawn):
            group = f"{EXTENDED_CONJUNCTION}-{name}-{number:05}"
            slots = {"s1": first.subject, "p1": first.predicate, "s2": second.subject, "p2": second.predicate}
            words = {**slots, "not_p1": first.negated, "not_p2": second.negated}
            premise = capitalized(template.format_map(words))
            for hypothesis, text in templates.hypotheses.items():
                yield _row(
                    f"{group}:{hypothesis}",
                    premise=premise,
                    hypothesis=capitalized(text.format_map(words)),
                    template=name,
                    hypothesis_template=hypothesis,
                    source1=first.source,
                    source2=second.source,
                    **slots,
                )


def _go_together(first: Clause, second: Clause) -> bool:
    if first.source != second.source or first.is_plural != second.is_plural:
        return False
    return first.words.isdisjoint(second.words)
