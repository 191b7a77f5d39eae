"""What a statement of the answer is called in other languages; a list of the reader, which enables no generation."""

import re

# In each language: words for an answer, and what stands between one of them and a label. A verb that denies, doubts or
# asks is none of that.
_ANSWER = (
    ("antwort lösung einordnung ergebnis schlussfolgerung fazit", r"\s*(?::|lautet:?|ist:?|wäre)"),
    ("réponse", r"(?:\s(?:correcte|finale))?\s*(?::|(?:est|serait)(?:\sdonc)?\s*:?)"),
    ("respuesta", r"(?:\s(?:correcta|final))?\s*(?::|es:?|sería)"),
    ("risposta", r"(?:\s(?:corretta|giusta|finale))?\s*(?::|è(?:\squindi)?\s*:?)"),
    ("resposta", r"(?:\s(?:correta|certa|final))?\s*(?::|é:?|seria)"),
    ("antwoord", r"\s*(?::|is:?|luidt:?)"),
    ("svar svaret", r"\s*(?::|är:?|blir|er:?)"),
    ("ответ", r"\s*[:—–-]"),
    ("答案 回答 标签 標籤 关系 關係 结论 結論 選項 选项", r"(?:应该|應該|应|應)?\s*(?:是|为|為|は|:)\s*:?"),
    ("答え 解答 正解 ラベル", r"\s*(?:は|:)\s*:?"),
    ("정답 답변 답안 답 관계 라벨 결론", r"(?:은|는|이)?\s*:?\s"),
    ("الإجابة الاجابة الجواب", r"(?:\s(?:الصحيحة|النهائية|الصحيح|النهائي))?\s*(?::|هي|هو)\s*:?"),
)
# Scripts from this letter on have no spaces between words.
_UNSPACED = "\u1100"
_ANSWERS = []
for _words, _between in _ANSWER:
    _start = r"(?<![^\W_])" if _words < _UNSPACED else ""
    _ANSWERS.append(re.compile(f"{_start}(?:{_words.replace(' ', '|')}){_between}", re.IGNORECASE))
_BECAUSE = (
    r"weil|denn|da|car|parce\sque|puisque|porque|ya\sque|puesto\sque|perché|poiché|pois|já\sque|want|omdat|eftersom"
    r"|för\satt|fordi|потому\sчто|так\sкак|поскольку|لأن\w*"  # noqa: RUF001 - Russian
)
_BUT = r"aber|jedoch|mais|cependant|pero|però|mas|maar|men|но|однако|لكن"
# Punctuation of other scripts, which no space follows there.
_PUNCTUATION = str.maketrans(
    {
        "\u3002": ". ",
        "\uff0c": ", ",
        "\u3001": ", ",
        "\u060c": ", ",
        "\uff1a": ": ",
        "\uff1b": "; ",
        "\u061b": "; ",
        "\uff01": "! ",
        "\uff1f": "? ",
        "\u061f": "? ",
        "\uff08": " (",
        "\uff09": ") ",
        **dict.fromkeys("\u300a\u300b\u300c\u300d\u300e\u300f", '"'),
    }
)
# The end of a sentence that says what something is, after a word in Latin letters.
_ENDINGS = re.compile(
    r"(?<=[A-Za-z\"'*`])\s*(?:です|である|だ|になります|となります|입니다|이다|예요|이에요)(?=\s*(?:[.\n]|$))"
)
# What introduces a reason, and what limits a statement.
_CAUSE = re.compile(rf",?\s(?:{_BECAUSE})(?=\s)|,?\s*(?:因为|因為|由于|由於|なぜなら|왜냐하면)", re.IGNORECASE)
_LIMIT = re.compile(rf",?\s(?:{_BUT})(?=\s)|,?\s*(?:但是?|不过|しかし|でも|하지만)", re.IGNORECASE)


def in_english(text: str) -> str:
    r"""Return a text with the words around an answer in English, if it has them in another language.

    Examples:
        >>> in_english("La réponse est **neutral**, car rien ne le dit.")
        'La \nAnswer: **neutral**, because  rien ne le dit.'
        >>> in_english("It is neutral.")
        'It is neutral.'
    """
    text = text.translate(_PUNCTUATION)
    number = 0
    for answer in _ANSWERS:
        text, found = answer.subn("\nAnswer: ", text)
        number += found
    if number:
        text = _CAUSE.sub(", because ", text)
        text = _LIMIT.sub(", but ", text)
        text = _ENDINGS.sub("", text)
    return text
