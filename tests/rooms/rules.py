#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms' dependency rule: who may call whom, checked in every #include and every link line.

Also that within a room, and in the page of TypeScript, neither modules (a .cpp with the .h of its name) nor folders include one
another in a circle, that folders keep the layers of their room, that every source file names its licence first, and that no header includes
torch/torch.h, which costs each file that includes it ten seconds. `rules.py [ROOT]` prints what breaks a rule as
FILE:LINE: RULE and exits with 1.
"""
import collections
import graphlib
import pathlib
import re
import sys

# A room, and the rooms that it may call: CONTRIBUTING.md's table. The examples also see the leaf, whose
# Error is part of engine/train's contract, so that what reads their data needs no LibTorch.
ROOMS = {
    "app/desktop": {"app/common", "engine/sweep", "engine/pool", "engine/run", "engine/policy", "storage", "engine/goodput", "engine/protocol"},
    "app/cli": {"app/web", "app/common", "engine/sweep", "engine/pool", "engine/run", "engine/policy", "storage", "engine/goodput", "engine/protocol"},
    "app/web": {"app/common", "engine/sweep", "engine/pool", "engine/run", "engine/http", "storage", "engine/goodput", "engine/protocol"},
    "app/common": {"engine/sweep", "engine/pool", "engine/run", "engine/policy", "storage", "engine/goodput", "engine/protocol"},
    "engine/sweep": {"engine/pool", "engine/run", "engine/policy", "storage", "engine/protocol"},
    "engine/pool": {"engine/run", "engine/policy", "storage", "engine/goodput", "engine/protocol"},
    "engine/run": {"engine/http", "engine/policy", "storage", "engine/goodput", "engine/protocol"},
    "engine/http": {"engine/protocol"},
    "engine/policy": {"engine/goodput"},
    "engine/python": {"engine/train", "engine/replica", "engine/goodput", "engine/protocol"},
    "engine/train": {"engine/replica", "engine/goodput", "engine/protocol"},
    "engine/replica": {"engine/goodput", "engine/protocol"},
    "engine/goodput": set(),
    "engine/protocol": set(),
    "storage": {"engine/protocol"},
    "examples": {"engine/train", "engine/replica", "engine/protocol"},
}

# A library: what including it looks like, what linking it looks like, the rooms that may.
LIBRARIES = {
    "LibTorch": (
        r"(torch|ATen|c10|c10d|caffe2|gloo)/",
        r"\bTORCH_LIBRARIES\b|\btorch\b",
        {"engine/train", "engine/python", "examples"},
    ),
    "Qt": (
        r"(Q[A-Z]\w*$|Qt\w*/|q[a-z]+\.h$)",
        r"\bQt6::\w+",
        {"app/desktop", "app/cli", "app/web", "app/common", "engine/http", "engine/pool", "engine/run", "storage"},
    ),
    "Qt's window": (
        r"(Qt(Gui|Widgets|Charts|Svg)/|Q(Gui)?Application$|Q(Widget|MainWindow|Dialog|Chart|ChartView)$)",
        r"\bQt6::(Gui|Widgets|Charts|Svg)\b",
        {"app/desktop"},
    ),
    "SQLite": (r"(SQLiteCpp/|sqlite3)", r"\b(SQLiteCpp|SQLite::\w+|sqlite3)\b", {"storage"}),
    "YAML": (r"yaml-cpp/", r"\byaml-cpp\b", {"engine/sweep", "app/cli"}),
    "NLopt": (r"nlopt\.h", r"\b(NLopt::\w+|NLOPT_LIBRARIES)\b", {"engine/goodput"}),
}

# Rooms from the ground up: a folder includes those of the lines above its own, and none of its own line.
LAYERS = {
    "app/desktop": [
        {"look"},
        {"series"},
        {"scene"},
        {"chart"},
        {"figure"},
        {"session"},
        {"runs", "compare", "explorer", "scaling", "control", "records", "lessons", "share", "queue", "sweep"},
        {"window"},
        {"tools"},
    ],
    "app/web": [  # its server
        {"access", "store"},
        {"files", "metrics", "samples"},
        {"feeds"},
        {"answers"},
        {"recording", "verbs"},
    ],
    "app/web/page": [
        {"base"},
        {"chart", "figure"},
        {"run", "records", "explorer", "queue", "sweep"},
        {"runs", "compare", "lessons"},
        {"views"},
    ],
    "storage": [
        {"database"},
        {"run"},
        {"samples"},
        {"catalogue", "maintenance"},
        {"table"},
    ],
    "engine/run": [
        {"system"},
        {"adaptdl", "devices", "log", "record", "socket", "state"},
        {"launch", "model"},
        {"nodes"},
        {"client", "supervision"},
    ],
    "engine/replica": [
        {"process"},
        {"report"},
        {"collective"},
        {"checkpoint"},
        {"adapt"},
        {"session"},
        {"data", "step"},
    ],
    "engine/train": [
        {"tensor"},
        {"device"},
        {"optimizer", "precision"},
        {"gradient", "loader"},
        {"parallel"},
        {"tools"},
    ],
}

GPL = ("app/desktop/", "tests/app/desktop/", "tests/bench/bench_window.cpp")
FOLDERS = ("app", "engine", "storage", "examples", "tests")
HEADERS = {".h", ".hpp"}
SOURCES = HEADERS | {".cpp", ".cc", ".py", ".ts"}
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
PAGE = "app/web/page"
IMPORT = re.compile(r'.*\bfrom "(\.[^"]+)";$')  # of TypeScript; other names are packages'


def room_of(path):
    """The room of a path relative to the root, or None."""
    return next((room for room in ROOMS if path == room or path.startswith(room + "/")), None)


def included_room(root, file, name):
    """The room whose header `name` is when `file` includes it, or None where it is nobody's."""
    public = re.match(r"batchscope/(\w+)", name)
    if public:
        return next((room for room in ROOMS if room.split("/")[-1] == public[1]), None)
    beside = (root / file).parent / name
    for candidate in (beside, root / name):
        if candidate.is_file() and candidate.resolve().is_relative_to(root):
            return room_of(candidate.resolve().relative_to(root).as_posix())
    return None


def included_file(root, file, name):
    """The file of the same room that is `name` when `file` includes it, as a path relative to the root, or None."""
    room = root / room_of(file)
    for folder in ((root / file).parent, room, room / "src", room / "include", *room.glob("*/src"), *room.glob("*/include")):
        path = (folder / name).resolve()
        if path.is_file() and path.is_relative_to(room):
            return path.relative_to(root).as_posix()
    return None


def imported_modules(root, file, lines):
    """(file, line, imported file) of what a module of the page imports of it."""
    for number, line in enumerate(lines, 1):
        if match := IMPORT.match(line):
            path = ((root / file).parent / match[1]).resolve().relative_to(root)
            yield file, number, path.as_posix() + ".ts"


def call_rule(room, called):
    allowed = ", ".join(sorted(ROOMS[room])) or "no other room"
    return f"{room} may not call {called}; it may call {allowed} (CONTRIBUTING.md)"


def library_rule(room, library):
    rooms = ", ".join(sorted(LIBRARIES[library][2]))
    return f"{room} may not use {library}, only {rooms} (CONTRIBUTING.md)"


def check_includes(root, file, lines):
    room = room_of(file)
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match[1]
        if name == "torch/torch.h" and pathlib.Path(file).suffix in HEADERS:
            yield f"{file}:{number}: no header includes torch/torch.h; include the narrow header"
        if room is None:
            continue
        called = included_room(root, file, name)
        if called not in ROOMS[room] | {room, None}:
            yield f"{file}:{number}: {name}: {call_rule(room, called)}"
        for library, (pattern, _, rooms) in LIBRARIES.items():
            if called is None and room not in rooms and re.match(pattern, name):
                yield f"{file}:{number}: {name}: {library_rule(room, library)}"


def check_links(file, lines):
    room = room_of(file)
    if room is None:
        return
    targets = {f"batchscope_{other.split('/')[-1]}": other for other in ROOMS}
    for number, line in enumerate(lines, 1):
        code = line.split("#")[0]
        for word in re.findall(r"\bbatchscope_\w+", code):
            called = targets.get(word)
            if called not in ROOMS[room] | {room, None}:
                yield f"{file}:{number}: {word}: {call_rule(room, called)}"
        for library, (_, pattern, rooms) in LIBRARIES.items():
            if room not in rooms and re.search(pattern, code):
                yield f"{file}:{number}: {library_rule(room, library)}"


def check_layers(room, name_of, includes):
    """A room's folders include only those below them; arguments as check_circles has them."""
    layer = {folder: number for number, folders in enumerate(LAYERS.get(room, [])) for folder in folders}
    for file, number, included in includes:
        here, there = name_of(file), name_of(included)
        if here != there and here in layer and there in layer and layer[there] >= layer[here]:
            yield (f"{file}:{number}: {included}: {here} may not include {there}, which is not below it: let {there} "
                   "say it by a signal, hand it in from above, or move what both need below both")


def check_circles(room, kind, name_of, includes):
    """No circle of what name_of calls the files; includes holds (file, line, included file)."""
    lines, graph = {}, collections.defaultdict(set)
    for file, number, included in includes:
        here, there = name_of(file), name_of(included)
        if here and there and here != there:
            graph[here].add(there)
            lines.setdefault((here, there), f"{file}:{number}")
    while True:
        try:
            graphlib.TopologicalSorter(graph).prepare()
            return
        except graphlib.CycleError as error:
            circle = error.args[1][::-1]
        steps = [lines[step] for step in zip(circle, circle[1:])]
        yield (f"{steps[0]}: {kind} of {room} include one another: {' -> '.join(circle)} ({', '.join(steps)}); move what "
               "both need below both, or hand it in from above")
        graph[circle[0]].discard(circle[1])


def check_licence(file, lines):
    licence = "GPL-3.0-or-later" if file.startswith(GPL) else "Apache-2.0"
    mark = "#" if file.endswith(".py") else "//"
    number = 2 if lines and lines[0].startswith("#!") else 1
    expected = f"{mark} SPDX-License-Identifier: {licence}"
    if len(lines) < number or lines[number - 1] != expected:
        yield f"{file}:{number}: the line must be: {expected}"


def module(file, sources):
    """A file's path without its suffix; a public header is of the module of the .cpp of its name."""
    if "/include/" in file:
        file = sources.get(pathlib.Path(file).stem, file)
    return file.rsplit(".", 1)[0]


def folder(room, file, sources):
    """The folder of a file's module within its room, or None where that is nobody's but the room's."""
    inside = re.sub(r"^(server/)?src/", "", module(file, sources)[len(room) + 1:]).split("/")
    return inside[0] if len(inside) > 1 and inside[0] != "include" else None


def check(root):
    """Everything under root that breaks a rule, as FILE:LINE: RULE."""
    root = pathlib.Path(root).resolve()
    includes = collections.defaultdict(list)  # of a room's files of one another
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()):
        file = path.relative_to(root).as_posix()
        if path.suffix in SOURCES:
            lines = path.read_text(encoding="utf-8").splitlines()
            yield from check_licence(file, lines)
            if path.suffix == ".ts" and file.startswith(PAGE):
                includes[PAGE] += imported_modules(root, file, lines)
            elif path.suffix in HEADERS | {".cpp", ".cc"}:
                yield from check_includes(root, file, lines)
                room = room_of(file)
                includes[room] += [(file, number, included) for number, line in enumerate(lines, 1)
                                   if room and (match := INCLUDE.match(line))
                                   and (included := included_file(root, file, match[1]))]
        elif path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            yield from check_links(file, path.read_text(encoding="utf-8").splitlines())
    for room, found in includes.items():
        sources = {pathlib.Path(file).stem: file for path in found for file in path[::2] if file.endswith(".cpp")}
        yield from check_circles(room, "modules", lambda file: module(file, sources), found)
        folder_of = lambda file: folder(room, file, sources)
        yield from check_circles(room, "folders", folder_of, found)
        yield from check_layers(room, folder_of, found)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    broken = list(check(root))
    print("\n".join(broken) or "every room keeps the rules")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
