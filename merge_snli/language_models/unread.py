"""The replies of language models in which no answer can be read: warnings, and a table of examples."""

import json
import logging
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

from merge_snli.answers.replies import CUT, replies_in
from merge_snli.base.errors import Message
from merge_snli.base.table import Column, Table
from merge_snli.results.result import Result

# Share of the pairs above which a kind of answers that cannot be read is warned of.
MAX_UNREAD = 0.02
# Number of answers that cannot be read, of each kind, that are printed.
EXAMPLES = 3
LOOK = "look at them with ⟦unread=True⟧"
MORE_TOKENS = "--max-tokens of inspect eval or --gen_kwargs max_gen_toks=N of lm_eval"

logger = logging.getLogger(__name__)


def warn_of_unread(result: Result, pairs: int) -> None:
    """Warn of each kind of unread answers that more than `MAX_UNREAD` of the pairs have."""
    for kind, number in result.run.unread.items():
        if number > MAX_UNREAD * pairs:
            advice = f"raise the limit of output tokens with {MORE_TOKENS}" if kind == CUT else LOOK
            logger.warning(
                Message(f"{result.title}: {number / pairs:.1%} of the answers are unread ({kind}): {advice}")
            )


def unread_replies(results: Sequence[Result]) -> list[dict[str, str]]:
    """Return the replies in which no answer can be read: the `model`, `kind`, `id` of the row and `text` of each."""
    unread = []
    for result in results:
        for name, replies in replies_in(result.table).items():
            for reply in replies:
                if reply.label is None:
                    found = {"model": result.title, "kind": str(reply.kind), "id": name, "text": reply.text}
                    unread.append(found)
    return unread


def unread_table(unread: Sequence[dict[str, str]], unit: str, *, in_full: bool) -> Table:
    """Return what cannot be read as a table: all of it, or the first `EXAMPLES` of each kind of each model.

    Args:
        unread: The replies, as of `unread_replies`.
        unit: What a row of the data is called.
        in_full: Whether to return all of them.
    """
    asked = "Sample" if unit == "sample" else "Pair"
    shown: Counter[tuple[str, str]] = Counter()
    rows = []
    for reply in unread if in_full else sorted(unread, key=itemgetter("model", "kind")):
        kind = reply["model"], reply["kind"]
        shown[kind] += 1
        if in_full or shown[kind] <= EXAMPLES:
            rows.append((*kind, reply["id"], json.dumps(reply["text"])))
    columns = tuple(Column(name, "left") for name in ("Model", "Kind", asked, "Text"))
    return Table(title="Answers that cannot be read", columns=columns, rows=rows)
