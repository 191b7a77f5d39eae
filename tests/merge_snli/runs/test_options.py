"""The cluster file: defaults, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from datatrove.pipeline.base import PipelineStep

from merge_snli.base.errors import InputError
from merge_snli.runs.executors import make_executor
from merge_snli.runs.options import ClusterOptions, StageOptions, read_cluster_file
from merge_snli.runs.run_folder import RAY, SLURM

DOCS = Path(__file__).parents[3] / "docs" / "cluster.md"


class NoStep(PipelineStep):  # type: ignore[misc]
    """Does nothing."""

    name = "nothing"

    def run(self, *_: object) -> tuple[()]:
        return ()


def read(folder: Path, text: str) -> ClusterOptions:
    path = folder / "cluster.toml"
    path.write_text(text, encoding="utf-8")
    return read_cluster_file(path)


def test_stages_take_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(
        'executor = "slurm"\n[defaults]\ntasks = 8\npartition = "cpu"\ncpus_per_task = 2\n'
        '[masked_lm]\npartition = "gpu"\ngpus_per_task = 1\nsbatch_args = {account = "nlp", nice = 3}\n',
        encoding="utf-8",
    )
    options = read_cluster_file(path)
    assert (options.tag.tasks, options.tag.partition, options.tag.gpus_per_task) == (8, "cpu", 0)
    assert (options.masked_lm.tasks, options.masked_lm.partition, options.masked_lm.cpus_per_task) == (8, "gpu", 2)
    assert options.masked_lm.sbatch_args == {"account": "nlp", "nice": 3}
    assert options.write.tasks == options.evaluate.tasks == 1
    assert options.write.cpus_per_task == 2


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("executor = ", ["not valid TOML"]),
        ("", ["executor is missing"]),
        ('executor = "pbs"', ["executor", "'pbs'", "'slurm'"]),
        ('executor = "local"\nspeed = 3', ["unknown key 'speed'", "problems_per_shard"]),
        ('executor = "local"\n[tag]\ntaks = 3', ["unknown key 'taks' in [tag]", "tasks"]),
        ('executor = "local"\n[defaults]\ntaks = 3', ["unknown key 'taks' in [defaults]", "tasks"]),
        ('executor = "local"\ntag = 3', ["tag is 3", "[tag]"]),
        ('executor = "local"\ndefaults = 3', ["defaults is 3"]),
        ('executor = "local"\n[tag]\ntasks = 0', ["tasks in [tag] is 0", "1"]),
        ('executor = "local"\n[defaults]\ntasks = 0', ["tasks in [defaults] is 0"]),
        ('executor = "local"\n[tag]\ntasks = 1001', ["tasks in [tag] is 1001", "1000"]),
        ('executor = "local"\n[tag]\ntasks = "3"', ["tasks in [tag] is '3'", "integer"]),
        ('executor = "local"\n[write]\ntasks = 3', ["[write]", "tasks"]),
        ('executor = "local"\n[tag]\npartition = "gpu"', ["partition", "local"]),
        ('executor = "slurm"\naddress = "auto"', ["address", "slurm"]),
        ('executor = "ray"\n[defaults]\ntime = "1:00:00"', ["time", "ray"]),
        ('executor = "slurm"\n[tag]\ngpus_per_task = -1', ["gpus_per_task in [tag] is -1"]),
        ('executor = "slurm"\n[tag.sbatch_args]\nexclusive = true', ["sbatch_args.exclusive", "True"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    for part in [str(tmp_path / "cluster.toml"), *named]:
        assert part in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        read_cluster_file(tmp_path / "nowhere.toml")


def test_the_examples_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    examples = re.findall("```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    read_back = [read(tmp_path, example) for example in examples]
    assert [options.executor for options in read_back] == [SLURM]
    assert [options.masked_lm.gpus_per_task for options in read_back] == [1]


def test_options_that_ray_does_not_have_are_refused(tmp_path: Path) -> None:
    options = StageOptions(ray_remote_kwargs={"accelerator": "A100"})
    executor = make_executor(RAY, NoStep(), options, tasks=1, folder=tmp_path)
    with pytest.raises(InputError, match="accelerator"):
        executor.run()
