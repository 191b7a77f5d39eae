"""Read the label that a language model states, in a few closed forms; in doubt an answer is unread."""

import re
from collections.abc import Sequence
from itertools import pairwise

from merge_snli.answers.replies import CUT, NOT_STATED, REFUSED, SEVERAL_LABELS, STOPPED, Reply
from merge_snli.language_models.label_words import KEY, QUALIFIERS, label_words
from merge_snli.models.prompts import AnswerForm

TAGS = r"think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
OPENING = re.compile(
    rf"<(?:{TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<unused94>", re.IGNORECASE
)
CLOSING = re.compile(
    rf"</(?:{TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<unused95>", re.IGNORECASE
)
CHANNEL = "<|channel|>"
# The last channel of the harmony format, also when a server has removed its special tokens.
FINAL_CHANNEL = re.compile(
    r"<\|channel\|>\s*final\b(?:(?!<\|channel\|>\s*final\b).)*?<\|message\|>|\Aanalysis.*assistantfinal", re.DOTALL
)
# Space of which only the ends are kept, since patterns scan it again and again.
MUCH_SPACE = re.compile(r"\s{9,}")
# Patterns and what stands in their place. Of a reply: the start of the turn, all after its end, and special tokens.
TURN = (
    (r"\A\s*(?:<\|im_start\|>|<\|start_header_id\|>)?\s*assistant\b(?:<\|end_header_id\|>)?\s*", ""),
    (
        r"(?s:(?:<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|end|return|END_RESPONSE|end_of_solution|eom_id|user)\|>"
        r"|</s>|<end_of_turn>|<eos>|<\uff5cend▁of▁sentence\uff5c>).*)",
        "",
    ),
    (r"<\|[^|<>]*\|>|\[/?INST\]|<s>|<bos>|<start_of_turn>(?:model)?", ""),
)
# Of its layout: LaTeX, HTML, code, escapes, and what is struck out.
LAYOUT = (
    (r"\\(?:text\w*|math\w+)\{([^{}]*)\}", r"\1"),
    (r"</?(?:b|i|em|strong|p|br|code|u|span)\s*/?>|^```\w*\s*$|\\\[|\\\]|\$|~~[^~]*~~", ""),
    (r"\\_", "_"),
    (r"[“”]", '"'),
)
# The start of a problem that a base model invents after its answer, or that a chat model repeats.
NEW_PROBLEM = re.compile(
    r"^(?:(?P<prompt>(?:how does the hypothesis relate|suppose this is true)\b)"
    r"|[#*_\s]*+(?P<named>(?:\d+[.)]\s*)?"
    r"(?:premise|hypothesis|question|q|problem|example|instruction|input|human|user)(?:\s*\d+)?[*_]*\s*:)?)",
    re.IGNORECASE | re.MULTILINE,
)
PREMISE, HYPOTHESIS, EXAMPLE = (
    re.compile(pattern, re.IGNORECASE) for pattern in ("premise", "hypothesis", r"\W*example")
)
# An answer in a tag or a box, and the answers in JSON.
TAGGED = re.compile(
    rf"<(?:final_?)?(?:{KEY}|response|output)>(?P<value>.*?)(?:</\w+>|\Z)|\\boxed\{{(?P<boxed>[^{{}}]*)\}}",
    re.IGNORECASE | re.DOTALL,
)
JSON_FIELD = re.compile(
    rf"(?:\{{|,(?=\s*[\"']))\s*[\"']?(?:(?:final|nli|correct|predicted)[ _-]?)?{KEY}[\"']?\s*:(?!\s*\{{)\s*"
    r"(?P<value>\[[^\]]*|\"[^\"]*|'[^']*|[^,}\]]*)[\"'\]]*",
    re.IGNORECASE,
)
# The line that stands in their place.
FORM = "Final answer:"
TICK, CROSS, ROW = (
    re.compile(r"[✅✓✔☑]|\[x\]", re.I),
    re.compile(r"[❌✗✘☒👎🚫⛔]|\[ \]"),
    re.compile(r"\s*(?:\||[-*•]\s)"),
)
# Of its markup: emoji, of which some end a sentence; list marks, quotation marks and emphasis; and headings.
MARKUP = (
    (CROSS.pattern, " wrong "),
    (r"(?<=\w)\s*[✅✓✔☑👍🎯💯😀-😊🙂\ufe0f]+\s+(?=[A-Z])", ". "),
    (r"[✅✓✔☑👍🎯💯😀-😊🙂👉➡\ufe0f]+|\[x\]", ""),
    (r"^\s*(?:(?:[#>•-]|\d+[.)]\s)\s*)+|[*`\"\[\]]|(?<![^\W_])_+|_+(?![^\W_])", ""),
    (rf"^({QUALIFIERS}{KEY}|[^\n:]{{0,80}}\b{KEY}\b[^\n:]{{0,80}}(?=:))\s*:?\s*\n\s*(?=\S)(?!{FORM})", r"\1: "),
)
REFUSAL = re.compile(
    r"\b(?:sorry|as an ai|decline|rather not|unable to|(?:cannot|can['’]t) (?:assist|help with|answer))\b"
    r"|\bI\b[^.\n]{0,30} to (?:be|remain|stay|keep|take)\b[^.\n]{0,10} neutral",
    re.IGNORECASE,
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
    *reasoning, text = FINAL_CHANNEL.split(text)
    text = CLOSING.split(_without_closed(text))[-1]
    if OPENING.search(text) or (CHANNEL in text and not reasoning):
        return ""
    return replaced(text.strip(), TURN).strip()


def _without_closed(text: str) -> str:
    """Return a text with a line break in place of each reasoning that ends."""
    kept, start = [], 0
    while (opening := OPENING.search(text, start)) and (closing := CLOSING.search(text, opening.end())):
        kept.append(text[start : opening.start()])
        start = closing.end()
    return "\n".join([*kept, text[start:]])


def parts_by_problem(text: str) -> list[str]:
    r"""Split a text before each problem that it shows, so that no answer is read from a later, invented problem.

    A problem without a premise or a hypothesis has no answer and is left out, as is an example.

    Examples:
        >>> parts_by_problem("neutral\n\nPremise: A dog.\nHypothesis: A cat.\nAnswer: entailment")
        ['neutral', 'Premise: A dog.\nHypothesis: A cat.\nAnswer: entailment']
    """
    starts = [match.start() for match in NEW_PROBLEM.finditer(text) if match["named"] or match["prompt"]]
    bounds = [*starts, len(text)]
    parts = [text[: bounds[0]]]
    is_whole = True
    for start, end in pairwise(bounds):
        if is_whole:
            first, missing = start, [PREMISE, HYPOTHESIS]
            is_example = EXAMPLE.match(text, start) is not None
        missing = [pattern for pattern in missing if not pattern.search(text, start, end)]
        is_whole = not missing and not is_example
        if is_whole:
            parts.append(text[first:end])
    return [part.strip() for part in parts if part.strip()]


def read_answer(
    text: str, labels: Sequence[str], form: AnswerForm | None = None, words: Sequence[str] = ()
) -> str | None:
    r"""Read the label that a model's answer states.

    Reasoning and special tokens are cut off, and the text ends where another problem begins. These forms are read:

    1. A reply that is a label and nothing else.
    2. The last `<answer>`, `\boxed{}` or `Answer: …`, or the one answer in JSON; or the last sentence about the answer,
       such as `The label is …`.
    3. A reply of one sentence such as `It is …`.
    4. A label alone as the last sentence or line, or at the start of the first one.

    What stands before is reasoning. If a text after the label names another one without denying it, or takes the label
    back, the answer is unread.

    A label is its name or a form of it (`entails`), its letter (A is the first label), or the word of the prompt.

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
    spelled, part = label_words(tuple(labels), tuple(words), letters=form != "word"), ""
    for part in parts_by_problem(replaced(_shortened(said), LAYOUT))[:2]:
        found = spelled.stated(_plain(part))
        if found in labels:
            return Reply(found, text)
        if _is_problem(part):
            break
    unread = (
        (kind, kind in (CUT, REFUSED)),
        (CUT, not said and (OPENING.search(text) or CHANNEL in text) and not CLOSING.search(text)),
        (SEVERAL_LABELS, len(spelled.names(part)) > 1),
        (REFUSED, REFUSAL.search(said)),
        (STOPPED, kind == STOPPED),
    )
    return Reply(None, text, next((why for why, holds in unread if holds), NOT_STATED))


def _is_problem(part: str) -> bool:
    """Return whether a text begins with a problem."""
    match = NEW_PROBLEM.match(part)
    return match is not None and bool(match["named"] or match["prompt"])


def _shortened(text: str) -> str:
    """Return a text with at most two line breaks in a long space, and with four other characters before and after."""

    def shortened(space: re.Match[str]) -> str:
        lines = space[0].split("\n")
        return lines[0][:4] + "\n" * min(2, len(lines) - 1) + lines[-1][-4:]

    return MUCH_SPACE.sub(shortened, text)


def replaced(text: str, patterns: Sequence[tuple[str, str]]) -> str:
    """Return a text in which patterns are replaced, one after the other."""
    for pattern, replacement in patterns:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE | re.MULTILINE)
    return text


def _plain(text: str) -> str:
    """Return a text without markup, with a line for tags, boxes and JSON, and the last cell of each row."""
    text = TAGGED.sub(lambda match: f" →\n{FORM} {(match['value'] or match['boxed'] or '').strip()}\n", text)
    values = " / ".join(dict.fromkeys(match["value"].strip("\"'[ \n") or "-" for match in JSON_FIELD.finditer(text)))
    line = iter([f"\n{FORM} {values}\n"])
    text = JSON_FIELD.sub(lambda match: {"{": " →", ",": "."}[match[0][0]] + next(line, ""), text)
    lines = text.splitlines()
    if any(TICK.search(line) for line in lines):
        lines = [line for line in lines if TICK.search(line) or not (ROW.match(line) or CROSS.search(line))]
    cells = [
        [cell for cell in line.split("|") if re.search(r"[^\W_]", TICK.sub("", cell))] if ROW.match(line) else [line]
        for line in lines
    ]
    return replaced("\n".join(each[-1].strip() for each in cells if each), MARKUP).strip()
