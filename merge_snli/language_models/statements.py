"""The sentences that state a label, and what may stand before and after them, as patterns.

OTHER stands for any label, and MARKER for a letter before it.
"""

import re

KEY = (
    r"(?:answer|label|relation(?:ship)?|prediction|classification|conclusion|verdict|judge?ment|option|choice|letter"
    r"|result|response|output|antwort)"
)
QUALIFIERS = (
    r"(?:(?:the|my|that|final|correct|right|best|most|likely|appropriate|logical|nli|predicted|die|richtige)[ _-])*"
)
WORD = rf"(?:{KEY}|word)"
# What is between two spellings of one label.
BETWEEN = r"(?:[\s.,:;)(/–—-]{1,4}|\)?,?\s(?:i\.?e\.?|that\sis|namely|meaning),?\s)"
# How a sentence begins that is about the answer, or states a label. OTHER is any label.
SUBJECT = rf"""
(?:(?!OTHER)(?:so(?=[,:]|\s(?:the|my)\b)|thus|therefore|hence|overall|finally|sure|yes|in\s(?:conclusion|summary
    |this\scase))\b[,:]?\s+){{0,2}}
(?:(?:(?:as\sa|based|given|from|for\sthese|to|all|after|out\sof|of|among)\b(?![^,]{{0,80}}\b(?:\w*other|different|wrong|if|not)\b)
        |(?!if|had)[^.?:\n]{{0,200}}?,\s(?:so|thus|therefore|hence)\b)
    [^.?:\n]{{0,80}}?,?\s(?={QUALIFIERS}{WORD}\b)
|(?!if|had)[^?\n]{{1,200}}?[,;]\s(?:so|thus|therefore|hence)\s(?=OTHER\W*\Z)
|[^.?:\n]{{0,80}}?,\sbut\s(?=OTHER\sfits\sbest\W*\Z))?
(?:I\s(?:think|believe)(?:\sthat)?\s|I(?:['’]m|\sam)\snot\s(?:\w+\s)?(?:sure|certain),\sbut\s(?=I\b)|here\sis\s|not\s(?:an?\s)?OTHER,?\sbut\s)?
(?P<subject>
    (?P<key>
        (?:{QUALIFIERS}{WORD}(?:\s(?:here|(?:between|of|for)(?:\s(?:the(?:se)?|two|given|and|pair|premise|\w+s))+))?
            (?:(?:['’]s|\s(?:is|(?:w|sh)ould\sbe|lautet|(?:can|should)\sbe\sclassified\sas))(?:\sone\sof|\stherefore)?:?
                |\s*[:=–—→]|\s-)\s*)+
        |I(?:\swill|['’]ll|\swould|['’]d)?\s(?:say|choose|pick|select|go\swith|answer|conclude
            |lean\stowards?|(?:label|classify|call)\s(?:it|(?:this|the)(?:\s(?:one|example|(?:sentence\s)?pair))?)(?:\sas)?)
            (?:\sthat)?:?\s
        |leaning\s(?:towards?\s)?)?
    (?P<pronoun>
        (?:it|this(?:\s(?:one|example))?|that|they|these|(?:the|this)\s(?:hypothesis|statement|claim|meaning
                |(?:sentence\s)?pair|(?:two\s)?(?:sentence|question)s))
            (?:['’]s|\s(?:is|are|must\sbe|(?:seem|appear)s?(?:\sto\sbe)?))\s(?:(?:classified|labell?ed)\s(?:as\s)?)?
        |(?:that|this)\smakes\s(?:it|this|the\spair)\s
        |(?:it|they|the\s(?:hypothesis|premise|(?:two\s)?sentences))\s(?=contradict)
        |the\s(?:premise|evidence)\s(?=entails|supports|refutes))?)
"""
# How it states a label, and what may follow in the sentence: nothing, a denial of another label, or a reason without
# a second predicate or a limit. What follows a colon or a dash speaks of the texts, not of the label.
PREDICATE = rf"""
(?:(?:most\s)?(?:definitely|clearly|probably|likely)\s)?
(?P<stated>(?-i:(?:an?|An|[Tt]he|(?:[Tt]he\s)?[Oo]ption)\s)?['‘(]*MARKER(?P<label>OTHER)
    (?:{BETWEEN}OTHER(?={BETWEEN}OTHER))*+(?:{BETWEEN}OTHER)?['’)]*+
    (?:(?:\s(?:by|to|of|with(?:\srespect\sto)?))?(?:\s(?:the|each))?\s(?:premise|hypothesis|other|it|claim)\b)?
    (?:\s(?:is\s(?:the\s)?(?:correct|right|best|answer)(?:\s{KEY})?|it\sis)
        |\sfits\sbest|,\sit\s(?:follows|does)
        |,?\s\(?(?:I\s(?:think|believe|guess|suppose)|probably|most\slikely|(?:fairly|quite|very)\s(?:sure|confident))\)?
        |\s\((?:confidence:\s)?(?:high|[5-9]\d\s?%)\))?)
(?:(?!\s*\.\.)[\s.,;:!)\]}}'’]*\Z
|(?P<more>
    (?:[\s,:;(–—-]*\b(?:and\s)?(?:not|rather\sthan|instead\sof|(?:it\sis\s)?neither)\s(?:an?\s)?OTHER
    |(?!.*?(?:,\s(?:does|is|are|can|would|has|fails)\b|\b(?:but|though|unless|if|only)\b))
        (?:\s(?:because(?!\sof)|since)\b
        |(?(key),?|(?(pronoun),?|,))\s(?:because|since|due\sto|given|as\s(?:the|there|both))\b
        |(?:[,:;(–—]|\s\(|\s[–—-])\s?
            (?!.*?(?:\b(?:too|this|it|so|there|such|otherwise|{KEY}|that\sis|not\s(?:support|hold|go))\b|\bthat\W*\Z))
            (?:the|an?|both|he|she|nothing|no|every|all|some|we|they)\s\S+\s
            (?=.*?(?:\b(?:is|are|has|can|cannot|may|might|says|does|leaves)\b|n['’]t|(?:\S+\s){{3}}))))
    [^?\n]*\Z))
"""
# Spellings of labels.
NOT = r"(?:not|non)[\s_-]+(?:an?\s+)?"
NLI_FORMS = {
    "not_entailment": NOT + r"entail(?:ment|ed|s|ing)?",
    "entailment": r"entail(?:ment|ed|s|ing)?",
    "neutral": r"neutral(?:ity)?",
    "contradiction": r"contradict(?:ion|ory|ed|s|ing)?",
}
# What follows a label that is also an article or a determiner: A, no, neither.
ALONE = r"(?=\W*$|\s*[\n).,:;(–—/-]|\s(?:is|it|or|and|because|since|also|may|cannot|would)\b)"
# A capital letter, or a small one alone or before a parenthesis; within a sentence a capital A is not an article.
LETTERS = (rf"(?-i:A{ALONE}|(?<=[a-z,;]\s)A(?=\s[a-z])|a(?=\)|\W*$))", r"(?-i:{}|{}(?=\)|\W*$))")
# How a clause denies the label that stands at @.
DENIED = r"""
(?:\b(?:not|nor?|never|neither|cannot|without|rather\sthan|instead\sof|far\sfrom|nothing\sis|exclud\w+|rul\w+\sout)
        |n['’]t)\s
    (?:(?:does|is)\sit\s)?(?:(?:be|an?|the|necessarily|clear|called|(?:evidence|reason)\s(?:of|for))\s)*
    (?:OTHER\s(?:the\s\w+\s)?(?:or|and)\s(?:an?\s)?)?@
|\bfor\sit\sto\sbe\s(?:an?\s)?@|\bwould\s(?:only\s)?be\s(?:an?\s)?@\s(?:only\s)?if\b
|@\W*(?:[^,]*,\s)?
    (?:would\s(?:need|require)(?!\s(?:no|only)\b)|is\stoo\s(?:strong|weak)
        |(?:is|does)(?:\snot|n['’]t)\s(?:right|correct|given|supported|hold|apply|fit))\b
"""
DENIED_ITSELF = re.compile(
    r"(?:\b(?:not|never|cannot|longer|only|less|was|far|rul\w+ out|exclud\w+)|n['’]t)\s(?:\w+\s){0,2}@|@.*\?"
    r"|\bno @ \w|@ (?:only|(?:it )?(?:is|does)(?: not|n['’]t))\b",
    re.IGNORECASE,
)
# What denies something, once in a clause, or introduces a label that is not the answer.
DENIAL = re.compile(
    r"\b(?:not?|never|neither|nothing|cannot|without|except|but|least|wrong|incorrect|bad|avoid|exclud\w*|reject\w*"
    r"|other|options|possible|example|format|rul\w+ out|far from)\b|n['’]t\b|[≠¬~]|!=",
    re.IGNORECASE,
)
# What is not of the clause of a label: before it, and after it. No clause is longer than so many characters on a side.
CLAUSE = 200
CLAUSE_BEFORE = re.compile(r"\A.*(?:[.!?,;:()\n–—→]|\b(?:but|so|because|and it)\b)", re.IGNORECASE | re.DOTALL)
CLAUSE_AFTER = re.compile(r"(?:(?<=\?)|(?=[.!;\n])).*", re.DOTALL)
# What takes an answer back.
TAKEN_BACK = re.compile(
    r"\b(?:correction|actually|edit|oops|scratch|mistaken?|wrong|incorrect|second thought|on reflection|sorry|hm+|wait"
    r"|discarded|doubt|opposite|reverse|not be excluded|not support (?:it|this|that)"
    r"|(?:this|that|other) (?:answer|label))\b"
    r"|(?:\A|[.!?,\n]\s*)I\b(?! hope)",
    re.IGNORECASE,
)
# A sentence that explains an answer: about the texts, a heading, or one that does not refer to the answer.
EXPLANATION = re.compile(
    r"(?:the|this|both) (?:premise|hypothesis|texts?|sentences?|statements?|evidence)\b"
    r"|this (?:means|follows|is because)|(?:let me know|(?:I )?hope|here is why)\b"
    r"|(?:explanation|reason\w*|why|confidence|score|note)\W*(?:\Z|:)"
    r"|(?!.*\b(?:I|my|mine|me|you|(?:this|it|so|that)(?=\W*\Z))\b)"
    r"(?:(?:however, )?(?:the|an?|both|he|she|they|it(?= \S+ \S+ )|there|we|no|nothing|because|while)\s\S+\s+\S"
    r"|(?!(?:but|or|yet|if|only|unless|except|not|let|to|as|under|with)\b|.*\b(?:this|that|it)\b)(?:\S+\s+){4})",
    re.IGNORECASE,
)
# What introduces a label, in the line before it; it must begin or end as such, and deny nothing. A line that ends like
# a sentence introduces a label if it says so.
INTRODUCTION, ANNOUNCEMENT = (
    re.compile(rf"(?:\A|(?<=[.!]))[^\w.!]*+(?P<text>\w[^.!]*{end})", re.IGNORECASE)
    for end in (r"(?:[:?→]|\b(?:not|is))\Z", r"\b(?:following|below)\b.*")
)
UNEQUAL = re.compile(r"(?:[≠¬~]|!=)\Z")
INTRODUCING = re.compile(
    r"[^:→]*[?.!]\s*\Z|\W*(?:\w+[,!] )?(?:here|let|based on|step|after|on reflection|so|thus|therefore|hence|final"
    rf"|{QUALIFIERS}{KEY})\b|.*\b(?:analysis|reasoning|conclu\w+|summary)\W*\Z",
    re.IGNORECASE,
)
OPEN_LINE = re.compile(r"[^\s.!?…:)\]|] *\n[ \t]*\Z")
SENTENCE = re.compile(
    r"[^\W_].*?(?:(?<=[.!?…])(?<!vs\.)(?<!i\.e\.)(?<!e\.g\.)(?=[\"')]*\s)|(?=\n)|\Z)", re.IGNORECASE | re.DOTALL
)
# A line or a sentence that is a synonym of a label, maybe after a word for the answer or before what is not enough.
SYNONYMOUS = rf"""
(?m:^)(?P<before>[^\w\n]*+(?:{QUALIFIERS}{KEY}\s*(?:[:=–—→-]|is:?)\s*)?)
(?:(?:it|this|there|the\s(?:answer|hypothesis|relation(?:ship)?))\s(?:is\s)?)?
(?:SYNONYM)
(?:\s(?:(?:from|by|based\son|given|in)\s(?:the|this|what)|to\s(?:tell|say|decide|determine|know))\b[^\n.:!?;]*)?
(?=["')]*(?:[.!](?=\s|\Z)|[^\w\n]*(?m:$)))
"""
# What replies call neutral beside the names that data sets have for it.
UNDECIDED = (
    r"(?:in|un)determinate|inconclusive|undecidable|can(?:\s?not|['’]t)\sbe\sdetermined"
    r"|insufficient\s(?:information|evidence)"
)
# A line, or an entry of a JSON object, that gives a label a number or says whether it is right.
VALUED = r"""
(?:(?m:^)|[{,])[^\w\n]*(?P<label>OTHER)[^\w\n]*(?:[:=|→]|\s[–—-])\s*
    (?:(?P<number>(?:\d*\.)?\d+)\s?%?|(?P<yes>yes|true)|no|false)[^\w\n,]*(?:(?m:$)|(?=,))
"""
