"""Write a tiny WordNet in the file format of the real one: `index.*`, `data.*` and `*.exc`."""

from pathlib import Path
from typing import NamedTuple

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
HEADER = "  1 a few synsets, in the form of WordNet 3.0 Copyright lines  \n"


class Synset(NamedTuple):
    """A set of synonyms.

    Attributes:
        pos: `n`, `v`, `a` or `r`.
        words: Its words.
        hypernyms: The first words of its hypernym synsets.
        antonym: An antonym of its first word.
    """

    pos: str
    words: tuple[str, ...]
    hypernyms: tuple[str, ...] = ()
    antonym: str | None = None


SYNSETS = (
    Synset("n", ("animal", "beast")),
    Synset("n", ("carnivore",), ("animal",)),
    Synset("n", ("canine",), ("carnivore",)),
    Synset("n", ("feline",), ("carnivore",)),
    Synset("n", ("dog", "hound"), ("canine",)),
    Synset("n", ("wolf",), ("canine",)),
    Synset("n", ("cat",), ("feline",)),
    Synset("n", ("guitar",)),
    Synset("n", ("child", "kid")),
    Synset("v", ("move",)),
    Synset("v", ("run",), ("move",)),
    Synset("v", ("be",)),
    Synset("v", ("stand",), ("be",)),
    Synset("a", ("big", "large"), antonym="small"),
    Synset("a", ("small", "little"), antonym="big"),
    Synset("r", ("slowly",)),
)
EXCEPTIONS = {"adj": "bigger big\n", "noun": "wolves wolf\nchildren child\n", "verb": "ran run\nis be\n"}


def save_wordnet(folder: Path) -> Path:
    """Write the files of `SYNSETS` and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for pos, name in FILES.items():
        of_pos = [synset for synset in SYNSETS if synset.pos == pos]
        offsets = _offsets(of_pos)
        data = index = HEADER
        for synset in of_pos:
            data += _line(synset, offsets)
            for word in synset.words:
                index += f"{word} {pos} 1 0 1 0 {offsets[synset.words[0]]:08d}  \n"
        (folder / f"data.{name}").write_text(data)
        (folder / f"index.{name}").write_text(index)
        (folder / f"{name}.exc").write_text(EXCEPTIONS.get(name, ""))
    return folder


def _offsets(synsets: list[Synset]) -> dict[str, int]:
    """Return the byte offset of each synset's line by its first word; offsets have a fixed width."""
    offsets: dict[str, int] = {}
    place = len(HEADER)
    unknown = {synset.words[0]: 0 for synset in synsets}
    for synset in synsets:
        offsets[synset.words[0]] = place
        place += len(_line(synset, unknown))
    return offsets


def _line(synset: Synset, offsets: dict[str, int]) -> str:
    words = " ".join(f"{word} 0" for word in synset.words)
    pointers = [f"@ {offsets[above]:08d} {synset.pos} 0000" for above in synset.hypernyms]
    if synset.antonym is not None:
        pointers.append(f"! {offsets[synset.antonym]:08d} {synset.pos} 0101")
    frames = " 00" if synset.pos == "v" else ""
    return (
        f"{offsets[synset.words[0]]:08d} 00 {synset.pos} {len(synset.words):02x} {words} "
        f"{' '.join([f'{len(pointers):03d}', *pointers])}{frames} | a meaning  \n"
    )
