"""Compare models on a GPU with the same models on the CPU; skipped on a machine without a GPU of NVIDIA or AMD."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray

from benchmarks.shared import forms_of
from generation.answers.store import answers_of
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import Fillers, MaskedLM
from generation.options import Options
from generation.pipeline import run_pipeline
from generation.sentences.forms import Form
from merge_snli.answers.opening import open_config
from merge_snli.dataset.stored import find_dataset
from merge_snli.language_models.shots import fill_prompt
from merge_snli.models.finding import find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.prompts import read_prompts
from merge_snli.models.runner.encoded import Predictor
from merge_snli.models.runner.predictors import load_predictor
from merge_snli.models.runner.shapes import UNPADDED_GPU_TOKENS
from merge_snli.scoring.predict import predict_pairs
from tests.tiny_models import save_causal_lm

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here")

MASKED_LMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


@pytest.fixture(scope="module")
def some_forms() -> dict[str, Form]:
    return forms_of("demo:problems", 60)


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(open_config(find_dataset("demo:dataset"), "all").pairs[:500])


def logits(predictor: Predictor, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """Return the logits of pairs, and check that those of some pairs have the same bits without the others."""
    found = predict_pairs(lambda: predictor, pairs, None)[0].logits
    assert found is not None
    for row in range(0, len(pairs), 50):
        alone = predict_pairs(lambda: predictor, [pairs[row]], None)[0].logits
        assert alone is not None and alone[0].tobytes() == found[row].tobytes()
    return found


def answers(mlm: MaskedLM, forms: dict[str, Form]) -> dict[str, Fillers]:
    found: dict[str, Fillers] = {}
    for table in mlm.answers(mlm.encode(forms), 50):
        found.update((key, answer) for key, answer in answers_of(table, forms) if isinstance(answer, Fillers))
    return found


@pytest.mark.parametrize("name", MASKED_LMS)
def test_masked_lms(name: str, some_forms: dict[str, Form]) -> None:
    on_cpu, on_gpu = (load_masked_lm(find_model(name), device=device) for device in ("cpu", None))
    assert on_gpu.network.encoder.device.type == "cuda" and on_gpu.runner.shapes.rows(1) == UNPADDED_GPU_TOKENS
    expected, found = (answers(mlm, some_forms) for mlm in (on_cpu, on_gpu))
    assert len(found) == len(expected) > 100
    for key, fillers in found.items():
        np.testing.assert_allclose(fillers.log_probs, expected[key].log_probs, atol=1e-3)
        assert fillers.original_log_prob == pytest.approx(expected[key].original_log_prob, abs=1e-3)
    for key, form in islice(some_forms.items(), 0, None, 20):
        alone = answers(on_gpu, {key: form})
        assert key not in alone or alone[key].log_probs.tobytes() == found[key].log_probs.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", ["demo:nli-a", "demo:nli-b"])
def test_classifiers(name: str, dtype: str, pairs: list[Pair]) -> None:
    on_cpu = load_predictor(find_model(name), "cpu", ModelOptions())
    on_gpu = load_predictor(find_model(name), "cuda", ModelOptions(dtype=dtype))
    expected = logits(on_cpu, pairs)
    found = logits(on_gpu, pairs)
    tolerance = 1e-3 if dtype == "float32" else 0.3
    np.testing.assert_allclose(found, expected, atol=tolerance)
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.97


def test_ranked_answers(tmp_path: Path, pairs: list[Pair]) -> None:
    model = find_model(str(save_causal_lm("llama", tmp_path / "tiny-llama")))
    data = open_config(find_dataset("demo:dataset"), "all")
    for prompt in read_prompts(["word", "few_shot"]):
        options = ModelOptions(prompt=fill_prompt(prompt, data))
        expected, found = (logits(load_predictor(model, device, options), pairs[:100]) for device in ("cpu", "cuda"))
        np.testing.assert_allclose(found, expected, atol=2e-3)


def test_generate_answers_anew_on_another_device(tmp_path: Path) -> None:
    texts = {}
    for device in ("cpu", "cuda", None):
        options = Options(problems="demo:problems", mlm=MASKED_LMS, limit=100, device=device)
        out = tmp_path / str(device)
        run_pipeline(options, out, work=tmp_path / "work", workers=2)
        rows = pd.read_parquet(out / "data" / "all" / "test.parquet")
        texts[device] = set(zip(rows["premise"], rows["hypothesis"], strict=True))
    assert texts["cuda"] == texts[None]
    both = texts["cpu"] & texts["cuda"]
    assert len(both) > 0.9 * len(texts["cpu"] | texts["cuda"])
    assert len(list((tmp_path / "work" / "suggestions").iterdir())) == 4
