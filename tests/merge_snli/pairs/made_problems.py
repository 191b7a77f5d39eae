"""Made-up problems for Extended Pair: two sources with many subjects, and sentences that must be left out."""

from pathlib import Path

from tests.oracles import write_rows

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
The architect attracts rich tourists.
The mayor was seen yesterday.
The monk rests behind tall trees.
The author is famous across Europe.
The banker traveled last summer.
The surgeon needs modern lights.
The grocer shivered during winter.
The knight has nine swords.
The priest can welcome thousands of visitors.
The actor was paid cheaply.
The swimmer trains in spring.
The captain looks grey.
The butcher will return soon.
The sculptor charges ten dollars.
The student is quiet tonight.
The emperor belongs to monks.
The scout faces north.
The tenant was moved quickly.
The bishop inspired great poets.
The smoker smells of smoke.
The boss employs young workers.
The criminal has become dangerous.
The skier is covered with snow.
The merchant exports glass.
The comedian drew loud crowds.
The landlord lost a roof.
The spy hides secret rooms.
The waitress serves local fish.
The prisoner remains alone.
The bride smiles brightly.
The settler moved westward.
The cook makes sweet cakes.
The jailer guards forty men.
The beggar stands near the park.
The widow honors a general.
The passenger leaves at noon.
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
    "A carpenter is playing music and singing into a microphone.",
    "A carpenter seized a bell and the clown a drum.",
    "London is quiet tonight.",
    "A carpenter is a friend.",
    "A carpenter has the best tools.",
)
HYPOTHESES = ("Everyone likes music.", "It is raining.", "Prices were lower before.", "Nothing happened.", "Go home.")


def save_sources(folder: Path) -> tuple[str, str]:
    """Write two files of problems and return their paths."""
    return save(folder / "first.jsonl", FIRST), save(folder / "second.jsonl", SECOND)


def save(path: Path, premises: list[str]) -> str:
    """Write problems with some premises and those to leave out, each with three hypotheses of its own."""
    rows = []
    for number, premise in enumerate((*LEFT_OUT, *premises)):
        for nth, text in enumerate(HYPOTHESES[number % 3 :][:3]):
            hypothesis = f"{text[:-1]} number {number}{nth}."
            rows.append({"premise": premise, "hypothesis": hypothesis, "label": "neutral"})
    return str(write_rows(path, rows))
