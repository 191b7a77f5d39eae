"""What happens alike on every engine, for the tests of each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from merge_snli.cli import main
from merge_snli.embedded import embedded_path
from tests.merge_snli.runs.runs import files, generate, results, start, status

MODELS = ("demo:nli-a", "demo:nli-b")


def check_scores(dataset: Path, expected: Path, cluster_file: Path, out: Path) -> None:
    """Check that scores are those of one process."""
    code, error = start("score", *MODELS, "--dataset", str(dataset), "--cluster", str(cluster_file), out=out).end()
    assert code == 0, error
    assert len(results(out)) == len(MODELS)
    assert results(out) == results(expected)


def check_lost_node(
    problems: Path,
    expected: Path,
    cluster_file: Callable[..., Path],
    out: Path,
    *,
    lose: Callable[[], object],
    restore: Callable[[], object],
) -> None:
    """Check that a data set is that of one process although one of two nodes is lost while a masked LM runs on both."""
    running = generate(problems, out, cluster_file("few", "[filters]\ntasks = 1\n"))
    running.wait_for("demo:mlm-wordpiece", tasks=2)
    lose()
    try:
        code, error = running.end()
        assert code == 0, error
    finally:
        restore()
    assert files(out) == files(expected)


def check_error_of_the_user(
    problems: Path, folder: Path, cluster_file: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that a masked LM that the machines of the tasks do not have is told in the error's own sentence."""
    source, mlm, out = embedded_path("demo:mlm-bpe"), folder / "my-mlm", folder / "merge_snli"
    assert source is not None
    shutil.copytree(source, mlm)
    file = cluster_file("few", "[tag]\ntasks = 1\n")
    running = generate(problems, out, file, ("--mlm", str(mlm), "--inflation", "3"))
    running.wait_for("read and tag")
    mlm.rename(folder / "not-on-this-machine")
    code, error = running.end()
    assert code == 2
    sentence = f"model folder {mlm} does not exist; give a folder, a Hub id or demo:NAME"
    assert sentence in error
    assert main(["work", "status", str(out)]) == 0
    found = capsys.readouterr().out
    assert sentence in " ".join(found.split())
    assert "Traceback" not in error + found
    failures = status(out)["failures"]  # type: ignore[index]
    assert {failure["stage"] for failure in failures} == {"my-mlm"}
    assert sentence in Path(failures[0]["log"]).read_text(encoding="utf-8")
