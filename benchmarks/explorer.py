"""Measure results and the explorer at the paper's size: 228,186 variants, 13 models, made-up answers.

    python -m benchmarks.explorer [--folder made-up]

Writing the data takes minutes and is not measured; with `--folder` it is kept for the next run. Each command runs in a
process of its own, whose time and maximum resident set size are those that the system counts. Opening is the time from
the start of the navigation to the first frame with cards, filtering that from the change of a control to the next
frame, both in headless Chromium.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.analysis import processor
from benchmarks.made_up_results import write_dataset, write_results
from tests.browser import chromium

VARIANTS = 228_186
OPENED, FILTERED = 5, 5
READ = "from merge_snli import read_results; from merge_snli.scoring.grouping import ranked; "
COMMANDS = {
    "read and rank all results": READ + "ranked(read_results({0!r}))",
    "read all tables as one": "from merge_snli import read_answers; read_answers({0!r}, data={1!r})",
    "write the page": "from merge_snli.cli import main; main(['explore', {0!r}, '--dataset', {1!r}, '--out', {2!r}])",
}
"""Python code of each command, with the folders of the results, the data set and the page."""
CONTROLS = {
    "word class": ("wordClass", "1"),
    "gold label": ("label", "1"),
    "model": ("model", "3"),
    "share of right variants": ("low", "50"),
    "two models differ": ("second", "5"),
    "fragile": ("fragile", "1"),
    "search": ("q", "bab"),
    "sort by differing answers": ("sort", "differ"),
    "words": ("view", "words"),
    "words of a model": ("model", "3"),
}
"""The control that each measurement changes, and its new value."""

FRAME = "requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)))"


def write(folder: Path) -> None:
    """Write the data set and the results, unless an earlier run did."""
    if not (folder / "done").exists():
        write_dataset(folder / "data", variants=VARIANTS, number=0)
        write_results(folder / "data", folder / "results")
        (folder / "done").touch()


def commands(folder: Path) -> Iterator[str]:
    """Run each command, and yield a row with its time and its memory; then the sizes of the files."""
    yield from ("| command | seconds | CPU seconds | peak memory (MiB) |", "| --- | --- | --- | --- |")
    results, data, page = (str(folder / name) for name in ("results", "data", "explorer"))
    for name, code in COMMANDS.items():
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-c", code.format(results, data, page)], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{name} failed")
        cpu = used.ru_utime + used.ru_stime
        row = (f"{time.perf_counter() - start:.1f}", f"{cpu:.1f}", f"{used.ru_maxrss / 1024:,.0f}")
        yield f"| {name} | {' | '.join(row)} |"
    for suffix in (".parquet", ".json"):
        sizes = [path.stat().st_size / 1e6 for path in Path(results).glob(f"*{suffix}")]
        yield f"largest {suffix} of a result: {max(sizes):.2f} MB"
    yield f"page: {(folder / 'explorer' / 'index.html').stat().st_size / 1e6:.1f} MB"


def page(folder: Path) -> Iterator[str]:
    """Open the page and change each control; yield a row with the median and the largest time of each, and memory."""
    with chromium("--disable-gpu", "--enable-precise-memory-info") as browser:
        opened = [_open(browser, folder / "explorer" / "index.html") for _ in range(OPENED)]
        yield from ("| step | median (ms) | largest (ms) |", "| --- | --- | --- |")
        yield _row("open", opened)
        for name, (control, value) in CONTROLS.items():
            before = "#view=words" if name.startswith("words of") else "#first=2"
            found = []
            for _ in range(FILTERED):
                browser.execute_script(f"location.hash = '{before}'")
                time.sleep(0.5)
                found.append(_changed(browser, control, value))
            yield _row(name, found)
        heap = browser.execute_script("return performance.memory.usedJSHeapSize")
        yield f"JavaScript heap: {heap / 2**20:.0f} MiB; renderer: {_renderer(browser):.0f} MiB resident at most"


def _open(browser: Any, path: Path) -> float:  # noqa: ANN401 - a browser
    browser.get("about:blank")
    browser.get(path.as_uri())
    shown = (
        "const done = arguments[0], start = 0;"
        f"const look = () => document.body.classList.contains('loading') ? setTimeout(look, 1) : {FRAME};"
        "look();"
    )
    return float(browser.execute_async_script(shown))


def _changed(browser: Any, control: str, value: str) -> float:  # noqa: ANN401 - a browser
    """Change a control; return the milliseconds to the frame that shows it."""
    change = (
        "const [name, value, done] = arguments, start = performance.now();"
        "const one = document.getElementById(name === 'view' ? 'view-words' : name);"
        "if (name === 'fragile' || name === 'view') one.click();"
        "else { one.value = value; one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : 'input')); }"
        f"{FRAME};"
    )
    return float(browser.execute_async_script(change, control, value))


def _row(name: str, milliseconds: list[float]) -> str:
    return f"| {name} | {statistics.median(milliseconds):.0f} | {max(milliseconds):.0f} |"


def _renderer(browser: Any) -> float:  # noqa: ANN401 - a browser
    """Return the maximum resident set size of the largest renderer of a browser, in MiB."""
    table = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in table.splitlines()]
    own = {str(browser.service.process.pid)}
    for _ in range(4):
        own |= {pid for pid, parent, *_ in rows if parent in own}
    renderers = [pid for pid, _, *args in rows if pid in own and "--type=renderer" in "".join(args)]
    status = [Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in renderers]
    return max(int(text.partition("VmHWM:")[2].split()[0]) for text in status) / 1024


def main() -> None:
    """Write what is missing of the data, and print a table for the commands and one for the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the data, the results and the page are kept")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        folder = folder or Path(temporary)
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(folder,))
        writer.start()
        writer.join()
        if writer.exitcode:
            raise SystemExit("the data could not be written")
        sys.stdout.write(f"{processor()}, load {os.getloadavg()[0]:.1f}\n\n")
        for line in commands(folder):
            sys.stdout.write(f"{line}\n")
        sys.stdout.write("\n")
        for line in page(folder):
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
