"""Wrong command lines: each ends with exit code 2 and one sentence, writes nothing and shows no traceback."""

from __future__ import annotations

import shlex
import shutil
from itertools import product
from pathlib import Path

import pytest

from merge_snli.cli import main
from merge_snli.dataset.stored import CARD_FILE, FOLDER, RUN_FILE

GENERATE = "generate demo:problems --mlm demo:mlm-bpe --out g"
SCORE = "score demo:nli-a --dataset demo:dataset --out r"

WRONG = f"""
nonsense
generate
generate demo:problems
generate demo:problems --out g
generate nowhere --mlm demo:mlm-bpe --out g
generate nowhere.csv --mlm demo:mlm-bpe --out g
generate empty.csv --mlm demo:mlm-bpe --out g
generate header.csv --mlm demo:mlm-bpe --out g
generate wrong.csv --mlm demo:mlm-bpe --out g
generate short.csv --mlm demo:mlm-bpe --out g
generate blank.csv --mlm demo:mlm-bpe --out g
generate nul.csv --mlm demo:mlm-bpe --out g
generate latin.csv --mlm demo:mlm-bpe --out g
generate quote.csv --mlm demo:mlm-bpe --out g
generate semicolon.csv --mlm demo:mlm-bpe --out g --delimiter ,
generate twice.csv --mlm demo:mlm-bpe --out g
generate labels.csv --mlm demo:mlm-bpe --out g
generate scores.csv --mlm demo:mlm-bpe --out g
generate good.csv --mlm demo:mlm-bpe --out g --id-column nope
generate good.csv --mlm demo:mlm-bpe --out g --premise-column nope
generate good.csv --mlm demo:mlm-bpe --out g --label-column nope
generate good.csv --mlm demo:mlm-bpe --out g --keep-column nope
generate good.csv --mlm demo:mlm-bpe --out g --data-labels a b
generate good.csv --mlm demo:mlm-bpe --out g --split test
generate good.csv --mlm demo:mlm-bpe --out g --delimiter ;;
generate broken.jsonl --mlm demo:mlm-bpe --out g
generate number.jsonl --mlm demo:mlm-bpe --out g
generate list.json --mlm demo:mlm-bpe --out g
generate damaged.parquet --mlm demo:mlm-bpe --out g
generate damaged.csv.gz --mlm demo:mlm-bpe --out g
generate table.xlsx --mlm demo:mlm-bpe --out g
generate spreadsheet.csv --mlm demo:mlm-bpe --out g
generate unknown.pdf --mlm demo:mlm-bpe --out g
generate demo:problem --mlm demo:mlm-bpe --out g
generate demo:problems --mlm demo:nothing --out g
generate demo:problems --mlm demo:nli-a --out g
generate demo:problems --mlm nowhere --out g
generate demo:problems --mlm a/b/c --out g
generate demo:problems --mlm good.csv --out g
generate demo:problems --mlm empty-folder --out g
generate demo:problems --mlm demo:mlm-bpe demo:mlm-bpe --out g
generate demo:problems --mlm demo:mlm-bpe --seeds-from no-data --out g
generate demo:problems --preset nope --out g
generate demo:problems --options nowhere.toml --out g
generate demo:problems --options broken.toml --out g
generate demo:problems --options other.toml --out g
{GENERATE} --device gpu
{GENERATE} --device cuda:99
{GENERATE} --dtype float8
{GENERATE} --inflation 0
{GENERATE} --inflation -1
{GENERATE} --inflation x
{GENERATE} --inflation 1.5
{GENERATE} --top-k 0
{GENERATE} --top-k 1e3
{GENERATE} --subsamples 0
{GENERATE} --classes nouns
{GENERATE} --classes
{GENERATE} --sides both
{GENERATE} --filters nope
{GENERATE} --mask some
{GENERATE} --limit 0
{GENERATE} --limit ten
{GENERATE} --sample 0
{GENERATE} --min-mlms 3
{GENERATE} --min-mlms 0
{GENERATE} --max-rank 0
{GENERATE} --min-log-odds x
{GENERATE} --language xx
{GENERATE} --tagger nope
{GENERATE} --workers 0
{GENERATE} --workers two
{GENERATE} --seeds-from nowhere
{GENERATE} --cluster nowhere.toml
{GENERATE} --cluster broken.toml
{GENERATE} --out good.csv
{GENERATE} --out full
{GENERATE} --out good.csv/inside
{GENERATE} --nonsense
{GENERATE} --inflaton 3
{GENERATE} extra --inflation
pairs
pairs nope --out p
pairs simple
pairs simple --out p --premises 0
pairs simple --out p --premises x
pairs simple --out full
pairs simple --out p --lexicon nowhere.toml
pairs simple --out p --lexicon broken.toml
pairs extended --out p --problems nowhere.csv
pairs extended demo:problems --out p --premises 1
tables
tables nowhere
tables good.csv --against nowhere
tables demo:dataset --format html
tables no-data
tables demo:dataset --against no-data
explain demo:dataset
explain demo:dataset --seed-id nope
explain nowhere --seed-id a
explain no-data --seed-id a
explain no-seeds --seed-id a
explain good.csv --seed-id a
validate
validate nowhere
validate good.csv
validate empty-folder
validate full
annotate
annotate nope
annotate sample demo:dataset --out s
annotate sample demo:dataset --annotators --out s
annotate sample demo:dataset --annotators a/b --out s
annotate sample demo:dataset --annotators a a --out s
annotate sample demo:dataset --annotators a --size 0 --out s
annotate sample demo:dataset --annotators a --size x --out s
annotate sample demo:dataset --annotators a --size 99999 --out s
annotate sample demo:dataset --annotators a --out full
annotate sample nowhere --annotators a --out s
annotate sample no-data --annotators a --out s
annotate score nowhere
annotate score empty-folder
score
score demo:nli-a
score demo:nli-a --dataset demo:dataset
score demo:nli-a --dataset nowhere --out r
score demo:nli-a --dataset good.csv --out r
score demo:nli-a --dataset demo:problems --out r
score demo:nli-a --dataset no-data --out r
score demo:nli-z --dataset demo:dataset --out r
score demo:mlm-bpe --dataset demo:dataset --out r
score nowhere --dataset demo:dataset --out r
score empty-folder --dataset demo:dataset --out r
score good.csv --dataset demo:dataset --out r
{SCORE} --config nouns
{SCORE} --config seed
{SCORE} --limit-seeds 0
{SCORE} --limit-seeds 1.5
{SCORE} --subsample 10
{SCORE} --subsample -1
{SCORE} --subsample x
{SCORE} --min-agreement 2
{SCORE} --min-agreement 4/0
{SCORE} --min-agreement 4/5
{SCORE} --group-column nope
{SCORE} --by nope
{SCORE} --device gpu
{SCORE} --dtype float8
{SCORE} --prompt nope
{SCORE} --source nowhere.csv
{SCORE} --labels a b c
{SCORE} --models nope
{SCORE} --cluster nowhere.toml
{SCORE} --format html
{SCORE} --out good.csv
{SCORE} --out full
score demo:nli-a --dataset good.csv --group-column nope --out r
harness
harness nowhere --out h
harness demo:dataset --out h --prompt nope
harness demo:dataset --out h --limit-seeds 0
harness demo:dataset --out full
harness no-data --out h
harness demo:dataset --out good.csv
import
import nowhere.json --dataset demo:dataset --out r
import good.csv --dataset demo:dataset --out r
import broken.jsonl --dataset demo:dataset --out r
import good.csv --dataset nowhere --out r
compare
compare nowhere
compare empty-folder
compare good.csv
compare full --threshold 2
compare --power
compare --power --seeds 0
compare --power --assume 2
compare nowhere --test nope
compare nowhere --alpha 2
compare nowhere --alpha x
analyze
analyze nowhere --dataset demo:dataset
analyze nowhere
analyze empty-folder --dataset demo:dataset --out a
leaderboard
leaderboard nowhere
leaderboard nowhere --out l
leaderboard empty-folder --out l
leaderboard empty-folder --out l --format pdf
leaderboard empty-folder --out l --threshold 2
leaderboard --space
leaderboard damaged --out l
explore
explore nowhere --dataset demo:dataset --out e
explore empty-folder --dataset demo:dataset --out e
explore empty-folder --out e
reproduce
reproduce --demo
reproduce --demo --out p --only nope
reproduce --demo --out p --only
reproduce --demo --out p --limit 0
reproduce --demo --out p --limit x
reproduce --out p --paper nope
reproduce --out p --paper simple-pair --models nope=demo:nli-a
reproduce nowhere.csv --out p --paper simple-pair
reproduce --demo --out full
publish
publish nowhere org/name
publish demo:dataset
publish demo:dataset a/b/c
publish demo:dataset "bad name"
publish good.csv org/name
register
register nowhere
register good.csv
register no-data
register no-seeds
register demo:dataset --as a/b
demo --nonsense
demo --out full
demo --out good.csv
demo --out loop
generate good.csv --mlm demo:mlm-bpe --out loop
leaderboard damaged --out loop
work
work nope
work show
work show loop
harness demo:dataset --config noun --estimate --input-price nan --output-price 1
harness demo:dataset --config noun --estimate --input-price 1 --output-price inf
work show nowhere
work drop nowhere
work status nowhere
work cancel nowhere
completion
completion nope
"""
COMMANDS = [line for line in WRONG.splitlines() if line]

HEADER = "premise,hypothesis,label\n"
ROW = "A man runs.,A man runs.,entailment\n"
FILES: dict[str, str | bytes] = {
    "good.csv": HEADER + ROW,
    "empty.csv": "",
    "header.csv": HEADER,
    "wrong.csv": "a,b\n1,2\n",
    "short.csv": HEADER + "a,b\n",
    "blank.csv": HEADER + ",A man runs.,neutral\n",
    "nul.csv": HEADER + "A \0 man.,A man.,neutral\n",
    "latin.csv": HEADER.encode() + "Ein Bär.,Ein Bär.,neutral\n".encode("latin-1"),
    "quote.csv": HEADER + '"A man,A man.,neutral\n',
    "semicolon.csv": HEADER.replace(",", ";") + ROW.replace(",", ";"),
    "twice.csv": "premise,premise,label\na,b,neutral\n",
    "labels.csv": HEADER + "".join(f"A man.,A man.,{number}\n" for number in (1, 2, 3)),
    "scores.csv": HEADER + "".join(f"A man.,A man.,{number}\n" for number in (0.5, 4.25, 3.1)),
    "broken.jsonl": "{",
    "number.jsonl": "3\n",
    "list.json": "[[1]]",
    "damaged.parquet": b"PAR1",
    "damaged.csv.gz": b"\x1f\x8b\x08",
    "table.xlsx": b"PK\x03\x04",
    "spreadsheet.csv": b"PK\x03\x04",
    "unknown.pdf": b"%PDF",
    "broken.toml": "= 1",
    "other.toml": "nonsense = 1\n",
    "full/other.txt": "x",
    "damaged/result.json": '{"schema_version": ',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "empty-folder").mkdir()
    (folder / "loop").symlink_to("loop")
    shutil.copytree(FOLDER / "data", folder / "no-seeds/data", ignore=shutil.ignore_patterns("seed"))
    for name, file in product(("no-data", "no-seeds"), (RUN_FILE, CARD_FILE)):
        (folder / name).mkdir(exist_ok=True)
        shutil.copy(FOLDER / file, folder / name)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_command_is_refused_in_one_sentence(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    before = {*folder.rglob("*")}
    try:
        code = main(shlex.split(command))
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    error = capfd.readouterr().err
    assert code == 2, error
    assert "Traceback" not in error
    assert any(line.startswith("merge-snli: ") and len(line) > 20 for line in error.splitlines()), error
    made = [path.relative_to(folder) for path in folder.rglob("*") if path not in before]
    assert [path for path in made if path.parts[0] != "g.work"] == []


def test_there_are_many_wrong_commands() -> None:
    assert len({*COMMANDS}) == len(COMMANDS) > 150
