"""The bundled NLI models agree with the transformers pipeline and are better than chance."""

import json
from typing import Any

import pytest

from merge_snli.embedded import NLI_MODELS, embedded_path
from merge_snli.models.finding import find_model
from merge_snli.models.labels import find_model_labels
from merge_snli.models.loading import load_classifier, read_output_names
from merge_snli.models.options import ModelOptions
from merge_snli.scoring.predict import predict_pairs

PROBLEMS = 120


@pytest.mark.parametrize("name", NLI_MODELS)
def test_predictions_equal_those_of_the_pipeline(name: str) -> None:
    from transformers import pipeline

    model = find_model(f"demo:{name}")
    labels = find_model_labels(read_output_names(model), given=None, model=name)
    problems_file = embedded_path("demo:problems")
    assert problems_file is not None
    lines = problems_file.read_text(encoding="utf-8").splitlines()[:PROBLEMS]
    problems = [json.loads(line) for line in lines]
    pairs = [(problem["premise"], problem["hypothesis"]) for problem in problems]
    predicted, _ = predict_pairs(lambda: load_classifier(model, "cpu", ModelOptions()), pairs, None)
    answers = [labels.names[best] for best in predicted.outputs]

    plain: Any = pipeline("text-classification", model=str(model.path), dtype="float32", device="cpu")
    texts = [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in pairs]
    assert answers == [answer["label"].lower() for answer in plain(texts)]
    correct = [answer == problem["label"] for answer, problem in zip(answers, problems, strict=True)]
    assert sum(correct) / PROBLEMS > 0.6
