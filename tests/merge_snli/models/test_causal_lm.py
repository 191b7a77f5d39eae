"""Causal LMs: log-likelihoods of answers, equal to those of the plain model, one answer at a time."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from peft import LoraConfig, TaskType, get_peft_model
from tokenizers import processors
from transformers import AutoModelForCausalLM, AutoTokenizer

from merge_snli import score
from merge_snli.answers.opening import open_config
from merge_snli.answers.part import part_of_data
from merge_snli.base.files import sha256_of_json
from merge_snli.cli import main
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.shots import fill_prompt
from merge_snli.models.filled_prompt import FilledPrompt, Shot
from merge_snli.models.finding import find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.prompts import read_prompt
from merge_snli.models.runner.causal_lm import CausalLM
from merge_snli.models.runner.encoded import IDS
from merge_snli.models.runner.predictors import load_predictor
from merge_snli.results.store import read_results
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.predict import predict_pairs
from merge_snli.scoring.score_models import prediction_folder, score_model
from merge_snli.scoring.scored_model import model_from_name
from tests.cases import first_fast, slow
from tests.commands import Command
from tests.oracles import answers_of_groups, known, missing_from, refused
from tests.predictors import logits_of, tokens_of
from tests.tiny_models import save_causal_lm

PAIRS: list[Pair] = [
    ("A man sleeps on a bench.", "A man rests."),
    ("A man sleeps on a chair.", "A man rests."),
    ("Two dogs run through a field of tall grass near a river.", "Some animals are outside."),
    ("A girl sings.", "Nobody sings."),
    ("A girl reads.", "Nobody reads."),
]
SHOTS = (Shot("A cat eats.", "An animal eats.", "entailment"), Shot("A boy swims.", "A boy is sad.", "neutral"))
# Of `lm_eval`, only the shots are the same in all prompts. An answer of `letter` is one token.
PROMPTS = ("word", "lm_eval", "letter")

WORD = FilledPrompt(read_prompt("word"), NLI_LABELS)

Folder = Callable[[str], Path]
auto_model: Any = AutoModelForCausalLM


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A function that returns the folder of a tiny causal LM."""
    return cache(lambda kind: save_causal_lm(kind, tmp_path_factory.mktemp("causal") / f"tiny-{kind}"))


def loaded(folder: Path, prompt: FilledPrompt, **options: Any) -> CausalLM:  # noqa: ANN401
    predictor = load_predictor(find_model(str(folder)), "cpu", ModelOptions(prompt=prompt, **options))
    assert isinstance(predictor, CausalLM)
    return predictor


def plain(folder: Path, prompt: FilledPrompt) -> list[list[float]]:
    """Return the log-likelihoods of the answers to `PAIRS` by the model alone, without batches, cache or padding."""
    model, tokenizer = auto_model.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)

    def tokens(text: str) -> list[int]:
        return [token for token in tokenizer(text)["input_ids"] if token != tokenizer.eos_token_id]

    def likelihood(context: str, answer: str) -> float:
        before, ids = tokens(context), tokens(context + answer)
        assert tokenizer.decode(ids[len(before) :]) == answer
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
        log_probs = torch.log_softmax(logits.double(), dim=-1)
        return sum(float(log_probs[at - 1, ids[at]]) for at in range(len(before), len(ids)))

    return [[likelihood(prompt.text(*pair), answer) for answer in prompt.continuations] for pair in PAIRS]


def with_tokenizer(folder: Path, copy: Path, change: Callable[[Any], object]) -> tuple[Path, Any]:
    """Copy a model with another tokenizer, and return both."""
    tokenizer = AutoTokenizer.from_pretrained(shutil.copytree(folder, copy))
    change(tokenizer)
    tokenizer.save_pretrained(copy)
    return copy, tokenizer


@pytest.mark.parametrize("kind", ["llama", *slow("gpt2", "mistral", "bloom"), "mamba"])
def test_scores_are_those_of_the_plain_model(folder: Folder, kind: str) -> None:
    for name in PROMPTS if kind == "llama" else PROMPTS[:1]:
        prompt = FilledPrompt(read_prompt(name), NLI_LABELS, SHOTS)
        ranked = loaded(folder(kind), prompt)
        assert ranked._uses_cache == (kind != "mamba") and len(ranked._prefix) > 20
        expected = np.array(plain(folder(kind), prompt))
        assert np.ptp(expected, axis=1).min() > 0.1
        assert logits_of(ranked, PAIRS) == pytest.approx(expected, abs=2e-4)
        ranked._uses_cache = False
        assert logits_of(ranked, PAIRS) == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("name", first_fast(PROMPTS))
@pytest.mark.parametrize("ends", ["$A </s>", "<s> $A </s>"])
def test_a_tokenizer_that_appends_an_end_token(folder: Folder, tmp_path: Path, ends: str, name: str) -> None:
    def append(tokenizer: Any) -> None:  # noqa: ANN401
        special = [(token, tokenizer.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")]
        tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(ends, special_tokens=special)

    copy, tokenizer = with_tokenizer(folder("gpt2"), tmp_path / "tiny-end", append)
    assert AutoTokenizer.from_pretrained(copy)("A")["input_ids"][-1] == tokenizer.eos_token_id
    prompt = FilledPrompt(read_prompt(name), NLI_LABELS, SHOTS)
    expected = np.array(plain(copy, prompt))
    assert np.ptp(expected, axis=1).min() > 0.1
    assert logits_of(loaded(copy, prompt), PAIRS) == pytest.approx(expected, abs=2e-4)


def test_scores_do_not_depend_on_the_other_pairs(folder: Folder) -> None:
    ranked = loaded(folder("llama"), WORD)
    together, facts = predict_pairs(lambda: ranked, PAIRS, None)
    for order in ([0], [1], [2], [4, 3], [3, 1, 0, 4, 2]):
        some, _ = predict_pairs(lambda: ranked, [PAIRS[row] for row in order], None)
        assert known(some.logits).tobytes() == known(together.logits)[order].tobytes()
    assert (facts.architecture, facts.max_length) == ("LlamaForCausalLM", 512)
    assert together.tokens.tolist() == tokens_of(ranked, PAIRS)


def test_scores_are_those_of_lm_evaluation_harness(folder: Folder) -> None:
    prompt = FilledPrompt(read_prompt("word"), NLI_LABELS, SHOTS)
    texts = [(prompt.text(*pair), answer) for pair in PAIRS for answer in prompt.continuations]
    backend: Any = HFLM(pretrained=str(folder("gpt2")), dtype="float32", device="cpu", batch_size=4)
    requests = [Instance("loglikelihood", {}, text, at, metadata=("nli", at, 1)) for at, text in enumerate(texts)]
    theirs = np.array([value for value, _ in backend.loglikelihood(requests, disable_tqdm=True)]).reshape(-1, 3)
    assert logits_of(loaded(folder("gpt2"), prompt), PAIRS) == pytest.approx(theirs, abs=2e-4)


def test_bfloat16_is_close(folder: Folder) -> None:
    half = loaded(folder("llama"), WORD, dtype="bfloat16")
    assert half._uses_cache
    assert logits_of(half, PAIRS) == pytest.approx(np.array(plain(folder("llama"), WORD)), rel=0.05)


def test_a_result_says_how_the_model_was_prompted(folder: Folder, dataset: Path, tmp_path: Path) -> None:
    data = open_config(dataset, "verb")
    prompt = fill_prompt(read_prompt("few_shot"), data, shots=2)
    result = score(folder("llama"), dataset, config="verb", prompt=prompt, out=tmp_path / "results")
    record, seeds = result.run.prompt, data.seeds
    assert record is not None and seeds is not None
    assert result.title == "tiny-llama (few_shot, 2 shots, ranked)"
    assert (record.prompt_digest, record.calls) == (prompt.digest, 3 * len(data.pairs))
    assert (result.model.labels, result.model.label_origin) == (data.label_names, "prompt")
    assert result.calibration is not None
    best = [data.label_names[at] for at in logits_of(loaded(folder("llama"), prompt), data.pairs).argmax(axis=1)]
    assert answers_of_groups(result).seeds == tuple(best[pair] for pair in seeds.pairs)


def test_the_command_uses_each_prompt(
    folder: Folder,
    dataset: Path,
    tmp_path: Path,
    command: Command,
    caplog: pytest.LogCaptureFixture,
) -> None:
    where = ["--dataset", str(dataset), "--config", "verb", "--limit-seeds", "2", "--out", str(tmp_path / "results")]
    printed = command("score", folder("gpt2"), "--prompt", "word", "reasons", "letter", *where).out
    assert not missing_from(printed, "tiny-gpt2 (word, ranked)", "tiny-gpt2 (letter, ranked)")
    assert "the prompt reasons asks for reasons" in caplog.text
    assert len([*(tmp_path / "results").glob("*.json")]) == 2


def test_the_prompt_of_other_tasks_names_their_texts_and_labels(
    folder: Folder, question_dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    where = ["--dataset", str(question_dataset), "--config", "verb", "--limit-seeds", "2", "--out", str(tmp_path / "a")]
    assert main(["score", str(folder("gpt2")), "--prompt", "task", *where]) == 0
    (result,) = read_results(tmp_path / "a")
    prompt = FilledPrompt(read_prompt("task"), ("no", "yes"), texts=TextNames("question", "sentence"))
    assert result.run.prompt and result.run.prompt.prompt_digest == prompt.digest
    assert result.compared_labels == ("no", "yes")
    assert "which the prompt" not in caplog.text
    assert main(["score", str(folder("gpt2")), "--prompt", "word", *where]) == 0
    assert "has question and sentence, which the prompt word calls premise and hypothesis" in caplog.text
    assert len(read_results(tmp_path / "a")) == 2
    assert main(["score", str(folder("gpt2")), "--prompt", "letter", "few_shot", *where]) == 2
    assert len(read_results(tmp_path / "a")) == 2, "no prompt is scored if one of them has no shots"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prompt", "reasons"], "asks for reasons"),
        (["--prompt", "word", "--model-labels", "infer"], "--model-labels"),
        (["--shots", "2"], "--shots needs --prompt"),
        ([], "--prompt"),
    ],
)
def test_what_does_not_fit_is_refused(
    folder: Folder,
    dataset: Path,
    tmp_path: Path,
    command: Command,
    options: list[str],
    message: str,
) -> None:
    where = ["--dataset", str(dataset), "--config", "verb", "--out", str(tmp_path / "results")]
    printed = command("score", folder("gpt2"), *where, *options, code=2)
    assert message in " ".join(f"{printed.out} {printed.err}".split())


@pytest.mark.parametrize("answer", ["", "n"])
def test_an_answer_without_tokens_of_its_own_is_refused(folder: Folder, answer: str) -> None:
    silent = {"text": lambda premise, hypothesis: f"{premise} {hypothesis} A ma", "continuations": (answer, " a", " b")}
    prompt: Any = type("Silent", (), {"messages": WORD.messages} | silent)
    refused("adds no token", loaded, folder("gpt2"), prompt)


SYSTEM_ROLE = """\
{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""
REFUSES = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
TEXT_ONLY = "{% for message in messages %}{{ message.content }}{{ '\n\n' if not loop.last }}{% endfor %}"


def test_a_part_has_the_shots_of_the_whole_data(folder: Folder, tmp_path: Path) -> None:
    where = ["--dataset", "demo:dataset", "--config", "noun", "--limit-seeds", "1", "--out", str(tmp_path / "results")]
    assert main(["score", str(folder("gpt2")), "--prompt", "few_shot", *where]) == 0
    (result,) = read_results(tmp_path / "results")
    whole = fill_prompt(read_prompt("few_shot"), open_config("demo:dataset", "noun"))
    assert result.run.prompt and result.run.prompt.prompt_digest == whole.digest


@pytest.mark.parametrize(
    ("template", "start", "answer"),
    [
        (SYSTEM_ROLE, "<|system|>How does", "<|assistant|>entailment"),
        (REFUSES + SYSTEM_ROLE, "<|user|>How does", "<|assistant|>entailment"),
        (TEXT_ONLY, "How does", "Answer: entailment"),
    ],
)
def test_a_chat_template_gets_the_prompt_as_messages(
    folder: Folder, tmp_path: Path, template: str, start: str, answer: str
) -> None:
    def set_template(tokenizer: Any) -> None:  # noqa: ANN401
        tokenizer.chat_template = template

    copy, tokenizer = with_tokenizer(folder("gpt2"), tmp_path / "tiny-chat", set_template)
    ranked = loaded(copy, WORD)
    ids = ranked.encode(PAIRS[:1], answer.removeprefix("Answer:").removeprefix("<|assistant|>")).tokens[IDS]
    text = tokenizer.decode(ids)
    assert text.startswith(start) and text.endswith(answer)
    assert ranked.facts.chat
    assert find_model(str(copy)).digest != find_model(str(folder("gpt2"))).digest


def test_scores_cached_before_chat_templates_are_not_used(folder: Folder, tmp_path: Path) -> None:
    with_template = Path(shutil.copytree(folder("gpt2"), tmp_path / "tiny-chat"))
    config = with_template / "tokenizer_config.json"
    settings = json.loads(config.read_text(encoding="utf-8")) | {"chat_template": SYSTEM_ROLE}
    config.write_text(json.dumps(settings), encoding="utf-8")
    out, options = tmp_path / "results", ModelOptions(prompt=WORD, device="cpu")
    scored = model_from_name(str(with_template), options)
    digest = sha256_of_json([find_model(str(with_template)).digest, WORD.digest])
    before = replace(scored, record=replace(scored.record, digest=digest))
    data = part_of_data(open_config("demo:dataset", "verb"), limit_seeds=1, subsample=0)
    predict_pairs(lambda: loaded(folder("gpt2"), WORD), data.pairs, prediction_folder(before.key, out))
    result, expected = (score_model(scored, data, out=folder) for folder in (out, tmp_path / "fresh"))
    without = score_model(model_from_name(str(folder("gpt2")), options), data)
    assert without.calibration != result.calibration == expected.calibration
    assert result.run.prompt and result.run.prompt.settings == {"chat_template": "true"}


def test_an_adapter_is_merged_into_its_base_model(folder: Folder, tmp_path: Path) -> None:
    base, options = folder("llama"), ModelOptions(prompt=WORD, device="cpu")
    config = LoraConfig(task_type=TaskType.CAUSAL_LM, r=2, target_modules=["q_proj", "v_proj"])
    adapted: Any = get_peft_model(auto_model.from_pretrained(base), config)
    for name, values in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(values, std=0.5)
    adapted.save_pretrained(tmp_path / "adapter")
    adapted.peft_config["default"].task_type = TaskType.SEQ_CLS
    adapted.save_pretrained(tmp_path / "classifier")
    merged = Path(shutil.copytree(base, tmp_path / "merged"))
    adapted.merge_and_unload().save_pretrained(merged)
    on_base, with_adapter, of_merged = (
        logits_of(model_from_name(str(path), options).load(), PAIRS) for path in (base, tmp_path / "adapter", merged)
    )
    assert with_adapter == pytest.approx(of_merged, abs=2e-4)
    assert not np.allclose(with_adapter, on_base, atol=1e-2)
    refused("sequence classifier", model_from_name(str(tmp_path / "classifier"), options).load)
