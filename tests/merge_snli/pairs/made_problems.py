"""Made-up problems for Extended Pair: two sources with many subjects, and sentences that must be left out."""

from __future__ import annotations

import json
from pathlib import Path

FIRST = """\
A waiter sleeps near a fence.
A driver is reading an old letter.
A pilot walks across wet grass.
A farmer was painting a yellow door.
A teacher can juggle oranges.
A nurse sells fresh bread.
A singer opened two windows.
A dancer has lost some keys.
A baker will visit Paris.
A tailor carries heavy boxes.
A lawyer repairs broken clocks.
A doctor has a silver spoon.
A soldier drinks cold tea.
A sailor climbs steep stairs.
A painter is holding a red balloon.
A gardener watched birds.
A hunter studies ancient maps.
A miner is wearing purple gloves.
A judge built tiny boats.
A chef feeds hungry ducks.
A plumber writes long poems.
A mechanic collects stamps.
A librarian plays chess.
A clerk is cooking soup.
A barber throws stones.
A guard counts coins.
A jockey folds shirts.
A coach polishes mirrors.
A drummer rides a bicycle.
A magician fixes the radio.
A acrobat waters the roses.
A king speaks Greek.
A queen wears a crown.
A poet sings quietly.
A thief escaped from prison.
A senator signed the law.
""".splitlines()

SECOND = """\
The bridge attracts rich tourists.
The castle was closed yesterday.
The museum lies behind tall trees.
The library is famous across Europe.
The factory opened last summer.
The hotel needs modern lights.
The market burned during winter.
The station has nine gates.
The temple can hold thousands of visitors.
The theater was sold cheaply.
The hospital floods in spring.
The harbor looks grey.
The garden will reopen soon.
The river costs ten dollars.
The valley is quiet tonight.
The mountain belongs to monks.
The island faces north.
The village was built quickly.
The tower inspired great poets.
The palace smells of smoke.
The church employs young workers.
The school has become dangerous.
The stadium is covered with snow.
The airport exports glass.
The tunnel drew loud crowds.
The lake lost a roof.
The desert hides secret rooms.
The forest serves local fish.
The canal remains empty.
The fountain shines brightly.
The road moved westward.
The bakery makes sweet cakes.
The prison holds forty men.
The statue stands near the park.
The monument honors a general.
The ferry leaves at noon.
""".splitlines()

LEFT_OUT = (
    "He is reading a book.",
    "There is a cat on the sofa.",
    "Nobody opened a window.",
    "A carpenter does not smile.",
    "A man standing on a ladder.",
    "On Monday a vet sings.",
    "A person is running fast.",
    "A juggler sings and the clown laughs.",
    "Stop the old train.",
)
HYPOTHESES = ("Everyone likes music.", "It is raining.", "Prices were lower before.", "Nothing happened.", "Go home.")


def save_sources(folder: Path) -> tuple[str, str]:
    """Write two files of problems and return their paths."""
    return save(folder / "first.jsonl", FIRST), save(folder / "second.jsonl", SECOND)


def save(path: Path, premises: list[str]) -> str:
    """Write problems with some premises and those to leave out, each with three hypotheses of its own."""
    rows = [
        {"premise": premise, "hypothesis": f"{text[:-1]} number {number}{nth}.", "label": "neutral"}
        for number, premise in enumerate((*LEFT_OUT, *premises))
        for nth, text in enumerate(HYPOTHESES[number % 3 :][:3])
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)
