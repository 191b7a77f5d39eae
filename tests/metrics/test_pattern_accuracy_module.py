"""The metric in `evaluate`: loading, adding rows, combining with another metric, documentation."""

import ast
import doctest
import importlib
import random
import shutil
from pathlib import Path
from typing import Any

import evaluate
import pytest
from huggingface_hub import metadata_load

from metrics.pattern_accuracy.core import compute
from tests import ROOT
from tests.oracles import refused, written
from tests.processes import printed_by

pytestmark = pytest.mark.filterwarnings("ignore:predictions:UserWarning")

FOLDER = ROOT / "metrics" / "pattern_accuracy"
ROWS: dict[str, Any] = {"predictions": [0, 0, 2, 1], "references": [0, 0, 0, 1], "groups": ["a", "a", "a", "b"]}
LAZY = ("torch", "transformers", "spacy", "datasets", "evaluate", "scipy", "pandas", "gradio")

# Another metric, which takes predictions and references only.
AGREEMENT = """
import datasets
import evaluate


class Agreement(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("int64"), "references": datasets.Value("int64")})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {"agreement": sum(p == r for p, r in zip(predictions, references)) / len(predictions)}
"""


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("metrics/pattern_accuracy", FOLDER.parents[1]),
        ("metrics/pattern_accuracy/pattern_accuracy.py", FOLDER.parents[1]),
        (str(FOLDER), None),
        (str(FOLDER / "pattern_accuracy.py"), None),
        ("pattern_accuracy", None),
    ],
)
def test_loads_from_the_project_root_by_absolute_path_and_by_name_beside_a_copy(
    path: str, folder: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER, tmp_path / "pattern_accuracy")
    monkeypatch.chdir(folder or tmp_path)
    assert evaluate.load(path).compute(**ROWS) == compute(**ROWS)


def test_the_module_imports_every_sibling_that_its_siblings_need() -> None:
    """Evaluate downloads and copies only the files that the module itself imports."""

    def siblings(path: Path) -> set[str]:
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        return {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level and node.module}

    imported = siblings(FOLDER / "pattern_accuracy.py")
    assert imported
    for name in imported:
        assert siblings(FOLDER / f"{name}.py") <= imported


def test_importing_the_core_is_light() -> None:
    code = f"import metrics.pattern_accuracy.core, sys; print([name for name in {LAZY} if name in sys.modules])"
    assert printed_by(code) == "[]"


def random_rows(rng: random.Random) -> dict[str, Any]:
    labels = rng.choice([range(3), "012"])
    groups = rng.choice([range(5), "01234"])
    rows = [(rng.choice(labels), rng.choice(labels), rng.choice(groups)) for _ in range(rng.randint(1, 30))]
    predictions, references, of_groups = map(list, zip(*rows, strict=True))
    return {"predictions": predictions, "references": references, "groups": of_groups}


def test_adding_batches_and_single_rows_gives_the_same_scores(module: Any) -> None:  # noqa: ANN401
    rng = random.Random(4)
    for _ in range(20):
        rows = random_rows(rng)
        groups = rows["groups"]
        n_rows = len(rows["groups"])
        options: dict[str, Any] = {"thresholds": rng.choice([0.9, "curve", [0.5, 0.75]])}
        options["subsamples"] = [[0, 1], *([rng.randrange(2)] for _ in range(n_rows - 1))]
        options["categories"] = rng.choices("nva", k=n_rows)
        options["seed_predictions"] = dict.fromkeys(groups, rows["references"][0])
        options["seed_references"] = dict(zip(groups, rows["references"], strict=True))
        expected = compute(**rows, **options)
        assert module.compute(**rows, **options) == expected
        middle = (n_rows + 1) // 2
        module.add_batch(**{name: column[:middle] for name, column in rows.items()})
        for prediction, reference, group in list(zip(*rows.values(), strict=True))[middle:]:
            module.add(prediction=prediction, reference=reference, groups=group)
        assert module.compute(**options) == expected


def test_rows_given_to_compute_come_after_those_added(module: Any) -> None:  # noqa: ANN401
    module.add_batch(predictions=[0, 0], references=[0, 0], groups=["a", "a"])
    found = module.compute(predictions=[0, 1], references=[0, 1], groups=["a", "b"], categories=list("xyxy"))
    labels = [0, 0, 0, 1]
    assert found == compute(predictions=labels, references=labels, groups=list("aaab"), categories=list("xyxy"))


def test_numbers_that_look_like_strings_stay_strings(module: Any) -> None:  # noqa: ANN401
    module.add_batch(predictions=["0", "1"], references=["0", "1"], groups=["01", "1"])
    assert module.compute(categories=["01", "1"])["n_groups"] == 2


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"predictions": ["0"]}, "predictions .*strings .* predictions added before .*integers"),
        ({"groups": [1]}, "groups .*integers .* groups added before .*strings"),
        ({"groups": None}, "groups is missing"),
        ({"predictions": [0.7]}, r"predictions\[0\] is 0.7 \(float\)"),
        ({"references": []}, "references is empty"),
        ({"subsamples": [[0]]}, "subsamples.*compute"),
    ],
)
def test_adding_rejects_bad_rows_and_keeps_the_good_ones(module: Any, batch: dict[str, Any], message: str) -> None:  # noqa: ANN401
    good: dict[str, Any] = {"predictions": [0], "references": [0], "groups": ["a"]}
    bad = {**good, **batch}
    if bad["predictions"] == ["0"]:
        bad["references"] = ["0"]
    module.add_batch(**good)
    refused(message, module.add_batch, **bad, error=ValueError)
    refused("thresholds is 2", module.compute, thresholds=2, error=ValueError)
    assert module.compute()["n_samples"] == 1


def test_a_bad_row_that_is_added_and_no_row_are_rejected(module: Any) -> None:  # noqa: ANN401
    refused(r"predictions\[0\] is 0.5 \(float\)", module.add, prediction=0.5, reference=0, groups="a", error=ValueError)
    refused("predictions is missing", module.compute, error=ValueError)


def test_the_module_works_after_a_missing_seed(module: Any) -> None:  # noqa: ANN401
    module.add_batch(**ROWS)
    refused(
        r"seed_predictions .*'b'", module.compute, seed_predictions={"a": 0}, seed_references={"a": 0}, error=ValueError
    )
    module.add_batch(**ROWS)
    assert module.compute() == compute(**ROWS)


@pytest.fixture
def agreement(tmp_path: Path) -> Any:  # noqa: ANN401
    return evaluate.load(str(written(tmp_path / "agreement" / "agreement.py", AGREEMENT).parent))


def test_combined_with_another_metric(module: Any, agreement: Any) -> None:  # noqa: ANN401
    both = evaluate.combine([agreement, module])
    both.add_batch(**ROWS)
    both.add(predictions=1, references=1, groups="b")
    rows: dict[str, Any] = {name: [*column, {"groups": "b"}.get(name, 1)] for name, column in ROWS.items()}
    assert both.compute() == {"agreement": 0.8, **compute(**rows)}


def test_combined_compute_passes_groups_to_the_other_metric_too(module: Any, agreement: Any) -> None:  # noqa: ANN401
    refused(
        "unexpected keyword argument 'groups'", evaluate.combine([module, agreement]).compute, **ROWS, error=TypeError
    )


@pytest.mark.parametrize("name", ["columns", "options", "counts", "core"])
def test_doctests_of_the_modules(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"metrics.pattern_accuracy.{name}"))
    assert outcome.failed == 0
    assert outcome.attempted > 0 or name == "options"


def test_doctests_of_the_documents(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:  # noqa: ANN401
    monkeypatch.chdir(FOLDER.parent)  # evaluate.load finds the folder by name here
    assert doctest.testfile(str(FOLDER / "README.md"), module_relative=False).failed == 0
    examples = doctest.DocTestParser().get_doctest(module.inputs_description, {"evaluate": evaluate}, "inputs", None, 0)
    assert doctest.DocTestRunner().run(examples).failed == 0
    assert len(examples.examples) == 3


def test_the_card_has_the_fields_of_a_space_and_all_sections() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    fields = metadata_load(FOLDER / "README.md") or {}
    assert {"title", "sdk", "sdk_version", "app_file", "tags"} <= fields.keys()
    assert (FOLDER / fields["app_file"]).exists()
    assert {"evaluate", "metric"} <= set(fields["tags"])
    for section in ("description", "How to use", "Inputs", "Output values", "Examples", "Limitations", "Citation"):
        assert section in card
