# SPDX-License-Identifier: Apache-2.0
"""Runs commands whose processes may do anything: take memory or processor time without end, fork without end, outlive their parent.

Each process has a limit of memory, and one of processor time if asked for. All of a command's processes lie in a process namespace of its
own, and end with it (pid_namespaces(7)). A command that has more than MOST_PROCESSES there is killed, and so is what it has started.
RLIMIT_NPROC would not do: it does not hold root. Where no such namespace can be made, as in some containers, only the limits of each
process hold.
"""

import contextlib
import functools
import os
import pathlib
import resource
import signal
import subprocess

MEMORY = 8 << 30  # bytes, more than any test has: a loop may also grow for ever
MOST_PROCESSES = 400  # four tests at a time have some dozens
LOOK = 0.2  # s between two counts: a fork bomb makes some hundreds in that time
# The shell is the namespace's first process, which has to reap the orphans. It would not if it became the command itself.
APART = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *([] if os.getuid() == 0 else ["--user", "--map-current-user"]),
         "sh", "-c", '"$@"; exit $?', "sh"]  # fmt: skip


@functools.cache
def prefix():
    """Returns what puts a command into a namespace; nothing where that cannot be."""
    with contextlib.suppress(OSError):
        if subprocess.run([*APART, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return APART
    return []


def namespace(process, kind):
    try:
        return os.readlink(f"/proc/{process}/ns/{kind}")
    except OSError:  # it has ended
        return None


def has_too_many(process):
    """Whether the namespace that a process has made for its children has too many processes."""
    inside = namespace(process.pid, "pid_for_children")
    if inside is None or inside == namespace("self", "pid"):
        return False
    return sum(namespace(each.name, "pid") == inside for each in pathlib.Path("/proc").glob("[0-9]*")) > MOST_PROCESSES


def run(command, limit=None, cwd=None, variables=()):
    """Runs the command to its end, or kills it as told above. The limit is in s of processor time, for each process."""

    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    process = subprocess.Popen([*prefix(), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
                               env=os.environ | dict(variables), start_new_session=True, preexec_fn=bound)  # fmt: skip
    try:
        while True:
            try:
                out, errors = process.communicate(timeout=LOOK)
                return subprocess.CompletedProcess(command, process.returncode, out, errors)
            except subprocess.TimeoutExpired:
                if has_too_many(process):
                    os.killpg(process.pid, signal.SIGKILL)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
