"""Make Extended Pair: neutral pairs of sentences of NLI problems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from merge_snli.base.files import sha256_of_file
from merge_snli.base.hub_ids import check_license
from merge_snli.dataset.record import SourceRecord, TermsRecord
from merge_snli.models.tagger import find_tagger
from merge_snli.pairs.clauses import load_parser, parser_record
from merge_snli.pairs.extended_rows import EXTENDED_SIMPLE, extended_conjunction_rows, extended_simple_rows
from merge_snli.pairs.extended_sentences import (
    EXTENDED_CONJUNCTION,
    TEMPLATES,
    ExtendedTemplates,
    absolute_name,
    find_clauses,
    read_sources,
    split_slice,
)
from merge_snli.pairs.lexicon import SHIPPED, read_entries
from merge_snli.pairs.output import PairConfig, check_folder, write_pairs
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.options import require_at_least
from merge_snli.schema import DataColumn

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.dataset.stored import MergeDataset

COMMAND = "pairs extended"
MIN_PREMISES = 16
SIMPLE_COLUMNS = (
    DataColumn("premise_source", "string", "problems that the premise is from"),
    DataColumn("hypothesis_source", "string", "problems that the hypothesis is from"),
)
CONJUNCTION_COLUMNS = (
    DataColumn("source1", "string", "problems that the first sentence is from"),
    DataColumn("source2", "string", "problems that the second sentence is from"),
    *(
        DataColumn(f"{slot}{number}", "string", f"{name} of sentence {number}")
        for number in (1, 2)
        for slot, name in (("s", "subject"), ("p", "predicate"))
    ),
)
NOTES = (
    "No pair is a pair of the problems. The two sentences of a random pair, and the two of a conjunction, share no "
    "word other than function words. Conjoined sentences are from one source.",
    "Subjects, predicates and negations were found by an automatic parser, which makes errors. The subjects of a "
    "conjunction agree in number; general ones, such as *a person*, are left out.",
    "A hypothesis such as *A man is outside* can be true of the premise's situation by chance.",
)


@dataclass(frozen=True, kw_only=True)
class ExtendedPairOptions:
    """Options of Extended Pair.

    Attributes:
        problems: Files, folders or Hub ids of NLI problems, which give the same number of sentences each.
            `NAME[-1500:]` takes the last 1,500 problems.
        premises: Premises in config `extended_simple`; config `extended_conjunction` has 3/16 of it per template.
        random_seed: Seed of all draws.
        license: License of the problems as an id of the Hub; None for that of known data sets.
    """

    problems: tuple[str, ...]
    premises: int = 2_000
    random_seed: int = 0
    license: str | None = None

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InputError: If `premises` is below 16, the seed is negative, or the license is not an id of the Hub.
        """
        require_at_least("premises", self.premises, MIN_PREMISES)
        require_at_least("random_seed", self.random_seed, 0)
        check_license(self.license)

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON values, with absolute paths."""
        return asdict(self) | {"problems": [absolute_name(name) for name in self.problems]}


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
    simple = extended_simple_rows(problems, options.premises, options.random_seed)
    per_template = 3 * options.premises // MIN_PREMISES
    conjunction = extended_conjunction_rows(clauses, templates, per_template, options.random_seed)
    configs = {
        EXTENDED_SIMPLE: PairConfig(
            "premises and hypotheses of the problems, paired at random", list(simple), SIMPLE_COLUMNS
        ),
        EXTENDED_CONJUNCTION: PairConfig(
            "premises of two sentences, whose subjects and predicates the hypothesis combines in another way",
            list(conjunction),
            CONJUNCTION_COLUMNS,
        ),
    }
    names = " and ".join(f"`{source.name}`" for source in problems)
    return write_pairs(
        folder,
        configs,
        command=COMMAND,
        options=options.as_dict(),
        sources=[
            *(SourceRecord(source.name, source.digest) for source in problems),
            parser_record(parser),
            SourceRecord("templates", sha256_of_file(SHIPPED / TEMPLATES)),
        ],
        title="Extended Pair",
        load_name="extended_pair",
        summary=(
            f"Neutral pairs of sentences of NLI problems ({names}), made as in Luo et al. (2022), section 2.2.2: "
            "paired at\nrandom, or two of them joined and their subjects and predicates combined in another way."
        ),
        notes=NOTES,
        terms=_terms(options),
    )


def _terms(options: ExtendedPairOptions) -> TermsRecord:
    """Return the license and attribution of the problems, as far as they are known."""
    known = [known_dataset(split_slice(each)[0]) for each in options.problems]
    licenses = {None if each is None else each.license for each in known}
    attributions = dict.fromkeys(each.attribution for each in known if each is not None)
    common = "other" if len(licenses) > 1 else licenses.pop()
    return TermsRecord(options.license or (None if None in licenses else common), " ".join(attributions) or None)
