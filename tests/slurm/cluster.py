#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster on this machine alone, for tests: several slurmd on ports of loopback, a slurmctld and a munged.

  cluster.py start DIR [--nodes N] [--gpus G] [--set KEY=VALUE...]   returns when every node is idle
  cluster.py env DIR                                                 prints what a shell sets to use it
  cluster.py stop DIR                                                kills what belongs to it, removes DIR

Whoever starts it is Slurm's user and needs no privileges; all that is written lies in DIR. Where root starts it, other users
can submit as well. A process belongs to the cluster where SLURM_CONF in its environment is DIR's: Slurm gives it to each job,
and so stop() leaves nothing, even where the daemons are dead and jobs go on.

In Python: `with Cluster(DIR, nodes=3) as cluster: cluster.run("srun", "-N2", "hostname")`. A process of its own watches over
the block, so that nothing stays where the test itself is killed.
"""

import argparse
import contextlib
import os
import pathlib
import pwd
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch")
PACKAGE = "slurm-wlm"
PATIENCE = 120  # s, for anything that is waited for
NODE_NAME = "SLURMD_NODENAME"  # the variable by which Slurm tells a job where it is
ATTEMPTS = 3  # to start on ports that nobody takes in that moment
START = 60  # s, for one attempt

# No database of accounts, no cgroups: neither is had without privileges. Times are short, and slack enough for a busy machine.
CONFIGURATION = """\
ClusterName=emulated
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
# A requeued job waits a second longer than this, which by default is two minutes.
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/%n
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
# Sites find a job's processes by cgroup. Here by descent: also those in a session of their own.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=100000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
# A dead node is down after 5 to 11 s; SlurmdTimeout alone makes it 25.
SlurmdTimeout=2
MessageTimeout=3
TCPTimeout=1
KillWait=3
MailProg=/bin/true
ReturnToService=2
# Nodes have as many cores as is said, not as many as the machine.
SlurmdParameters=config_overrides
GresTypes=gpu
{settings}
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
"""


def missing():
    """Returns what hinders a cluster here, in words, or None."""
    absent = [program for program in PROGRAMS if not shutil.which(program, path=search_path())]
    return f"{', '.join(absent)} not installed: apt-get install {PACKAGE}" if absent else None


def search_path():
    return os.environ.get("PATH", os.defpath) + ":/usr/sbin"


def free_ports(count):
    """Ports below those that the system gives to connections, so that a daemon finds its own free when it starts again."""
    with contextlib.ExitStack() as taken:
        ports = []
        for port in random.sample(range(20000, 32000), 1000):
            listener = taken.enter_context(socket.socket())
            try:
                listener.bind(("", port))
            except OSError:
                continue
            ports.append(port)
            if len(ports) == count:
                return ports
    raise RuntimeError(f"no {count} ports from 20000 to 31999 are free")


def patiently(what, condition, patience=PATIENCE):
    """The first true value of condition()."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise TimeoutError(f"{what}: not within {patience} s")


def environment_of(pid):
    return pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")


def ancestors(pid):
    """The process and those that it descends from."""
    found = set()
    while pid > 0:
        found.add(pid)
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def kill_all(processes):
    """Kills what processes() finds, until it finds none. All are stopped first, so that none can act on another one's end."""
    def none():
        found = processes()
        for how in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, how)
        return not found
    patiently("the end of every process", none)


class Cluster:
    def __init__(self, folder, nodes=3, gpus=0, cores=2, settings=()):
        self.folder = pathlib.Path(folder).resolve()
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        if " " in str(self.folder):
            raise ValueError(f"{self.folder}: slurm.conf takes no folder with a space in its name")
        self.gpus, self.cores, self.settings = gpus, cores, settings
        self.watcher = None

    @property
    def configuration(self):
        return self.folder / "slurm.conf"

    def environment(self):
        """Returns the whole environment of a process that uses this cluster."""
        without = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
        return without | {"SLURM_CONF": str(self.configuration), "PATH": search_path()}

    def __enter__(self):
        self.folder.mkdir(parents=True)  # not another's
        script = [sys.executable, __file__, "stop", str(self.folder), "--when-told"]
        self.watcher = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        self.watcher.stdin.close()
        self.watcher.stdout.read()  # it ends with the watcher, which is not a child of ours
        self.watcher.stdout.close()
        self.watcher.wait()

    # Starting.

    def start(self):
        """Blocks until every node is idle."""
        for attempt in range(ATTEMPTS):
            self.write()
            try:
                self.start_munged()
                self.start_controller()
                for node in self.nodes:
                    self.start_node(node)
                patiently("nodes idle", lambda: self.states() == {node: "idle" for node in self.nodes}, START)
                return self
            except (TimeoutError, subprocess.SubprocessError) as error:
                self.tell(f"attempt {attempt + 1} of {ATTEMPTS} to start the cluster: {error}")
                if attempt == ATTEMPTS - 1:
                    raise
                self.stop()
                self.folder.mkdir()

    def write(self):
        port, *ports = free_ports(1 + len(self.nodes))
        host = socket.gethostname().split(".")[0]
        gres = f" Gres=gpu:{self.gpus}" if self.gpus else ""
        lines = [f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.{number} Port={its} CPUs={self.cores}{gres}"
                 for number, (node, its) in enumerate(zip(self.nodes, ports), 2)]
        self.configuration.write_text(CONFIGURATION.format(
            host=host, port=port, user=pwd.getpwuid(os.getuid()).pw_name, folder=self.folder,
            settings="\n".join(self.settings), nodes="\n".join(lines)))
        for folder in ("munge", "state", *self.nodes):
            (self.folder / folder).mkdir()
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        for number in range(self.gpus):
            (self.folder / f"gpu{number}").symlink_to("/dev/null")  # a device it must be
        files = f"Name=gpu File={self.folder}/gpu[0-{self.gpus - 1}]\n" if self.gpus else ""
        (self.folder / "gres.conf").write_text(files)

    def start_munged(self):
        munge = self.folder / "munge"
        self.daemon("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--seed-file={munge}/seed",
                    f"--pid-file={munge}/pid", f"--log-file={munge}/log")

    def start_controller(self):
        self.daemon("slurmctld")
        patiently("slurmctld", lambda: "is UP" in self.run("scontrol", "ping", check=False).stdout, START)

    def start_node(self, node):
        self.daemon("slurmd", "-N", node, **{NODE_NAME: node})

    def daemon(self, *command, **variables):
        """Returns when it went into the background, which each does where it could start."""
        with open(self.folder / "daemons.log", "a") as log:
            subprocess.run(command, env=self.environment() | variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                           check=True, timeout=PATIENCE, cwd=self.folder)

    def tell(self, what):
        """Says it on standard error, with the last lines of each daemon's log."""
        print(what, file=sys.stderr)
        for log in sorted([*self.folder.glob("*.log"), self.folder / "munge" / "log"]):
            if log.exists():
                print(f"{log.name}:", *log.read_text(errors="replace").splitlines()[-8:], sep="\n  ", file=sys.stderr, flush=True)

    # Using.

    def run(self, *command, check=True, **options):
        """Runs a command of Slurm's. Returns what subprocess.run returns, with its output as text."""
        options = {"env": self.environment(), "text": True, "capture_output": True, "timeout": PATIENCE} | options
        done = subprocess.run(command, **options)
        if check and done.returncode:
            raise RuntimeError(f"{shlex.join(command)} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done

    def submit(self, script, *options):
        """The number of the job of this text of a script."""
        options = ("--parsable", f"--output={self.folder}/job-%j.out", "--open-mode=append", *options)
        return int(self.run("sbatch", *options, input=f"#!/bin/bash\n{script}\n").stdout)

    def output(self, job):
        file = self.folder / f"job-{job}.out"
        return file.read_text() if file.exists() else ""

    def job(self, number):
        """Returns what scontrol says of a job: JobState, Reason, NodeList, ... ; empty where it is unknown."""
        said = self.run("scontrol", "--oneliner", "show", "job", str(number), check=False).stdout
        return dict(word.partition("=")[::2] for word in said.split() if "=" in word)

    def wait_for_job(self, number, **wanted):
        """Blocks until its fields have these values: wait_for_job(3, JobState="RUNNING")."""
        seen = {}

        def there():
            seen.update(self.job(number))
            return seen if wanted.items() <= seen.items() else None
        try:
            return patiently(f"job {number}", there)
        except TimeoutError as error:
            raise TimeoutError(f"{error}: wanted {wanted}, has {seen}") from None

    def states(self):
        """The state of each node, such as idle, alloc or down*."""
        said = self.run("sinfo", "--noheader", "--Node", "--partition=main", "--format=%N %t", check=False).stdout
        return dict(line.split() for line in said.splitlines())

    # Ending.

    def processes(self, node=None):
        """Returns the processes of the cluster, or of one of its nodes: the daemons, all that jobs started, and
        who waits for these."""
        marks = {f"SLURM_CONF={self.configuration}".encode()} | ({f"{NODE_NAME}={node}".encode()} if node else set())
        ours, found = ancestors(os.getpid()), []
        for pid in set(map(int, filter(str.isdigit, os.listdir("/proc")))) - ours:
            with contextlib.suppress(OSError):  # it has ended, or is another user's
                if marks <= set(environment_of(pid)):
                    found.append(pid)
        return found

    def kill_node(self, node):
        """Kills a node as if its plug were pulled: the daemon with all that runs there."""
        kill_all(lambda: self.processes(node))

    def stop_controller(self):
        """Orderly: killed, it would forget what was submitted within the last seconds."""
        pid = int((self.folder / "slurmctld.pid").read_text())
        os.kill(pid, signal.SIGTERM)
        patiently("the end of slurmctld", lambda: pid not in self.processes())

    def stop(self):
        """Returns when no process of it is left and its folder is gone; fine where it was never started."""
        kill_all(self.processes)
        if self.configuration.exists():
            shutil.rmtree(self.folder)
        else:  # of a cluster that is not written yet, or anybody's
            with contextlib.suppress(OSError):
                self.folder.rmdir()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("start", "env", "stop"):
        command = commands.add_parser(name)
        command.add_argument("folder", metavar="DIR")
        if name == "start":
            command.add_argument("--nodes", type=int, default=3, metavar="N")
            command.add_argument("--gpus", type=int, default=0, metavar="G", help="on each node; files stand in for them")
            command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a line of slurm.conf")
        if name == "stop":
            command.add_argument("--when-told", action="store_true", help="when standard input ends")
    options = parser.parse_args()
    if options.command == "start":
        if reason := missing():
            sys.exit(f"cluster.py: {reason}")
        cluster = Cluster(options.folder, options.nodes, options.gpus, settings=options.set)
        cluster.folder.mkdir(parents=True)  # not another's
        try:
            cluster.start()
        except BaseException:
            cluster.stop()
            raise
    elif options.command == "env":
        print(f"export SLURM_CONF={shlex.quote(str(Cluster(options.folder).configuration))}")
    else:
        if options.when_told:
            if os.fork():
                os._exit(0)
            os.setsid()  # whoever kills the test with its children and its terminal's processes does not kill this
            sys.stdin.buffer.read()
        Cluster(options.folder).stop()


if __name__ == "__main__":
    main()
