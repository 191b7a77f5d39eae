"""Which forms the masked LMs of a run could fill, from the counts in its record."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from merge_snli.dataset.record import FilterRecord, GenerationRecord

FORMS = "forms"
IN_WINDOW, TOO_LONG, SPLIT, NO_SUGGESTION = "in a window", "too long", "split", "no suggestion"

# What applies to these forms; those that are too long or split have no fillers.
MEANINGS = {IN_WINDOW: "masked within a window of the text", TOO_LONG: "too long", SPLIT: "split by the tokenizer"}

# The share of forms without fillers above which a run warns.
MAX_UNFILLED = 0.2


def form_shares(generation: GenerationRecord) -> dict[str, dict[str, float]]:
    """Return the share of the forms of each masked LM to which each of `MEANINGS` applies, from 0 to 1.

    Args:
        generation: What a record says of the masked LMs.
    """
    total = count_forms(generation.filters)
    counts = {mlm.name: total[mlm.name] for mlm in generation.masked_lms}
    return {name: {reason: of[reason] / (of[FORMS] or 1) for reason in MEANINGS} for name, of in counts.items()}


def count_forms(filters: Iterable[FilterRecord]) -> defaultdict[str, Counter[str]]:
    """Return the counts of the forms of each masked LM, and of their fillers."""
    total: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for of_forms in filters:
        total[of_forms.masked_lm].update(of_forms.counts)
    return total


def shares_text(shares: Mapping[str, float]) -> str:
    """Return the shares of one masked LM in words.

    Examples:
        >>> shares_text({"in a window": 0.62, "too long": 0, "split": 0.094})
        '62 % of forms masked within a window of the text, 9 % of forms split by the tokenizer'
    """
    texts = (f"{100 * share:.0f} % of forms {MEANINGS[reason]}" for reason, share in shares.items() if share)
    return ", ".join(texts) or "every form as it is"


def has_few_fillers(shares: Mapping[str, float]) -> bool:
    """Return whether more than `MAX_UNFILLED` of the forms have no fillers."""
    return shares[TOO_LONG] + shares[SPLIT] > MAX_UNFILLED
