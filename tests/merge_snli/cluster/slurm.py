"""A Slurm cluster of two nodes on this machine: munge, slurmctld and two slurmd."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")

CONFIGURATION = """
ClusterName=merge
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
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
        command = ["slurmd", "-D", "-N", name]
        self.nodes[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

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
        if any(part.startswith(f"slurmstepd: [{job}.") for part in process.info["cmdline"] or ())
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
def slurm_cluster(folder: Path, *, port: int = 16817) -> Iterator[Slurm]:
    """Start a cluster, and set `SLURM_CONF` in the environment of this process until it is stopped."""
    (folder / "state").mkdir(parents=True)
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(folder=folder, port=port, port_1=port + 184, port_2=port + 185), encoding="utf-8"
    )
    before = dict(os.environ)
    os.environ.update(SLURM_CONF=str(configuration), PATH=SEARCHED)
    cluster = Slurm(folder, {})
    controller = None
    try:
        start_munge()
        controller = subprocess.Popen(["slurmctld", "-D", "-c"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ("n1", "n2"):
            cluster.start_node(name)
        wait_until_idle()
        yield cluster
    finally:
        with suppress(subprocess.CalledProcessError):
            subprocess.run(["scancel", "--me"], capture_output=True, check=False)
        for process in (*cluster.nodes.values(), *([controller] if controller else [])):
            process.terminate()
            process.wait()
        os.environ.clear()
        os.environ.update(before)


def start_munge() -> None:
    """Start munge, unless it runs."""
    if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode == 0:
        return
    runs = Path("/run/munge")
    runs.mkdir(exist_ok=True)
    shutil.chown(runs, "munge", "munge")
    runs.chmod(0o755)
    subprocess.run(["runuser", "-u", "munge", "--", "munged"], check=True, env={**os.environ, "PATH": SEARCHED})


def wait_until_idle(seconds: float = 60.0) -> None:
    """Wait until both nodes are up."""
    deadline = time.monotonic() + seconds
    states: list[str] = []
    while time.monotonic() < deadline:
        found = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%T"], capture_output=True, check=False)
        states = found.stdout.decode().split()
        if states == ["idle", "idle"]:
            return
        time.sleep(0.5)
    raise TimeoutError(f"the nodes are not idle after {seconds} s: {states}")
