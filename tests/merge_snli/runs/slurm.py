"""A Slurm cluster of two nodes on this machine: munge, slurmctld and two slurmd."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.processes import wait_until

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
    key, socket_file = folder / "munge.key", folder / "munge.socket"
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
