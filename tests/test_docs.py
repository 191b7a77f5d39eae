"""The Markdown pages: short paragraph lines, links that resolve, commands that parse, and notebooks that run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from merge_snli.base.files import read_json
from tests import ROOT

if TYPE_CHECKING:
    from tests.conftest import DemoRun

PATTERNS = ("*.md", "docs/**/*.md", "metrics/**/*.md", "training/README.md", "merge_snli/embedded/*/*.md")
TEMPLATES = {"dataset_card.md", "pairs_card.md"}
"""Not checked: their lines are as long as what fills them."""
PAGES = sorted(
    page.relative_to(ROOT) for pattern in PATTERNS for page in ROOT.glob(pattern) if page.name not in TEMPLATES
)
MAX_LENGTH = 120

FENCE = re.compile(r"^\s*(```|~~~)")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FOLDERS = ("docs", "generation", "merge_snli", "metrics", "tests")
NAMED_FILE = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w/]+\.(?:json|md|py))`")
HEADING = re.compile(r"^#+\s+(.+?)\s*$", re.MULTILINE)


def prose(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines that are neither front matter nor inside a code block."""
    front = FRONT_MATTER.match(text)
    first = front[0].count("\n") if front else 0
    lines = []
    in_code = False
    for number, line in enumerate(text.splitlines()[first:], start=first + 1):
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code:
            lines.append((number, line))
    return lines


def long_lines(text: str) -> list[int]:
    """Return the numbers of paragraph lines over the limit; table rows and lines with a link are exempt."""
    return [
        number
        for number, line in prose(text)
        if len(line) > MAX_LENGTH and not line.lstrip().startswith("|") and not LINK.search(line)
    ]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    text = "\n".join(line for _, line in prose(page.read_text(encoding="utf-8")))
    found = set()
    for heading in HEADING.findall(text):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-"))
    return found


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page whose file or anchor does not exist."""
    broken = []
    for target in LINK.findall("\n".join(line for _, line in prose(page.read_text(encoding="utf-8")))):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = page.parent / path if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)
    return broken


def test_the_pages_are_found() -> None:
    assert {Path("README.md"), Path("CHANGELOG.md"), Path("docs/method.md"), Path("docs/api/scoring.md")} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_lines_of_paragraphs_are_short_and_links_and_files_exist(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert long_lines(text) == []
    assert re.search(r"^\|[ :|-]+\|\n\n", text, re.MULTILINE) is None, "a table without rows"
    assert broken_links(ROOT / page) == []
    named = set(NAMED_FILE.findall(text)) - {"merge_snli/merge_snli.py"}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    # It counts tokens with a file that it downloads, unless its outputs state them.
    assert "--model mockllm" not in text


def test_the_site_lists_every_page() -> None:
    import yaml

    listed = navigation(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    for page in PAGES:
        if page.parts[0] == "docs":
            assert page.relative_to("docs").as_posix() in listed


def test_links_out_of_the_folder_resolve_in_the_site(tmp_path: Path) -> None:
    """The Makefile copies some files beside the pages, and rewrites the links to them."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    copied = re.findall(r"^\tcp (\S+) \$\(SITE_PAGES\)/(\S+)$", makefile, re.MULTILINE)
    assert copied
    pages = shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for source, name in copied:
        shutil.copy(ROOT / source, pages / name)
    for notebook in pages.glob("*.ipynb"):
        notebook.rename(notebook.with_suffix(".md"))
    rewriting = makefile.partition("sed -i.bak ")[2].partition("$(SITE_PAGES)")[0]
    expressions = shlex.split(" ".join(re.findall(r"(-e '[^']+')", rewriting)))
    for page in pages.glob("*.md"):
        page.write_bytes(subprocess.check_output(["sed", *expressions], input=page.read_bytes()))
    for page in pages.glob("*.md"):
        assert broken_links(page) == [], page.name


def navigation(entry: Any) -> set[str]:  # noqa: ANN401 - a YAML value
    """Return the pages in a site's navigation."""
    if isinstance(entry, str):
        return {entry}
    return set().union(*map(navigation, entry.values() if isinstance(entry, dict) else entry))


@pytest.mark.parametrize("name", ["tutorial", "five-questions"])
def test_notebooks_are_committed_without_outputs(name: str) -> None:
    notebook = read_json(ROOT / "docs" / f"{name}.ipynb")
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert all(cell["execution_count"] is None and not cell["outputs"] for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "images", "tables", "printed"),
    [
        ("tutorial", 2, 4, "PA(0.9) on variants"),
        ("five-questions", 0, 4, "if their errors were independent"),
    ],
)
def test_the_notebooks_run(tmp_path: Path, name: str, images: int, tables: int, printed: str) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "docs" / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = [kind for output in outputs for kind in output.get("data", {})]
    assert (shown.count("image/png"), shown.count("text/html")) == (images, tables)
    assert any(printed in output.get("text", "") for output in outputs)


BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
PLACEHOLDER = re.compile(r"[\[\]|…]|\.\.\.")
MARK = re.compile(r"<!-- needs: (\w+) -->\s*\Z")
NEEDS = {
    "cluster": "Slurm, or a Ray cluster",
    "data": "files that are not bundled, such as SNLI's or your own",
    "install": "to install packages, or a package that is not installed with the development tools",
    "model": "a model that is not bundled, or its weights' training",
    "network": "the Hub, or another host",
    "time": "many minutes",
}
"""Why a block of code is not run by the tests: an HTML comment before the block says what it needs."""


class Block(NamedTuple):
    """A block of code of a page."""

    language: str
    code: str
    needs: str | None


def blocks(page: Path) -> list[Block]:
    """Return the blocks of code of a page, without the indentation that those in lists have."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        mark = MARK.search(text[: match.start()])
        lines = [line.removeprefix(match[1]) for line in match[3].splitlines(keepends=True)]
        found.append(Block(match[2], "".join(lines), mark and mark[1]))
    return found


def commands(page: Path) -> list[str]:
    """Return the lines of a page's shell blocks and workflows that call `merge-snli`, with continued lines joined."""
    found = []
    for block in blocks(page):
        if block.language in ("bash", "yaml"):
            for line in re.sub(r"\s*\\\n\s*", " ", block.code).splitlines():
                _, name, rest = line.partition("  #")[0].strip().partition("merge-snli ")
                if name:
                    found.append(name + rest)
    return found


COMMANDS = [(str(page), command) for page in PAGES for command in commands(ROOT / page)]


def test_the_commands_of_pages_are_found() -> None:
    assert len(COMMANDS) > 60
    assert any(command.startswith("merge-snli generate demo:problems") for _, command in COMMANDS)


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_the_commands_of_pages_are_accepted(page: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A command parses as it is pasted; of one with placeholders such as `[--quiet]`, the options exist."""
    import shlex

    from merge_snli.cli import COMMANDS as SUMMARIES
    from merge_snli.cli import command_parser

    name = command.split()[1].strip("`")
    if name not in SUMMARIES:  # a placeholder, or a file name that starts so
        assert re.fullmatch(r"[A-Z]+|--[\w-]+", name) or "docker" in command
        return
    if PLACEHOLDER.search(command):
        [subparsers] = (action for action in command_parser([name])._actions if isinstance(action.choices, dict))
        assert isinstance(subparsers.choices, dict)
        assert {*re.findall(r"--[a-z][\w-]*", command)} <= all_options(subparsers.choices[name])
        return
    arguments = shlex.split(re.split(r"\s(?:&&|\||>>?|2>)\s", command)[0])[1:]
    try:
        command_parser([name]).parse_args(arguments)
    except SystemExit as error:
        assert error.code == 0, capsys.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_is_not_run_is_marked_and_what_is_run_has_no_placeholders(page: Path) -> None:
    marks = [block for block in blocks(ROOT / page) if block.needs]
    assert {block.needs for block in marks} <= NEEDS.keys()
    assert len(marks) == (ROOT / page).read_text(encoding="utf-8").count("<!-- needs:")
    for block in runnable(page):
        assert re.findall(r"\b(?:ORG|MODEL|FILE|DATA|DIR|NAME)\b", block.code) == []
        if block.language == "python":
            compile(block.code, str(page), "exec")
        if block.language == "bash":
            subprocess.run(["bash", "-n"], input=block.code, text=True, check=True)


def runnable(page: Path) -> list[Block]:
    """Return the blocks of code that the tests run, and the blocks of text with their output."""
    if page.parts[0] == "metrics":  # a doctest
        return []
    languages = {"bash", "text"} if page == Path("README.md") else {"bash", "python", "text"}
    return [block for block in blocks(ROOT / page) if block.language in languages and not block.needs]


WORKFLOWS = [(str(page), block.code) for page in PAGES for block in blocks(ROOT / page) if block.language == "yaml"]


def test_workflows_of_pages_pass_the_linter_of_our_own(tmp_path: Path) -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    if not zizmor.is_file():
        pytest.skip("zizmor is not installed")
    assert {page for page, _ in WORKFLOWS} == {"docs/any-benchmark.md", "docs/ci.md", "docs/leaderboard.md"}
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, (_, code) in enumerate(WORKFLOWS):
        (folder / f"{number}.yml").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [zizmor, "--quiet", "--offline", "--persona", "pedantic", folder.parent],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_workflows_of_pages_pin_the_actions_that_our_own_pin() -> None:
    own = "".join(path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").iterdir())
    for _, code in WORKFLOWS:
        used = re.findall(r"uses: .+", code)
        assert used
        assert [line for line in used if line not in own] == []


@pytest.fixture
def scratch(page: Path, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a folder with the bundled data set, as in a checkout.

    If the page names them, it has the answers and predictions of the demo, which takes a minute.
    """
    for part in ("README.md", "data", "embedded", "run.json", "run.toml"):
        (tmp_path / "merge_snli").mkdir(exist_ok=True)
        (tmp_path / "merge_snli" / part).symlink_to(ROOT / "merge_snli" / part)
    (tmp_path / "metrics").symlink_to(ROOT / "metrics")
    code = "".join(block.code for block in runnable(page))
    if "my_data" in code or "results" in code:
        demo: DemoRun = request.getfixturevalue("demo_run")
        shutil.copytree(demo.out / "merge_snli.work", tmp_path / "my_data" / "merge_demo.work")
        shutil.copytree(demo.out / "results.work", tmp_path / "results.work")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)], ids=str)
def test_the_code_of_a_page_runs_and_prints_what_is_shown(
    page: Path, scratch: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The blocks run one after another in one folder."""
    other = tmp_path_factory.mktemp("other")
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HF_HOME": str(other / "cache"),
        "MPLBACKEND": "agg",
    }
    printed: list[str] = []
    for block in runnable(page):
        if block.language == "text":
            assert not_printed(block.code, printed) == []
            continue
        script = other / "block"
        script.write_text(block.code, encoding="utf-8")
        command = ["bash", "-e", str(script)] if block.language == "bash" else [sys.executable, str(script)]
        done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{block.code}\n{done.stdout}\n{done.stderr}"
        printed = [line.rstrip() for line in done.stdout.splitlines()]


def not_printed(shown: str, printed: list[str]) -> list[str]:
    """Return the lines of a shown output that were not printed in this order.

    `…` stands for lines that are left out, and at the end of a line for the rest of it.
    """
    lines = iter(printed)
    found = []
    for line in shown.splitlines():
        start = line.removesuffix("…").strip()
        if start and not any(each.strip().startswith(start) if "…" in line else each == line for each in lines):
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("shown", "missing"),
    [("a  1\n…\nc  3, …\n", []), ("  b  2\na  1\n", ["a  1"]), ("a  1 2\n", ["a  1 2"])],
)
def test_a_line_of_output_that_was_not_printed_is_found(shown: str, missing: list[str]) -> None:
    assert not_printed(shown, ["a  1", "  b  2", "", "c  3, 4, 5"]) == missing


OF_OTHER_PROGRAMS = {
    "any-benchmark.md",
    "augmentation.md",
    "benchmarks.md",
    "dependencies.md",
    "install.md",
    "language-models.md",
}
"""Pages that also name options of other programs."""


def test_the_options_in_prose_exist() -> None:
    from merge_snli.cli import command_parser

    known = all_options(command_parser())
    count = 0
    for page in PAGES:
        if page.parts[0] != "docs" or page.name in OF_OTHER_PROGRAMS:
            continue
        for code in re.findall(r"`([^`\n]*)`", (ROOT / page).read_text(encoding="utf-8")):
            named = re.findall(r"(?<![\w-])--[a-z][\w-]*", code)
            if "python -m" not in code:
                count += len(named)
                assert known.issuperset(named), page
    assert count > 100


def all_options(parser: Any) -> set[str]:  # noqa: ANN401 - a parser, also of a command's own subcommands
    """Return the options of a parser and of its subparsers."""
    found = {option for action in parser._actions for option in action.option_strings}
    nested = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
    return found.union(*(all_options(each) for choices in nested for each in choices.values()))
