"""Runs on a Slurm cluster of two nodes: results as from one process; killed, lost and failing tasks."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.commands import Command
from tests.merge_snli.runs.conftest import (
    MANY,
    STAGES,
    ClusterFile,
    check_error_of_the_user,
    check_lost_node,
    check_scores,
    generate,
    status,
)
from tests.oracles import missing_from
from tests.processes import wait_until
from tests.records import files_in

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "setpriv")

CONFIGURATION = """
ClusterName=merge
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=60
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldPort={port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
KillWait=2
SlurmdTimeout=10
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={port_1} CPUs=1 RealMemory=4000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={port_2} CPUs=1 RealMemory=4000
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def why_no_slurm() -> str | None:
    """Return why a cluster cannot be started here; None if it can."""
    missing = [program for program in PROGRAMS if shutil.which(program, path=SEARCHED) is None]
    if missing:
        return f"{missing[0]} is not installed (Debian: slurmctld slurmd slurm-client munge)"
    return None if os.geteuid() == 0 else "starting Slurm's daemons needs root"


SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Slurm:
    """A running cluster.

    Attributes:
        folder: The folder of its files.
        nodes: The process of each node's daemon.
    """

    folder: Path
    nodes: dict[str, subprocess.Popen[bytes]]

    def start_node(self, name: str) -> None:
        """Start the daemon of a node."""
        self.nodes[name] = start_daemon("slurmd", "-D", "-N", name)

    def lose_node(self, name: str) -> None:
        """Kill the daemon of a node, and all jobs on it."""
        jobs = slurm("squeue", "--noheader", f"--nodelist={name}", "--format=%A").split()
        self.nodes[name].kill()
        self.nodes[name].wait()
        for job in jobs:
            # First the daemon of the job, which would report its end.
            for process in (*daemons_of_job(job), *processes_of_job(job)):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

    def queue(self) -> list[str]:
        """Return the ids of the jobs in the queue."""
        return slurm("squeue", "--noheader", "--format=%F").split()


def slurm(*command: str) -> str:
    """Run a command of Slurm and return what it prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def daemons_of_job(job: str) -> list[int]:
    """Return the ids of the `slurmstepd` processes of a job."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if " ".join(process.info["cmdline"] or ()).startswith(f"slurmstepd: [{job}.")
    ]


def processes_of_job(job: str) -> list[int]:
    """Return the ids of the processes of a job."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"SLURM_JOB_ID={job}".encode() in environment.read_bytes().split(b"\0"):
                found.append(int(environment.parent.name))
    return found


@contextmanager
def slurm_cluster(folder: Path) -> Iterator[Slurm]:
    """Start a cluster, and set `SLURM_CONF` in the environment of this process until it is stopped."""
    (folder / "state").mkdir(parents=True)
    configuration = folder / "slurm.conf"
    port, port_1, port_2 = free_ports(3)
    configuration.write_text(
        CONFIGURATION.format(folder=folder, port=port, port_1=port_1, port_2=port_2), encoding="utf-8"
    )
    before = dict(os.environ)
    os.environ.update(SLURM_CONF=str(configuration), PATH=SEARCHED)
    cluster = Slurm(folder, {})
    daemons = []
    try:
        daemons.append(start_munge(folder))
        daemons.append(start_daemon("slurmctld", "-D", "-c"))
        for name in ("n1", "n2"):
            cluster.start_node(name)
        wait_until(is_idle)
        yield cluster
    finally:
        subprocess.run(["scancel", "--me", "--full"], capture_output=True, check=False)
        for process in (*cluster.nodes.values(), *reversed(daemons)):
            process.terminate()
            process.wait()
        os.environ.clear()
        os.environ.update(before)


def free_ports(count: int) -> list[int]:
    """Return ports that no process listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def start_daemon(*command: str) -> subprocess.Popen[bytes]:
    """Start a daemon that ends with this process, however that ends."""
    in_foreground = ["setpriv", "--pdeathsig", "KILL", *command]
    return subprocess.Popen(in_foreground, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_munge(folder: Path) -> subprocess.Popen[bytes]:
    """Start munge with a key and a socket of its own, and wait for it."""
    key = folder / "munge.key"
    socket_file = folder / "munge.socket"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    files = {"key-file": key, "socket": socket_file, "pid-file": folder / "munge.pid", "log-file": folder / "munge.log"}
    arguments = (f"--{name}={path}" for name, path in {**files, "seed-file": folder / "munge.seed"}.items())
    # By force, since the folder of the tests is not as private as munge wants it.
    process = start_daemon("munged", "--foreground", "--force", *arguments)

    def is_ready() -> bool:
        assert process.poll() is None, (folder / "munge.log").read_text(encoding="utf-8")
        return subprocess.run(["munge", "-n", "-S", socket_file], capture_output=True, check=False).returncode == 0

    wait_until(is_ready)
    return process


def is_idle() -> bool:
    """Return whether both nodes are up."""
    found = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%T"], capture_output=True, check=False)
    return found.stdout.decode().split() == ["idle", "idle"]


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(why_no_slurm() is not None, reason=str(why_no_slurm())),
    pytest.mark.usefixtures("shared"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with slurm_cluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(autouse=True)
def no_jobs_stay(cluster: Slurm) -> Iterator[None]:
    yield
    slurm("scancel", "--me")
    wait_until(lambda: not cluster.queue())


@pytest.fixture
def executor() -> str:
    return 'executor = "slurm"'


def test_a_task_killed_in_every_stage_is_told_and_only_what_is_missing_runs_again(
    many: Path, many_files: dict[str, bytes], cluster_file: ClusterFile, tmp_path: Path
) -> None:
    out = tmp_path / "with spaces" / "merge_snli"
    file = cluster_file("many")
    for nth, stage in enumerate(STAGES):
        running = generate(many, out, file, MANY)
        running.wait_for(stage, tasks=1 if stage == "write" else 2)
        found = status(out) or {}
        jobs = {each["name"]: each["job"] for each in found["stages"]}
        assert jobs["read and tag"] is None or nth < 2, "complete stages are not submitted again"
        slurm("scancel", f"{jobs[stage]}_0")
        assert not missing_from(running.fail(), f"{stage}, task 0", "killed")
        assert not out.exists()
    assert generate(many, out, file, MANY).end() == (0, "")
    assert files_in(out) == many_files
    assert not list(tmp_path.rglob("*.sqlite"))


def test_a_lost_node_leaves_its_tasks_to_the_other(
    cluster: Slurm, few: Path, few_dataset: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    check_lost_node(
        few,
        few_dataset,
        cluster_file,
        tmp_path / "merge_snli",
        lose=lambda: cluster.lose_node("n2"),
        restore=lambda: cluster.start_node("n2"),
    )
    wait_until(lambda: "down" not in slurm("sinfo", "--noheader", "--format=%T"))


def test_a_second_submission_is_refused_and_ctrl_c_leaves_the_jobs_which_only_status_cancels(
    cluster: Slurm, few: Path, cluster_file: ClusterFile, tmp_path: Path, command: Command
) -> None:
    out = tmp_path / "merge_snli"
    file = cluster_file("few")
    other = slurm("sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 600").strip()
    running = generate(few, out, file)
    running.wait_for("read and tag")
    error = generate(few, out, file).fail()
    assert f"merge-snli work status {out}" in error
    os.kill(running.process.pid, signal.SIGINT)
    error = running.fail(130)
    assert f"merge-snli work cancel {out}" in error
    found = status(out) or {}
    assert found["active"]
    jobs = {each["job"] for each in found["stages"]}
    assert jobs <= {*cluster.queue()}
    assert "active" in generate(few, out, file).fail()
    assert "Slurm jobs" in command("work", "cancel", out).out
    wait_until(lambda: not jobs & {*cluster.queue()})
    assert other in cluster.queue()


def test_an_error_of_the_user_is_told_in_its_own_sentence(
    few: Path, cluster_file: ClusterFile, tmp_path: Path, command: Command
) -> None:
    check_error_of_the_user(few, tmp_path, cluster_file, command)


def test_a_full_disk_on_one_node_is_told_and_the_run_resumes(
    few: Path, few_dataset: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    out = tmp_path / "merge_snli"
    answers = out.with_name("merge_snli.work") / "suggestions"
    answers.mkdir(parents=True)
    # In a mount namespace of its own, the first task sees a small disk in place of the folder of the answers.
    small = f"mount -t tmpfs -o size=40k small {answers}"
    if subprocess.run(["unshare", "--mount", "sh", "-c", small], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    again = f'SMALL=1 exec unshare --mount sh -c "{small} && bash $0"'
    command = f'if [ "$SLURM_ARRAY_TASK_ID" = 0 ] && [ -z "$SMALL" ]; then {again}; fi'
    python = f'PATH="{Path(sys.executable).parent}:$PATH"'
    more = f"[masked_lm]\nenv_command = '''\n{python}\n{command}\n'''\n"
    assert not missing_from(generate(few, out, cluster_file("few", more)).fail(), f"the disk of {answers}", "is full")
    assert generate(few, out, cluster_file("few")).end() == (0, "")
    assert files_in(out) == files_in(few_dataset)


def test_scores_are_those_of_one_process(
    few_dataset: Path, few_results: Path, cluster_file: ClusterFile, tmp_path: Path
) -> None:
    check_scores(few_dataset, few_results, cluster_file("few"), tmp_path / "results")
