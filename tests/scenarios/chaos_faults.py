# SPDX-License-Identifier: Apache-2.0
"""The faults that befall a run in chaos.py: what breaks by itself, what others of the machine do, and what a person
does to it. Each fault leaves the run where `batchscope resume` or nothing at all brings it back to training."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import time

from run_scenario import Failure, damage_checkpoint, patiently

MOST_REPLICAS = 3
NOBODY = 65534
WITHOUT_PRIVILEGE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search",
                     "--inh-caps=-dac_override,-dac_read_search"]  # permissions stop root too
NONSENSE = ["--efficiency-floor nan", "--efficiency-floor inf", "--efficiency-floor -1",
            "--checkpoint-every nan", "--checkpoint-every infs", "--hang-timeout nan", "--collective-timeout inf", "--rescale-timeout 1e999s",
            "--checkpoint-timeout -infs", "--at elapsed=nan:checkpoint", "--at progress=inf:pause", "--at step=nan:stop",
            "--replicas 0", "--replicas auto:3-1", "--restart-budget 1e99"]


class Faults:
    def __init__(self, scenario, random):
        self.scenario = scenario
        self.random = random
        self.put_away = []  # where a person keeps checkpoints
        self.present = {}  # what somebody else put where we would keep checkpoints in memory
        self.ended_full = False  # the run, while there was no room on the disk

    @classmethod
    def names(cls):
        return [name for name, what in vars(cls).items() if getattr(what, "is_fault", False)]

    def fault(method):
        method.is_fault = True
        return method

    # Processes.

    @fault
    def replica_killed(self):
        self.on_a_replica("KILL")

    @fault
    def replica_stopped(self):
        self.on_a_replica("STOP")
        self.pass_time(0.2, 1)
        self.on_all("CONT")

    @fault
    def replica_told_to_leave(self):
        self.on_a_replica("TERM")
        self.settle()

    @fault
    def fork_server_killed(self):
        self.scenario.signal("KILL fork server")

    @fault
    def supervisor_killed(self):
        self.scenario.kill("supervisor")

    @fault
    def power_cut(self):
        self.scenario.kill("all")

    @fault
    def power_cut_with_memory(self):
        self.scenario.kill("all")
        self.lose_memory()

    # Disks.

    @fault
    def disk_full(self):
        self.full("checkpoints")

    @fault
    def disk_and_memory_full(self):
        self.full("checkpoints", "memory")

    @fault
    def store_full(self):
        self.full("store")

    # Checkpoints. There are two, and the one before the damaged one is good, or it would be no fault but the end.

    @fault
    def checkpoint_damaged(self):
        if self.two_checkpoints():
            self.scenario.kill("all")
            self.scenario.damage("newest " + self.random.choice(["flipped", "truncated", "missing", "newer"]))

    @fault
    def manifest_unreadable(self):
        """Makes a checkpoint's manifest unreadable, while the run trains, is restarted, or lies still."""
        if not self.two_checkpoints():
            return
        if self.random.random() < 0.5:
            self.scenario.kill("all")
        manifest = self.random.choice(self.scenario.checkpoints()) / "manifest.json"
        how = self.random.choice(["cut off", "a folder", "a bad disk"])
        with contextlib.suppress(FileNotFoundError):  # rotated away
            if how == "cut off":
                damage_checkpoint(manifest.parent, "truncated", manifest.name)
            elif how == "a folder":
                manifest.unlink()
                manifest.mkdir()
            else:
                self.scenario.fault_at("BADREAD", manifest.resolve())
        self.restart_somehow()
        self.pass_time(0.5, 2)
        self.scenario.mend("")

    @fault
    def checkpoint_names_again(self):
        """A checkpoint is removed by hand: the next one may be called as it was."""
        if not self.two_checkpoints():
            return
        # The last but one is left, which is good: older ones may be damaged, or links to what was put away.
        victims = self.random.choice([lambda all: all[:1], lambda all: all[-1:], lambda all: all[:-2] + all[-1:]])
        before = self.random.random() < 0.7
        if before:
            for checkpoint in victims(self.scenario.checkpoints()):
                remove(checkpoint)
        self.scenario.kill(self.random.choice(["supervisor", "supervisor", "all"]))
        if not before:
            patiently("the replicas' end", lambda: not self.scenario.processes())
            for checkpoint in victims(self.scenario.checkpoints()):
                remove(checkpoint)

    @fault
    def checkpoint_put_away(self):
        """A person moves one to another disk and leaves a link: what the link leads to is nobody else's to remove."""
        if not self.two_checkpoints():
            return
        by_hand = {checkpoint["name"] for checkpoint in self.seen()["checkpoints"] if checkpoint["reason"] == "manual"}
        checkpoint = self.random.choice([path for path in self.scenario.checkpoints()
                                         if path.name in by_hand and not path.is_symlink()])
        self.put_away.append(self.scenario.home / "archive" / str(len(self.put_away)))
        self.put_away[-1].parent.mkdir(exist_ok=True)
        checkpoint.rename(self.put_away[-1])
        checkpoint.symlink_to(self.put_away[-1])
        self.restart_somehow()
        self.insist_on_the_archive()

    # The store.

    @fault
    def catalogue_locked(self):
        """Locks the catalogue for seconds, while checkpoints rotate; at times the supervisor dies before it could write
        there."""
        with self.locked():
            commands = [self.scenario.spawn("batchscope checkpoint latest", subprocess.DEVNULL)]
            self.pass_time(2, 6)  # and the periodic ones
            if self.random.random() < 0.3:
                rescale = f"batchscope rescale latest {self.other_count()}"
                commands.append(self.scenario.spawn(rescale, subprocess.DEVNULL))
                self.pass_time(1, 3)
            if self.random.random() < 0.5:
                self.scenario.kill(self.random.choice(["supervisor", "all"]))
        for command in commands:
            command.wait(240)

    @fault
    def catalogue_half_made(self):
        """An empty file is found in its place: no run is taken for rubbish, and a copy put back is as before."""
        self.scenario.kill("all")
        file, before = self.scenario.home / "runs.db", (self.scenario.run(), self.scenario.checkpoints())
        with contextlib.closing(sqlite3.connect(file)) as catalogue:
            catalogue.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        copy = file.read_bytes()
        self.write_catalogue(b"")
        for command in ("ls", "doctor", "gc --yes"):
            self.command(command)
        if "run" not in self.seen() or (self.scenario.run(), self.scenario.checkpoints()) != before:
            raise Failure("an empty catalogue hid the run, or gc took it")
        self.write_catalogue(copy)

    @fault
    def folder_unreadable(self):
        """Takes the permissions of a checkpoint's folder for a while."""
        if os.geteuid() == 0 and not self.scenario.launcher:
            return
        if not self.two_checkpoints():
            return
        folder = self.random.choice([self.scenario.place("run"), self.scenario.place("checkpoints"),
                                     *self.scenario.checkpoints()]).resolve()
        with contextlib.suppress(FileNotFoundError), without_permission(folder):
            self.restart_somehow()
            self.pass_time(0.5, 3)

    # Others.

    @fault
    def memory_of_another(self):
        """Lets another user have made our place in memory before us, with a present in it; both stay until the next
        power cut."""
        self.scenario.kill("all")
        self.lose_memory()
        place = self.scenario.memory / f"batchscope-{os.getuid()}"
        present = place / self.scenario.run() / "checkpoint-999999"
        elsewhere = self.scenario.home / "elsewhere"
        if self.random.random() < 0.5 and os.geteuid() == 0:
            present.mkdir(parents=True)
        else:
            (elsewhere / self.scenario.run()).mkdir(parents=True, exist_ok=True)
            place.symlink_to(elsewhere)
        for newest in [path for path in self.scenario.checkpoints() if path.exists()][-1:]:  # not a link that leads nowhere
            shutil.copytree(newest, present, dirs_exist_ok=True)
            manifest = json.loads((present / "manifest.json").read_text())
            (present / "manifest.json").write_text(json.dumps({**manifest, "step": 10**9}))
        for path in [place, *place.rglob("*")]:
            if os.geteuid() == 0 and not path.is_symlink():
                os.chown(path, NOBODY, NOBODY)
                path.chmod(0o777)
        self.present = self.in_memory()
        self.command("resume latest --detach")
        patiently("training", lambda: self.seen()["run"]["state"] == "running")
        self.command(f"rescale latest {self.random.randint(1, MOST_REPLICAS)}")
        self.insist_on_the_present()

    # A person.

    @fault
    def rescale(self):
        for _ in range(self.random.choice([1, 1, 3])):
            self.command(f"rescale latest {self.random.randint(1, MOST_REPLICAS)}")

    @fault
    def checkpoint(self):
        self.command("checkpoint latest")

    @fault
    def pause(self):
        self.command("pause latest")
        self.settle()

    @fault
    def nonsense_asked(self):
        """It is refused, and leaves nothing behind that stands in the way of the others."""
        run = self.scenario.run()
        asked = self.random.choice(NONSENSE)
        if self.command(f"run {asked} --detach linear_regression") == 0:
            raise Failure(f"run {asked} was accepted")
        if self.scenario.run() != run or self.command("ls") != 0:
            raise Failure(f"run {asked} was refused, and left something behind")

    # Helpers of the faults.

    def full(self, *places):
        for place in places:
            self.scenario.fault(self.random.choice(["ENOSPC", "EDQUOT"]) + " " + place)
        if self.random.random() < 0.5:
            self.command(f"rescale latest {self.other_count()}")
        self.pass_time(0.5, 2)
        if "store" not in places and self.random.random() < 0.2:  # a generation that nobody could record has no number
            self.scenario.kill("all")
        # Then its checkpoints lie in memory for good, as it has said.
        if "store" not in places:
            self.ended_full = self.ended_full or self.scenario.show()["run"]["state"] == "finished"
        self.scenario.mend("")

    def restart_somehow(self):
        if not self.scenario.processes():
            self.command("resume latest --detach")
        elif (how := self.random.random()) < 0.3:
            self.command(f"rescale latest {self.random.randint(1, MOST_REPLICAS)}")
        elif how < 0.6:
            self.on_a_replica("KILL")
        elif how < 0.8:
            self.command("checkpoint latest")
        else:
            with contextlib.suppress(Failure, ProcessLookupError):
                self.scenario.kill("all")
            self.command("resume latest --detach")

    def two_checkpoints(self):
        """Whether two good ones are there that the catalogue knows."""
        for _ in range(2):
            self.command("checkpoint latest")
        known = [checkpoint["name"] for checkpoint in self.seen()["checkpoints"]]
        present = [path.name for path in self.scenario.checkpoints()]
        return len(present) >= 2 and present[-1] in known and self.seen()["run"]["state"] == "running"

    def locked(self):
        catalogue = sqlite3.connect(self.scenario.home / "runs.db", isolation_level=None, timeout=60)
        catalogue.execute("BEGIN IMMEDIATE")
        return contextlib.closing(catalogue)

    def in_memory(self):
        """Path -> when it was changed, or what lies there."""
        return {path: path.stat().st_mtime_ns for top in self.scenario.memory.iterdir()
                for path in [top, *top.resolve().rglob("*")]}

    def lose_memory(self):
        self.insist_on_the_present()
        self.scenario.lose("memory")
        shutil.rmtree(self.scenario.home / "elsewhere", ignore_errors=True)
        self.present = {}

    def insist_on_the_present(self):
        """Nobody has put anything beside it, not for a moment."""
        if self.present and (now := self.in_memory()) != self.present:
            raise Failure(f"another's place was used: {[str(path) for path, _ in now.items() ^ self.present.items()]}")

    def insist_on_the_archive(self):
        for checkpoint in self.put_away:
            if not (checkpoint / "manifest.json").exists():
                raise Failure(f"{checkpoint}, which a person put away, was taken apart")

    def write_catalogue(self, content):
        for name in ("runs.db", "runs.db-wal", "runs.db-shm"):
            (self.scenario.home / name).unlink(missing_ok=True)
        (self.scenario.home / "runs.db").write_bytes(content)

    def other_count(self):
        return self.random.choice([n for n in range(1, MOST_REPLICAS + 1) if n != self.seen()["run"]["replicas"]])

    def command(self, words):
        """Runs a command and returns its exit code. It may be refused: the run may be restarting from the last fault."""
        process = self.scenario.spawn("batchscope " + words, subprocess.PIPE)
        process.communicate(timeout=240)
        return process.returncode

    def on_a_replica(self, name):
        """Where it is still there."""
        with contextlib.suppress(Failure):
            self.scenario.signal(f"{name} replica {self.random.randrange(self.seen()['run']['replicas'])}")

    def on_all(self, name):
        for rank in range(MOST_REPLICAS):
            with contextlib.suppress(Failure):
                self.scenario.signal(f"{name} replica {rank}")

    def pass_time(self, least, most):
        time.sleep(self.random.uniform(least, most))

    def seen(self):
        return self.scenario.show()

    def settle(self):
        patiently("rest", lambda: self.seen()["run"]["state"] not in ("restarting", "pausing", "stopping"))


def remove(checkpoint):
    """Removes a checkpoint, be it a folder or a link into memory."""
    if checkpoint.is_symlink():
        checkpoint.unlink()
    else:
        shutil.rmtree(checkpoint, ignore_errors=True)


@contextlib.contextmanager
def without_permission(folder):
    mode = folder.stat().st_mode
    folder.chmod(0)
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            folder.chmod(mode & 0o7777)
