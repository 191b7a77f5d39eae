"""Compare tagging suggestions in their receptive field with tagging whole sentences.

    python -m benchmarks.tags --problems snli/test.jsonl --cases 20000

The cases are suggestions of a bundled masked LM for the forms of real problems. Both methods run in turn on parts of
the cases, and all tags are compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Mapping
from itertools import islice

from benchmarks.forms import forms_of, suggestions_of
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import Fillers
from generation.sentences.forms import Form, Substitution
from generation.sentences.receptive_field import ReceptiveFieldTagger
from generation.sentences.tagging import SENTENCES_PER_BATCH
from merge_snli.models.finding import find_model
from merge_snli.models.tagger import find_tagger

MIN_SPEEDUP = 10.0
"""Target speedup over tagging whole sentences."""
SLICES = 5
SUGGESTIONS_PER_FORM = 50


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="problem file (default: the bundled problems)")
    parser.add_argument("--cases", type=int, default=20_000, help="number of suggestions (default: 20000)")
    parser.add_argument("--mlm", default="demo:mlm-wordpiece", help="masked LM (default: %(default)s)")
    arguments = parser.parse_args()
    suggestions = real_suggestions(forms_of(arguments.problems, arguments.cases), arguments.mlm, arguments.cases)
    sys.stdout.write(compare(suggestions))


def real_suggestions(forms: Mapping[str, Form], mlm: str, count: int) -> list[Substitution]:
    """Return up to `count` suggestions with their positions, at most `SUGGESTIONS_PER_FORM` per form."""
    loaded = load_masked_lm(find_model(mlm), device="cpu")
    selected = dict(list(forms.items())[: max(1, count // 10)])
    suggestions: list[Substitution] = []
    for some in loaded.answers(selected, 200):
        for key, answer in some.items():
            if isinstance(answer, Fillers):
                form = selected[key]
                kept = islice(suggestions_of(form, answer, loaded.vocabulary), SUGGESTIONS_PER_FORM)
                suggestions += [Substitution(form.text, form.start, form.end, word) for word in kept]
    if len(suggestions) < count:
        sys.stderr.write(f"only {len(suggestions)} suggestions instead of {count}: use more --problems\n")
    return suggestions[:: max(1, len(suggestions) // count)][:count]


def compare(suggestions: list[Substitution]) -> str:
    """Tag all suggestions with both methods, part by part, and return the table."""
    tagger = find_tagger()
    fast = ReceptiveFieldTagger(tagger)
    list(tagger.nlp.pipe([suggestions[0].text]))
    tags: dict[str, list[str | None]] = {"whole": [], "in place": []}
    seconds: dict[str, list[float]] = {"whole": [], "in place": []}
    size = -(-len(suggestions) // SLICES)
    for first in range(0, len(suggestions), size):
        chunk = suggestions[first : first + size]
        start = time.perf_counter()
        docs = list(tagger.nlp.pipe((suggestion.text for suggestion in chunk), batch_size=SENTENCES_PER_BATCH))
        seconds["whole"].append((time.perf_counter() - start) / len(chunk))
        tags["whole"] += [
            next((token.tag_ for token in doc if token.idx == suggestion.start and token.text == suggestion.word), None)
            for suggestion, doc in zip(chunk, docs, strict=True)
        ]
        start = time.perf_counter()
        tags["in place"] += fast.tags(chunk)
        seconds["in place"].append((time.perf_counter() - start) / len(chunk))
    equal = sum(one == other for one, other in zip(tags["whole"], tags["in place"], strict=True))
    slow, quick = (1 / statistics.median(seconds[name]) for name in ("whole", "in place"))
    sentences = len({suggestion.text for suggestion in suggestions})
    return (
        "| method | tags per second |\n| --- | --- |\n"
        f"| whole sentences, nlp.pipe | {slow:,.0f} |\n| receptive field | {quick:,.0f} |\n\n"
        f"speedup {quick / slow:.1f} (target: {MIN_SPEEDUP:.0f}); {equal:,} of {len(suggestions):,} tags equal "
        f"({sentences:,} distinct sentences)\n"
    )


if __name__ == "__main__":
    main()
