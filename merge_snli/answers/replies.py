"""What a language model replied to a question, once or several times, and the label that counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from merge_snli.answers.table import LOG_LIKELIHOODS, REPLIES
from merge_snli.models.labels import Pair

# Why no label is read in a reply: it was cut at the limit of output tokens, may have been cut at a stop sequence, is
# empty, was refused by a filter of the provider or in words, names several labels, or states none in a form that is
# read.
CUT, STOPPED, EMPTY, FILTERED, REFUSED, SEVERAL_LABELS, NOT_STATED = UNREAD_KINDS = (
    "cut",
    "perhaps stopped",
    "empty",
    "refused by the provider",
    "refused",
    "several labels",
    "no stated answer",
)


@dataclass(frozen=True)
class Reply:
    """What a language model replied to a question.

    Attributes:
        label: The label; None if none can be read.
        text: What it wrote; empty if it ranked the labels.
        kind: Why no label is read, one of `UNREAD_KINDS`; None if one is.
        log_likelihoods: The log-likelihood of the answer for each label of the data; empty if they are not known.
        reader: The language model that read the label; None if the reader of this package did.
    """

    label: str | None
    text: str = ""
    kind: str | None = None
    log_likelihoods: tuple[float, ...] = ()
    reader: str | None = None


def only_likelihoods(replies: Sequence[Reply]) -> tuple[float, ...]:
    """Return the log-likelihoods of the labels in the only reply; none of several replies."""
    return replies[0].log_likelihoods if len(replies) == 1 else ()


def best_label(labels: Sequence[str], likelihoods: Sequence[float]) -> str:
    """Return the label with the largest log-likelihood, the first one of a tie."""
    return labels[max(range(len(labels)), key=likelihoods.__getitem__)]


def _labels(replies: Sequence[Reply]) -> Counter[str]:
    return Counter(reply.label for reply in replies if reply.label is not None)


def majority(replies: Sequence[Reply]) -> str | None:
    """Return the most frequent label of several replies, the one given first of a tie; None if none has a label."""
    labels = _labels(replies)
    return max(labels, key=labels.__getitem__, default=None)


def is_tied(replies: Sequence[Reply]) -> bool:
    """Return whether two labels of several replies are equally frequent, and no other is more so."""
    counts = sorted(_labels(replies).values())
    return len(counts) > 1 and counts[-1] == counts[-2]


def agreement(replies: Sequence[Reply]) -> float:
    """Return the share of replies with the label of the majority; 0 if none has a label."""
    return max(_labels(replies).values(), default=0) / len(replies)


def details_of(replies: Mapping[Pair, tuple[Reply, ...]], pairs: Sequence[Pair]) -> pa.Table | None:
    """Return what a language model replied to each pair, in the columns of a table of answers, [n_pairs].

    Args:
        replies: The replies to each pair; pairs may be missing.
        pairs: The pairs.

    Returns:
        The table: why no label is read, the replies of a model that wrote answers, and the log-likelihoods of the
        labels if any are known. None without replies.
    """
    by_pair = [replies.get(pair, ()) for pair in pairs]
    if not any(by_pair):
        return None
    unread = []
    likelihoods = []
    written = []
    has_texts = False
    for given in by_pair:
        unread.append(given[0].kind if given and majority(given) is None else None)
        likelihoods.append(only_likelihoods(given) or None)
        of_pair = []
        for one in given:
            has_texts = has_texts or bool(one.text) or not one.log_likelihoods
            of_pair.append({"label": one.label, "text": one.text, "unread": one.kind, "read_by": one.reader})
        written.append(of_pair)
    columns = {"unread": pa.array(unread, pa.string())}
    if any(likelihoods):
        columns[LOG_LIKELIHOODS] = pa.array(likelihoods, pa.list_(pa.float64()))
    if has_texts:
        columns["replies"] = pa.array(written, REPLIES)
    return pa.table(columns)


def replies_in(table: pa.Table) -> dict[str, tuple[Reply, ...]]:
    """Return what a language model replied to each row and seed, by id, from a table of answers.

    A model that ranked labels replied once, with the label in `answer`. The result is empty for other models.
    """
    columns = [name for name in ("replies", LOG_LIKELIHOODS) if name in table.column_names]
    replies = {}
    for row in table.select(["row_id", "answer", *columns]).to_pylist() if columns else ():
        likelihoods = tuple(row.get(LOG_LIKELIHOODS) or ())
        of_row = []
        for reply in row.get("replies", [{"label": row["answer"]}]) or ():
            text = reply.get("text", "")
            kind = reply.get("unread")
            reader = reply.get("read_by")
            of_row.append(Reply(reply["label"], text, kind, likelihoods, reader))
        replies[row["row_id"]] = tuple(of_row)
    return replies
