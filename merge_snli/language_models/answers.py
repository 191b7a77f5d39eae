"""Read the label that a language model answers, in stages; an unclear answer is unread, never guessed."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from merge_snli.language_models.label_words import CONSIDERED, UNREAD, LabelWords, sentences
from merge_snli.models.prompts import AnswerForm
from merge_snli.scoring.replies import CUT, REFUSED, UNREADABLE, Reply

TAGS = r"think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
OPENING = re.compile(
    rf"<(?:{TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<unused94>", re.IGNORECASE
)
CLOSING = re.compile(
    rf"</(?:{TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<unused95>", re.IGNORECASE
)
REASONING = re.compile(rf"(?:{OPENING.pattern}).*?(?:{CLOSING.pattern})", re.DOTALL | re.IGNORECASE)
CHANNEL = "<|channel|>"
# The last channel of the harmony format, also when a server has removed its special tokens.
FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\b.*?<\|message\|>|\Aanalysis.*assistantfinal", re.DOTALL)
START_OF_TURN = re.compile(
    r"\A\s*(?:<\|im_start\|>|<\|start_header_id\|>)?\s*assistant\b(?:<\|end_header_id\|>)?\s*", re.I
)
END_OF_TURN = re.compile(
    r"<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|end|return|END_RESPONSE|end_of_solution|eom_id|user)\|>"
    r"|</s>|<end_of_turn>|<eos>|<\uff5cend▁of▁sentence\uff5c>"
)
TOKEN = re.compile(r"<\|[^|<>]*\|>|<s>|<bos>|<start_of_turn>(?:model)?")
HYPOTHESIS = re.compile(r"[#*_\s]*hypothesis", re.IGNORECASE)
# The start of a problem that a base model invents after its answer, or that a chat model repeats.
NEW_PROBLEM = re.compile(
    r"^[#*_\s]*(?:\d+[.)]\s*)?(?:premise|hypothesis|question|q|problem|example|instruction|input|human|user)(?:\s*\d+)?[*_]*\s*:"
    r"|^(?:how does the hypothesis relate|suppose this is true)\b",
    re.IGNORECASE | re.MULTILINE,
)

KEY = r"(?:answer|label|relation(?:ship)?|prediction|classification|conclusion|verdict|judge?ment|inference)"
JSON_KEY = re.compile(rf"(?:(?:final|nli|correct|predicted)[ _-]?)?{KEY}", re.IGNORECASE)
TAGGED = re.compile(rf"<(?:final_?)?(?:{KEY}|response|output)>(?P<value>.*?)(?:</|\Z)", re.IGNORECASE | re.DOTALL)
BOXED = re.compile(r"\\boxed\{(?P<value>[^{}]*)\}")
JSON_OBJECT = re.compile(r"\{[^{}]*(?:\}|\Z)")
JSON_FIELD = re.compile(rf"[{{,]\s*[\"']?{JSON_KEY.pattern}[\"']?\s*:\s*(?P<value>[^}}]*)", re.IGNORECASE)
MARKS = r"[\s*_`>\"'#-]*"
HEADED = re.compile(
    rf"(?:^|[.!?]\s){MARKS}(?:[\w ]{{0,25}}\b)?{KEY}(?: is)?[*_ ]*[:=]{MARKS}(?P<after>\S[^\n]*)"
    rf"|^[#*_]+\s*(?:final )?{KEY}[*_ ]*\n{MARKS}(?P<below>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
SAID = re.compile(rf"(?P<before>.*)\b{KEY}\b[^.:?]{{0,60}}?\bis\b:?{MARKS}(?P<value>.+)", re.IGNORECASE)
CONCLUSION = re.compile(
    r".*\b(?:so|thus|therefore|hence|consequently|overall|in conclusion|in summary|finally)\b", re.I
)
# How reasoning begins that no tags enclose.
THINKING = re.compile(r"(?:okay|ok|hmm+|alright|let me|let['’]s|let us|we need|the user)\b", re.IGNORECASE)
RETRACTION = re.compile(
    r"\bWait\b|\b(?:but|oh|no|hmm),? wait\b"
    r"|\b(?i:on second thought|on reflection|scratch that|I made a mistake|my mistake|let me (?:re\w+|check|double))\b"
)
REFUSAL = re.compile(
    r"\b(?:sorry|as an ai|decline|rather not|unable to|(?:cannot|can['’]t) (?:assist|help with|answer))\b"
    r"|\bI\b[^.\n]{0,30} to (?:be|remain|stay|keep|take)\b[^.\n]{0,10} neutral",
    re.IGNORECASE,
)
LATEX = re.compile(r"\\(?:text\w*|math\w+)\{([^{}]*)\}")
LAYOUT = re.compile(
    r"</?(?:b|i|em|strong|p|br|code|u|span)\s*/?>|^```\w*\s*$|\\\[|\\\]|\$", re.IGNORECASE | re.MULTILINE
)


def without_reasoning(text: str) -> str:
    """Return what a model says to the user; empty if its reasoning does not end.

    The reasoning may lack its opening tag, because many chat templates end with that.

    Examples:
        >>> without_reasoning("It may be entailment.</think>neutral")
        'neutral'
        >>> without_reasoning("<think>It may be entailment.")
        ''
    """
    final = [*FINAL_CHANNEL.finditer(text)]
    if final:
        text = text[final[-1].end() :]
    elif CHANNEL in text:
        return ""
    text = REASONING.sub("\n", text)
    closing = [*CLOSING.finditer(text)]
    if closing:
        text = text[closing[-1].end() :]
    if OPENING.search(text):
        return ""
    text = END_OF_TURN.split(START_OF_TURN.sub("", text), maxsplit=1)[0]
    return TOKEN.sub("", text).strip()


def parts_by_problem(text: str) -> list[str]:
    r"""Split a text before each problem that it shows, so that no answer is read from a later, invented problem.

    A problem without a premise or a hypothesis has no answer and is left out.

    Examples:
        >>> parts_by_problem("neutral\n\nPremise: A dog.\nHypothesis: A cat.\nAnswer: entailment")
        ['neutral', 'Premise: A dog.\nHypothesis: A cat.\nAnswer: entailment']
    """
    starts = [0, *(match.start() for match in NEW_PROBLEM.finditer(text)), len(text)]
    parts: list[str] = []
    for start, end in pairwise(starts):
        part = text[start:end]
        if parts and HYPOTHESIS.match(part) and "premise" in parts[-1].lower():
            parts[-1] += part  # of the same problem
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip() and (not NEW_PROBLEM.match(part) or _is_whole(part))]


def _is_whole(problem: str) -> bool:
    return all(word in problem.lower() for word in ("premise", "hypothesis"))


def read_answer(
    text: str, labels: Sequence[str], form: AnswerForm | None = None, words: Sequence[str] = ()
) -> str | None:
    r"""Read the label in a model's answer.

    The stages, of which the first that finds an answer decides:

    1. Reasoning and special tokens are cut off, and the text ends where another problem begins.
    2. An answer in a form of its own, the last of each: `<answer>`, `\boxed{}`, JSON, `Answer: …`.
    3. A label alone on the last line; a sentence such as `The answer is …`; a label alone at the start.
    4. The last sentence, if it concludes; otherwise the only label that sentences affirm, unless they refuse.

    A label is its name or a form of it (`entails`), its letter (A is the first label), or the word of the prompt.

    Args:
        text: What the model wrote.
        labels: The labels of the data set, in the order in which letters count them.
        form: What the prompt asked for; None if that is unknown.
        words: The words that the prompt asked for, one per label, if they are not the labels.

    Returns:
        One of `labels`; None if the answer names none, denies it, or names several without a final one.

    Examples:
        >>> read_answer("**Neutral.**", ("entailment", "neutral", "contradiction"))
        'neutral'
        >>> read_answer('{"answer": "B"}', ("entailment", "neutral", "contradiction"))
        'neutral'
        >>> read_answer("It is entailment or neutral.", ("entailment", "neutral", "contradiction")) is None
        True
    """
    spelled = LabelWords(labels, letters=form != "word", words=words)
    said = LAYOUT.sub("", LATEX.sub(r"\1", without_reasoning(text)))
    for part in parts_by_problem(said):
        for stage in (_in_form, _headed, _alone_at_the_end, _said, _alone_at_the_start, _concluded):
            found = stage(part, spelled)
            if found is not None:
                return found or None
    return None


def unread_kind(text: str) -> str:
    """Return why a text has no answer: one of `UNREAD_KINDS`.

    Examples:
        >>> unread_kind("<think>It may be entailment, or")
        'cut'
        >>> unread_kind("I am sorry, but I cannot assist with that.")
        'refused'
    """
    said = without_reasoning(text)
    if not said and (OPENING.search(text) or CHANNEL in text) and not CLOSING.search(text):
        return CUT
    return REFUSED if REFUSAL.search(said) else UNREADABLE


def reply_of(text: str, label: str | None, kind: str | None = None) -> Reply:
    """Return a reply with the label that was read in it, or with why none was.

    Args:
        text: What the model wrote.
        label: The label; None if none was read.
        kind: Why none was, if that is known.
    """
    return Reply(label, text, None if label else kind or unread_kind(text))


def _in_form(text: str, words: LabelWords) -> str | None:
    """Read a tag, a box, or a JSON object; if there is one, nothing else is read."""
    for form in (TAGGED, BOXED):
        if found := [*form.finditer(text)]:
            return words.value(found[-1]["value"].strip()) or UNREAD
    objects = [match[0] for match in JSON_OBJECT.finditer(text)]
    if not objects:
        return None
    values = [value for each in objects for value in _json_values(each)]
    return (words.value(values[-1]) or UNREAD) if values else UNREAD


def _json_values(text: str) -> Iterator[str]:
    """Yield the answers in a JSON object, or in one that is cut off or has other quotation marks."""
    try:
        fields = json.loads(text)
    except ValueError:
        yield from (match["value"].strip(" \n\"'") for match in JSON_FIELD.finditer(text))
        return
    for name, value in fields.items():
        if JSON_KEY.fullmatch(name):
            yield str(value)


def _headed(text: str, words: LabelWords) -> str | None:
    """Read the last `Answer: …`, or the line below the heading `Answer`."""
    for match in reversed([*HEADED.finditer(text)]):
        if found := words.value((match["after"] or match["below"]).strip()):
            return found
    return None


def _alone_at_the_end(text: str, words: LabelWords) -> str | None:
    """Read the last line; lines of different labels and nothing else are a list, not an answer."""
    alone = [words.exactly(line) for line in text.splitlines() if line.strip()]
    return UNREAD if None not in alone and len({*alone}) > 1 else alone[-1]


def _said(text: str, words: LabelWords) -> str | None:
    """Read the last sentence such as `The answer is …`."""
    for sentence in reversed(_final_sentences(text)):
        match = SAID.match(sentence)
        if match is None or "?" in sentence or CONSIDERED.search(match["before"]):
            continue
        if found := words.value(match["value"]):
            return found
    return None


def _alone_at_the_start(text: str, words: LabelWords) -> str | None:
    """Read a label before the first punctuation, unless taken back, or another begins a line or is a sentence."""
    first = words.leading(text)
    if not first or RETRACTION.search(text):
        return first if first == UNREAD else None
    beginnings = {words.leading(line) for line in text.splitlines() if line.strip()}
    alone = {words.exactly(sentence) for sentence in sentences(text)}
    return None if (beginnings | alone) - {first, None} else first


def _concluded(text: str, words: LabelWords) -> str | None:
    """Read what the sentences say."""
    said = _final_sentences(text)
    if not said or REFUSAL.search(text):
        return None
    conclusion = CONCLUSION.match(said[-1])
    if conclusion is not None:
        return words.only(said[-1][conclusion.end() :])
    named = set().union(*map(words.affirmed, said))
    return (
        next((words.only(each) for each in (said[0], said[-1]) if words.only(each)), None) if len(named) == 1 else None
    )


def _final_sentences(text: str) -> list[str]:
    """Return the sentences after what was taken back; of a text that thinks aloud only the last one, if it is whole."""
    taken_back = [*RETRACTION.finditer(text)]
    found = sentences(text[taken_back[-1].end() :] if taken_back else text)
    if THINKING.match(text):
        return [each for each in found[-1:] if each.rstrip("*_`\"') ").endswith((".", "!"))]
    return found
