"""Read the label that a language model states, in a few closed forms; in doubt an answer is unread."""

import re
from collections.abc import Sequence

from merge_snli.answers.replies import CUT, EMPTY, FILTERED, NOT_STATED, REFUSED, SEVERAL_LABELS, STOPPED, Reply
from merge_snli.language_models.answer_words import in_english
from merge_snli.language_models.label_words import LabelWords, label_words
from merge_snli.language_models.plain_text import plain_text, without_layout
from merge_snli.language_models.reasoning import is_unfinished, without_reasoning
from merge_snli.language_models.shown_problems import parts_by_problem, shows_problem
from merge_snli.models.prompts import AnswerForm

# What introduces a correction of what stands before.
CORRECTION = re.compile(
    r"(?:[.!?;:(\n–—-]|,(?!\s*wait))\s*(?:but\s|oh\s|hmm?,?\s)?"
    r"(?:(?:wait|correction|actually|oops|scratch that|edit|(?<!:\s)no(?=\W+\w)|on (?:reflection|second thought)"
    r"|(?:after|at) a (?:second|closer) look|let me (?:correct|reconsider|rethink|re-?read)[^.,:!\n]{0,30}"
    r"|i (?:misread|made a mistake|was wrong|need to reconsider|stand corrected)[^.,:!\n]{0,30})\b[.,:;!]*\s*)+",
    re.IGNORECASE,
)
REFUSAL = re.compile(
    r"\b(?:sorry|as an ai|decline|rather not|unable to|(?:cannot|can['’]t) (?:assist|help with|answer))\b"
    r"|\bI\b[^.\n]{0,30} to (?:be|remain|stay|keep|take)\b[^.\n]{0,10} neutral",
    re.IGNORECASE,
)


def read_answer(
    text: str, labels: Sequence[str], form: AnswerForm | None = None, words: Sequence[str] = ()
) -> str | None:
    r"""Read the label that a model's answer states.

    Reasoning and special tokens are cut off, and the text ends where another problem begins. These forms are read:

    1. A reply that is a label and nothing else.
    2. The last `<answer>`, `\boxed{}` or `Answer: …`, also with the word for it in another language; the answer in JSON
       or in a call of a function; or the last sentence about the answer, such as `The label is …`.
    3. A first or last sentence such as `It is …`.
    4. A label alone as the last sentence or line, or at the start of the first one.
    5. The label with the largest number, of several with one each.

    What stands before is reasoning. If a text after the label names another one without denying it, or takes the label
    back, the answer is unread, unless an explicit correction states a label.

    A label is its name or a form of it (`entails`), its letter (A is the first label), or the word of the prompt. As
    the whole answer, it may be any spelling of it in data sets, but for words such as `yes`.

    Args:
        text: What the model wrote.
        labels: The labels of the data set, in the order in which letters count them.
        form: What the prompt asked for; None if that is unknown.
        words: The words that the prompt asked for, one per label, if they are not the labels.

    Returns:
        One of `labels`; None if the answer states none, or also names another one.

    Examples:
        >>> read_answer("**Neutral.**", ("entailment", "neutral", "contradiction"))
        'neutral'
        >>> read_answer('{"answer": "B"}', ("entailment", "neutral", "contradiction"))
        'neutral'
        >>> read_answer("It is entailment or neutral.", ("entailment", "neutral", "contradiction")) is None
        True
    """
    return read_reply(text, labels, form, words).label


def read_reply(
    text: str,
    labels: Sequence[str],
    form: AnswerForm | None = None,
    words: Sequence[str] = (),
    kind: str | None = None,
) -> Reply:
    """Read the label that a model's answer states, or why none can be read: one of `UNREAD_KINDS`.

    Args:
        text: As in `read_answer`, like the next three.
        labels: Labels.
        form: Form.
        words: Words.
        kind: Why no label is read if none is, as far as that is known.

    Examples:
        >>> read_reply("<think>It may be entailment, or", ("entailment", "neutral")).kind
        'cut'
        >>> read_reply("Neutral. Correction: entailment.", ("entailment", "neutral")).kind
        'several labels'
    """
    said = without_reasoning(text)
    spelled = label_words(tuple(labels), tuple(words), letters=form != "word")
    part = ""
    for part in parts_by_problem(in_english(without_layout(said)))[:2]:
        found = _stated(part, spelled)
        if found in labels:
            return Reply(found, text)
        if shows_problem(part):
            break
    return Reply(None, text, _why_unread(text, said, kind, len(spelled.names(part))))


def _why_unread(text: str, said: str, kind: str | None, labels: int) -> str:
    """Return why a reply has no label.

    Args:
        text: The reply.
        said: The reply without reasoning.
        kind: Why it may have none.
        labels: The number of labels that it names.
    """
    if kind in (CUT, FILTERED):
        return str(kind)
    if not said and is_unfinished(text):
        return CUT
    if not text.strip():
        return EMPTY
    if labels > 1:
        return SEVERAL_LABELS
    if REFUSAL.search(said):
        return REFUSED
    return STOPPED if kind == STOPPED else NOT_STATED


def _stated(part: str, spelled: LabelWords) -> str | None:
    """Return the label that a part of a reply states, or, if it states none, that its last correction states."""
    found = spelled.stated(plain_text(part, spelled))
    if found is None and (corrections := [*CORRECTION.finditer(part)]):
        before, after = part[: corrections[-1].start()], part[corrections[-1].end() :]
        if spelled.named.search(before):
            found = spelled.stated(plain_text(after, spelled))
    return found
