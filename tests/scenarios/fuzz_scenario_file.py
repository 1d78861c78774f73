#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fuzz target of scenario files. They are read by Python, which libFuzzer does not instrument, so this one mutates
blindly: from the scenarios there are, by bytes, lines and words. What is read must be taken, the same when it is read
again, or refused by a Failure that names the line, within seconds.

  fuzz_scenario_file.py SECONDS [SEED]    0: only the scenarios and what is wrong by design
"""

import pathlib
import random
import signal
import sys
import tempfile
import time

import scenario_file

HERE = pathlib.Path(__file__).resolve().parent
NAME = "x.scenario"
PATIENCE = 10  # s, for one file
WORDS = [verb.encode() for verb in scenario_file.FORMS] + [
    b"output", b"replica 0", b"started", b"supervisor", b"fork server", b"pool", b"supervisor of a", b"in each", b"all", b"newest", b"flipped", b"store",
    b"ENOSPC", b"exact", b"20 times", b"'", b'"', b"\\", b"(" * 50, b")", b"[", b"{pid replica 0}", b"not ", b"- " * 50,
    b"lambda: ", b":=", b"9" * 20, b"\0", b"\r", b"\x0c", b"\xc3", "\u2028ä".encode(), b"#", b"\n", b" ", b"\t"]
WRONG = [b"wait", b"wait output", b"wait (", b"check 1 is 1", b"check " + b"(" * 300, b"check",
         b"do", b"do '", b"fails", b"fails x y", b"fails 1", b"signal", b"signal NONE supervisor", b"signal TERM me",
         b"kill", b"kill replica x", b"damage", b"damage newest eaten", b"fault", b"fault ENOSPC moon", b"clock x",
         b"clock " + b"9" * 5000, b"exits", b"exits one", b"samples", b"samples in each", b"kill supervisor of", b"lose", b"remove /", b"mend it", b"set", b"set = 1",
         b"says", b"dance", b"check a\0b", b"\xff", b"check 1\x1b[2J", b"interrupt now"]


def try_file(content):
    """Returns the claim that does not hold, or None."""
    try:
        steps = scenario_file.read(content, NAME)
    except scenario_file.Failure as failure:
        return None if str(failure).startswith(NAME + ":") and str(failure).isprintable() else f"it only says {failure!r}"
    again = scenario_file.read("\n".join(step.line for step in steps).encode(), NAME)
    return None if [step[1:] for step in again] == [step[1:] for step in steps] else "it reads otherwise the second time"


def mutated(random_, seeds):
    content = bytearray(random_.choice(seeds))
    for _ in range(random_.randint(1, 8)):
        at, end = sorted(random_.randint(0, len(content)) for _ in range(2))
        match random_.randint(0, 5):
            case 0: content[at:at] = random_.choice(WORDS)
            case 1: content[at:at + 1] = bytes([random_.randrange(256)])
            case 2: del content[at:min(end, at + 40)]
            case 3: content[at:at] = content[at:min(end, at + 200)]
            case 4:
                lines = random_.choice(seeds).split(b"\n")
                content[at:at] = random_.choice(lines)
            case 5:
                lines = content.split(b"\n")
                random_.shuffle(lines)
                content = bytearray(b"\n".join(lines))
    return bytes(content)


def too_slow(*_):
    raise TimeoutError(f"it took more than {PATIENCE} s")


def insist(content):
    signal.alarm(PATIENCE)
    try:
        wrong = try_file(content)
    except Exception as error:
        wrong = repr(error)
    finally:
        signal.alarm(0)
    if wrong:
        with tempfile.NamedTemporaryFile(prefix="found-", suffix=".scenario", delete=False) as found:
            found.write(content)
        sys.exit(f"{found.name}: {wrong}")


def main():
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    signal.signal(signal.SIGALRM, too_slow)
    seeds = [file.read_bytes() for file in sorted(HERE.glob("*.scenario"))]
    for content in seeds:
        scenario_file.read(content, NAME)  # throws what is wrong with it
    for content in WRONG:
        insist(b"start batchscope\n" + content)
        try:
            scenario_file.read(content, NAME)
        except scenario_file.Failure:
            continue
        sys.exit(f"{content[:80]} is taken for a step")
    random_, runs = random.Random(seed), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        insist(mutated(random_, seeds))
        runs += 1
    print(f"{len(seeds)} scenarios, {len(WRONG)} wrong ones, {runs} mutations from seed {seed}")


if __name__ == "__main__":
    main()
