"""Write a reply as plain text: without markup, and with a line `Final answer: …` for each answer in a form."""

import re

from merge_snli.language_models.label_words import LabelWords
from merge_snli.language_models.reasoning import replaced
from merge_snli.language_models.statements import KEY, QUALIFIERS

# Space of which only the ends are kept, since patterns scan it again and again.
MUCH_SPACE = re.compile(r"\s{9,}")
# Patterns and what stands in their place. Of the layout: LaTeX, HTML, code, escapes, what is struck out, and what a
# call of a function has around the fields of its arguments.
LAYOUT = (
    (r"\\(?:text\w*|math\w+)\{([^{}]*)\}", r"\1"),
    (r"</?(?:b|i|em|strong|p|br|code|u|span)\s*/?>|^```\w*\s*$|\\[()\[\]]|\$|~~[^~]*~~", ""),
    (r"</?(?:tool_calls?|function_calls?|function|invoke)\b[^<>\n]{0,80}>|\[/?TOOL_CALLS?\]", ""),
    (r"\\([_\"])", r"\1"),
    (r"[“”]", '"'),
    (
        r"\{\s*(?:\"(?:name|type|id)\"\s*:\s*\"[^\"\n]{0,80}\"\s*,\s*){0,3}"
        r"\"(?:arguments|args|parameters|params|input|function|function_call)\"\s*:\s*\"?(?=\{)",
        "",
    ),
)
# The texts of a problem.
QUOTED = re.compile(
    r"\b(premise|hypothesis|sentence|statement|claim)(?:\s\d)?,?\s\(?\"[^\"\n]{1,400}\"\)?", re.IGNORECASE
)
# An answer in a tag or a box, in a call of a function, and in JSON.
FINAL_KEY = rf"(?:final_?)?{KEY}"
TAGGED = re.compile(
    rf"<(?:{FINAL_KEY}|parameter(?:=|\sname=)[\"']?{FINAL_KEY}[\"']?)>(?P<value>.*?)(?:</\w+>|\Z)"
    r"|\\boxed\{(?P<boxed>[^{}]*)\}",
    re.IGNORECASE | re.DOTALL,
)
CALLED = re.compile(
    rf"(?:(?<![\w.])[\w.]{{1,40}}\(\s*){{1,3}}(?:{FINAL_KEY}\s*=|(?<=answer\()|(?<=label\()|(?<=submit\())"
    r"\s*[\"'](?P<value>[^\"'\n]*)[\"']\s*\)+",
    re.IGNORECASE,
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
# Of the markup: emoji, of which some end a sentence; list marks, quotation marks and emphasis; and headings.
MARKUP = (
    (CROSS.pattern, " wrong "),
    (r"(?<=\w)\s*[✅✓✔☑👍🎯💯😀-😊🙂\ufe0f]+\s+(?=[A-Z])", ". "),
    (r"[✅✓✔☑👍🎯💯😀-😊🙂👉➡\ufe0f]+|\[x\]", ""),
    (r"^\s*(?:(?:[#>•-]|\d+[.)]\s)\s*)+|[*`\"\[\]]|(?<![^\W_])_+|_+(?![^\W_])", ""),
    (rf"^({QUALIFIERS}{KEY}|[^\n:]{{0,80}}\b{KEY}\b[^\n:]{{0,80}}(?=:))\s*:?\s*\n\s*(?=\S)(?!{FORM})", r"\1: "),
)


def without_layout(text: str) -> str:
    """Return a text without the layout that hides its lines, and without the middle of long spaces."""
    return replaced(MUCH_SPACE.sub(_shortened, text), LAYOUT)


def _shortened(space: re.Match[str]) -> str:
    """Return a space with at most two line breaks, and with four other characters before and after them."""
    lines = space[0].split("\n")
    return lines[0][:4] + "\n" * min(2, len(lines) - 1) + lines[-1][-4:]


def plain_text(text: str, words: LabelWords) -> str:
    """Return a text without markup, with a line for each answer in a form, and the last cell of each row."""
    text = TAGGED.sub(_as_line, QUOTED.sub(r"\1", text))
    if "(" in text:
        text = CALLED.sub(_as_line, text)
    fields = list(JSON_FIELD.finditer(text))
    if fields:
        values = dict.fromkeys(field["value"].strip("\"'[ \n") or "-" for field in fields)
        end = fields[0].end()
        before = JSON_FIELD.sub(_end_of_field, text[:end])
        after = JSON_FIELD.sub(_end_of_field, text[end:])
        text = f"{before}\n{FORM} {' / '.join(values)}\n{after}"
    lines = text.splitlines()
    if TICK.search(text):
        lines = [line for line in lines if TICK.search(line) or not (ROW.match(line) or CROSS.search(line))]
    cells = [_last_cell(line, words) for line in lines]
    return replaced("\n".join(cell for cell in cells if cell), MARKUP).strip()


def _as_line(found: re.Match[str]) -> str:
    """Return the line of an answer, in place of what it stands in."""
    return f" →\n{FORM} {''.join(filter(None, found.groups())).strip()}\n"


def _end_of_field(found: re.Match[str]) -> str:
    """Return what stands for the first or a later field of an object, whose value is moved to a line of its own."""
    return " →" if found[0].startswith("{") else "."


def _last_cell(line: str, words: LabelWords) -> str:
    """Return the last cell with text of a row of a table, or all cells if several are labels; another line as it is."""
    if not ROW.match(line):
        return line.strip()
    cells = [cell.strip() for cell in line.split("|") if re.search(r"[^\W_]", TICK.sub("", cell))]
    if sum(words.is_label(cell) for cell in cells) > 1:
        return " / ".join(cells)
    return cells[-1] if cells else ""
