#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""by_hand.py [--look LOOK] PROGRAMS PICTURES FILE.steps...: uses the window as a person does, and takes pictures of it.

Each file has a screen of its own (Xvfb), a window manager and an empty store. What it names is found as a screen
reader finds it, by role and name over AT-SPI, and pressed where it lies on the screen, by xdotool: what is hidden,
clipped or has no name cannot be pressed. README.md has the words.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 10  # s
SETTLED = 0.4  # s, that a press takes to be seen
SCREEN = (1440, 900)
LESSONS = pathlib.Path(__file__).resolve().parents[4] / "resources" / "lessons" / "runs"


class Failure(Exception):
    pass


def patiently(what, met):
    deadline = time.monotonic() + PATIENCE
    while not (seen := met()):
        if time.monotonic() > deadline:
            raise Failure(f"waited {PATIENCE} s in vain for {what}")
        time.sleep(0.1)
    return seen


def settle():
    time.sleep(SETTLED)


def common(a, b):
    """Returns the intersection of two boxes (left, top, right, bottom); an empty one has no width or no height."""
    return (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])) if a else b


class Eyes:
    """The window as a screen reader sees it."""

    def __init__(self):
        import gi
        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi, GLib
        self.atspi, self.context, self.gone = Atspi, GLib.MainContext.default(), GLib.Error

    def everything(self):
        """(role, name, text, box) of all that shows, the front window first; the box is what is not clipped."""
        while self.context.iteration(False):
            pass
        desktop = self.atspi.get_desktop(0)
        desktop.clear_cache()
        seen = []
        for program in map(desktop.get_child_at_index, range(desktop.get_child_count())):
            for index in reversed(range(program.get_child_count() if program else 0)):
                self.look(program.get_child_at_index(index), None, seen)
        return seen

    def look(self, node, frame, seen):
        """Looks at a node. One that goes away meanwhile, such as a row of a table that changes, is not seen."""
        try:
            self.look_into(node, frame, seen)
        except self.gone:
            pass

    def look_into(self, node, frame, seen):
        if node is None or not node.get_state_set().contains(self.atspi.StateType.SHOWING):
            return
        role, able, box, text = node.get_role_name(), node.get_interfaces(), None, ""
        if role == "popup menu":
            frame = None  # it hangs out of what opened it
        if "Component" in able:
            extents = node.get_extents(self.atspi.CoordType.SCREEN)
            box = common(frame, (extents.x, extents.y, extents.x + extents.width, extents.y + extents.height))
        if "Text" in able:
            text = self.atspi.Text.get_text(node, 0, -1)
        elif "Value" in able:
            text = f"{node.get_current_value():g}"
        seen.append((role, node.get_name() or "", text, box))
        for index in range(min(node.get_child_count(), 500)):
            self.look(node.get_child_at_index(index), box, seen)


# The same steps, seen otherwise: the settings of the window, what is in its environment, and how dense its screen is.
LOOKS = {
    "": ("", {}, 1),
    "dark": ("[window]\ntheme=2\n", {}, 1),
    "colour-blind": ("[window]\ncolour-blind=true\n", {}, 1),
    "2x": ("", {"QT_SCALE_FACTOR": "2"}, 2),
}


class Session:
    def __init__(self, programs, pictures, name, home, look):
        settings, environment, self.density = LOOKS[look]
        self.programs, self.pictures, self.name = programs, pictures, f"{name}-{look}" if look else name
        self.size, self.processes = SCREEN, []
        folder = pathlib.Path(home) / "batchscope"
        folder.mkdir()
        (folder / "batchscope.conf").write_text(settings)
        self.environment = dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home,
                                XDG_CONFIG_HOME=home, XDG_RUNTIME_DIR=home, QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1",
                                PATH=f"{programs}:{os.environ['PATH']}", OMP_WAIT_POLICY="passive", **environment)

    # The words.

    def screen(self, size):
        """screen 1280x720: instead of 1440x900; before anything else."""
        self.size = tuple(map(int, size.split("x")))

    def set(self, name, value):
        """set OMP_NUM_THREADS 1: in the environment of what is started from here on."""
        self.environment[name] = value

    def lessons(self, *names):
        """lessons elastic gain: imports these recorded runs, as a person's own."""
        for name in names:
            imported = json.loads(self.do("batchscope", "import", "--json", str(LESSONS / f"{name}.jsonl")))
            self.do("batchscope", "tag", imported["imported"], f"-lesson:{name}")

    def do(self, *command):
        """do batchscope run digits --detach: a command that is to succeed."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"exited {done.returncode}: {done.stderr}")
        return done.stdout

    def window(self, *arguments):
        """window --theme dark: opens it, on a new screen."""
        read, write = os.pipe()
        pixels = "x".join(str(self.density * side) for side in self.size)
        # A server that is reset with its last client would throw out a window manager that is only beginning.
        self.spawn("Xvfb", "-displayfd", str(write), "-screen", "0", f"{pixels}x24", "-noreset", "-nolisten", "tcp",
                   pass_fds=[write])
        self.environment["DISPLAY"] = os.environ["DISPLAY"] = f":{os.read(read, 9).decode().strip()}"
        self.spawn("/usr/libexec/at-spi-bus-launcher", "--launch-immediately")
        self.spawn("openbox", "--sm-disable")
        # A window gets no keys without a window manager.
        patiently("the window manager", lambda: subprocess.run(["xdotool", "get_num_desktops"], env=self.environment,
                                                               capture_output=True).returncode == 0)
        self.eyes = Eyes()
        self.again(*arguments)

    def again(self, *arguments):
        """again: opens it anew, once it has been closed, on the same screen."""
        self.spawn("batchscope-desktop", *arguments)
        patiently("the window", lambda: any(role == "frame" for role, *_ in self.eyes.everything()))
        settle()

    def press(self, *keys):
        """press ctrl+n Tab Return: keys, as xdotool names them."""
        for key in keys:
            self.xdotool("key", "--clearmodifiers", key)
        settle()

    def type(self, text):
        """type "digits": into the field that has the keyboard."""
        self.xdotool("type", "--clearmodifiers", "--delay", "15", text)
        settle()

    def click(self, what):
        """click "menu item/Delete": what is named so, of any role or of this one; or a place, 640,300."""
        self.point(what)
        self.xdotool("click", "1")
        settle()

    def double(self, what):
        """double "Gain": clicks it twice."""
        self.point(what)
        self.xdotool("click", "--repeat", "2", "--delay", "60", "1")
        settle()

    def menu(self, what):
        """menu "digits": opens what the right button opens."""
        self.point(what)
        self.xdotool("click", "3")
        settle()

    def hover(self, what):
        """hover "Gain": until its tool tip shows."""
        self.point(what)
        x, y = self.place(what)
        self.xdotool("mousemove", str(x + 1), str(y + 1))
        time.sleep(1.2)

    def wheel(self, what, direction, times="3"):
        """wheel "Rule" down 5: turns it over the place."""
        self.point(what)
        self.xdotool("click", "--repeat", times, "--delay", "30", {"up": "4", "down": "5"}[direction])
        settle()

    def drag(self, what, to):
        """drag 300,400 500,400: with the left button, slowly."""
        (x, y), (to_x, to_y) = self.place(what), self.place(to)
        self.xdotool("mousemove", str(x), str(y), "mousedown", "1")
        for step in range(1, 11):
            self.xdotool("mousemove", str(x + (to_x - x) * step // 10), str(y + (to_y - y) * step // 10))
            time.sleep(0.03)
        self.xdotool("mouseup", "1")
        settle()

    def picture(self, name):
        """picture form: PICTURES/FILE-form.png, of the whole screen."""
        settle()
        file = self.pictures / f"{self.name}-{name}.png"
        subprocess.run(["import", "-window", "root", str(file)], env=self.environment, check=True)
        print(f"  {file}")

    def sees(self, words):
        """sees "Finished": waits until these words, a regular expression, stand somewhere."""
        patiently(f"“{words}”", lambda: self.standing(words))

    def lacks(self, words):
        """lacks "Traceback": these words stand nowhere."""
        if found := self.standing(words):
            raise Failure(f"it says {found[0][1:3]}")

    def value(self, what, text):
        """value "Batch size" 64: waits until the field reads so."""
        def read():
            return [seen for seen in self.found(what) if seen[2] == text or seen[1] == text]
        patiently(f"{what} to be {text}, not {[seen[1:3] for seen in self.found(what)]}", read)

    def wait(self, seconds):
        """wait 2: seconds, where nothing tells when."""
        time.sleep(float(seconds))

    # The parts of steps.

    def spawn(self, *command, **options):
        self.processes.append(subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, **options))

    def xdotool(self, *arguments):
        subprocess.run(["xdotool", *arguments], env=self.environment, check=True)

    def standing(self, words):
        return [seen for seen in self.eyes.everything() if re.search(words, f"{seen[1]}\n{seen[2]}")]

    def found(self, what):
        role, _, name = what.rpartition("/")
        seen = [one for one in self.eyes.everything() if one[3] and role in ("", one[0])]
        return [one for one in seen if one[1] == name] or [one for one in seen if one[1].startswith(name)]

    def place(self, what):
        """The pixel in the middle of what lies on the screen; of several, the first."""
        def reachable():
            boxes = [common(one[3], (0, 0, *self.size)) for one in self.found(what)]
            return [((left + right) // 2, (top + bottom) // 2) for left, top, right, bottom in boxes
                    if left < right and top < bottom]

        if at := re.fullmatch(r"(\d+),(\d+)", what):
            x, y = int(at[1]), int(at[2])
        else:
            x, y = patiently(f"“{what}” on the screen", reachable)[0]
        return self.density * x, self.density * y  # Qt tells places as if the screen were not so dense

    def point(self, what):
        x, y = self.place(what)
        self.xdotool("mousemove", str(x), str(y))
        time.sleep(0.05)

    def carry_out(self, file):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            word, *rest = shlex.split(line, comments=True) or [""]
            if not word:
                continue
            try:
                WORDS[word](self, *rest)
            except (Failure, KeyError, TypeError, subprocess.CalledProcessError) as error:
                if hasattr(self, "eyes"):
                    self.picture("failed")
                    (self.pictures / f"{self.name}-failed.txt").write_text("".join(
                        f"{role}/{name}  {text!r}  {box}\n" for role, name, text, box in self.eyes.everything()))
                raise Failure(f"{file}:{number}: {line}: {error}") from None

    def close(self):
        for command in (["sweep", "stop", "latest"], ["stop", "--all"]):
            subprocess.run(["batchscope", *command], env=self.environment, capture_output=True)
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            process.wait()


WORDS = {word.__name__: word for word in (
    Session.screen, Session.set, Session.lessons, Session.do, Session.window, Session.again, Session.press, Session.type, Session.click,
    Session.double, Session.menu, Session.hover, Session.wheel, Session.drag, Session.picture, Session.sees,
    Session.lacks, Session.value, Session.wait)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--look", choices=sorted(LOOKS), default="", help="another theme, or a screen twice as dense")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("pictures", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    if len(options.files) > 1:
        codes = [subprocess.run([sys.executable, __file__, f"--look={options.look}", options.programs, options.pictures,
                                 file]).returncode for file in options.files]
        sys.exit(max(codes))
    if "BATCHSCOPE_BY_HAND" not in os.environ:  # a bus of its own
        os.environ["BATCHSCOPE_BY_HAND"] = "1"
        os.execvp("dbus-run-session", ["dbus-run-session", "--", sys.executable, *sys.argv])
    file = options.files[0]
    print(file, flush=True)
    with tempfile.TemporaryDirectory(prefix="bs-") as home:
        session = Session(options.programs.resolve(), options.pictures.resolve(), file.stem, home, options.look)
        try:
            session.carry_out(file)
        except Failure as failure:
            sys.exit(f"FAILED {failure}")
        finally:
            session.close()


if __name__ == "__main__":
    main()
