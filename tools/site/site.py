#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gathers the pages of the documentation site and makes it with mkdocs (./dev docs --site). It needs no network.

    site.py BATCHSCOPE FOLDER [--cpp DOXYGEN_HTML]

The pages are the tree's Markdown, under the same paths; the lessons, which only the window can show, are left out. Python-Markdown,
which mkdocs reads them by, asks for blank lines before lists and for four spaces where GitHub takes two. A link to a source file
leads to a page that shows it, a link to a folder to its README. The references are made here: commands from --help of the program
BATCHSCOPE, Python from docstrings, and C++ is what Doxygen made. The site is FOLDER/html."""
import argparse
import ast
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEFT_OUT = ("build", "node_modules", "resources/lessons")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
LIST_ITEM = re.compile(r"( *)([-*+]|\d+\.) ")
LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".py": "python", ".ts": "typescript", ".toml": "toml", ".sh": "bash"}
PICTURES = {".png", ".svg", ".webp"}


def documents():
    for path in sorted(ROOT.rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if not any(name.startswith(folder + "/") or f"/{folder}/" in name for folder in LEFT_OUT):
            yield path


class Site:
    def __init__(self, folder):
        self.pages = folder / "pages"
        self.known = set(documents())

    def write(self, name, text):
        path = self.pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def show_source(self, path):
        language = LANGUAGES.get(path.suffix, "text")
        self.write(f"{path.relative_to(ROOT)}.md",
                   f"# {path.relative_to(ROOT)}\n\n````{language}\n{path.read_text(encoding='utf-8')}\n````\n")

    def link(self, document, text, link):
        """Returns the link as the site has it: the text alone where the site has no page for its target."""
        name, hash_mark, anchor = link.partition("#")
        if not name or re.match("[a-z]+:", link):
            return f"[{text}]({link})"
        target = (document.parent / name).resolve()
        if target.is_dir():
            target, name = target / "README.md", f"{name.rstrip('/')}/README.md"
        if target in self.known:
            return f"[{text}]({name}{hash_mark}{anchor})"
        if not target.is_file() or target.suffix == ".md":
            return text
        if target.suffix in PICTURES:
            shown = self.pages / target.relative_to(ROOT)
            shown.parent.mkdir(parents=True, exist_ok=True)
            shown.unlink(missing_ok=True)
            shown.symlink_to(target)
            return f"[{text}]({name})"
        self.show_source(target)
        return f"[{text}]({name}.md)"

    def add(self, document):
        lines, fenced = [], False
        for line in document.read_text(encoding="utf-8").splitlines():
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                line = LINK.sub(lambda match: self.link(document, match[1], match[2]), line)
                item, before = LIST_ITEM.match(line), lines[-1] if lines else ""
                if item and item[1]:
                    line = " " * (4 * ((len(item[1]) + 2) // 4)) + line.lstrip()
                starts_list = item and not item[1] and before.strip() and not LIST_ITEM.match(before) and before[0] != " "
                if starts_list or (line.startswith("|") and before.strip() and before[0] != "|"):
                    lines.append("")
            lines.append(line)
        self.write(document.relative_to(ROOT), "\n".join(lines) + "\n")


def said(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def commands(program):
    """Returns the page of all commands, in the order and under the headings of --help."""
    page = ["# Commands", "```text", said(program, "--help"), "```"]

    def add(path, level):
        text = said(program, *path, "--help")
        page.extend([f"{'#' * level} batchscope {' '.join(path)}", "```text", text, "```"])
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", text + "\n", re.M)
        for name in re.findall(r"^  ([a-z-]+) ", listed[1], re.M) if listed else []:
            add([*path, name], level + 1)

    for heading, listed in re.findall(r"^([A-Z][^\n:]*):\n((?:  [a-z].*\n)+)", said(program, "--help"), re.M):
        if heading not in ("Examples", "Commands"):
            page.append(f"## {heading}")
            for name in re.findall(r"^  ([a-z-]+) ", listed, re.M):
                add([name], 3)
    for topic in ("exit-codes", "sweep-file"):
        page.extend([f"## batchscope help {topic}", "```text", said(program, "help", topic), "```"])
    return "\n\n".join(page).replace("```text\n\n", "```text\n").replace("\n\n```\n", "\n```\n") + "\n"


def described(node, level, owner=""):
    """Returns the Markdown of a function or class with its public methods; nothing without a docstring."""
    text = ast.get_docstring(node)
    if not text or (node.name.startswith("_") and node.name != "__init__"):
        return []
    arguments = f"({ast.unparse(node.args)})" if isinstance(node, ast.FunctionDef) else ""
    lines = [f"{'#' * level} `{owner}{node.name}{arguments}`", text]
    for inner in node.body if isinstance(node, ast.ClassDef) else []:
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            lines += described(inner, level + 1, f"{node.name}.")
    return lines


def python():
    package, page = ROOT / "engine/python/batchscope", ["# Python"]
    for path in [package / "__init__.py", *sorted(package.glob("[a-z]*.py")), package / "torch/__init__.py",
                 *sorted(package.glob("torch/[a-z]*.py"))]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        inner = [line for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) for line in described(node, 3)]
        if inner or path.name == "__init__.py":
            page += [f"## {module}", ast.get_docstring(tree) or "", *inner]
    return "\n\n".join(page) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("batchscope", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cpp", type=pathlib.Path, help="the folder that Doxygen has written")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(folder)
    for document in sorted(site.known):
        site.add(document)
    site.write("reference/commands.md", commands(arguments.batchscope))
    site.write("reference/python.md", python())
    reference = ('<a href="../cpp/index.html">The reference of the public headers</a>, by Doxygen.' if arguments.cpp else
                 "`./dev docs` makes the reference of the public headers.")
    site.write("reference/cpp.md", f"# C++\n\n{reference}\n")
    shutil.copy(pathlib.Path(__file__).with_name("mkdocs.yml"), folder)
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", folder / "mkdocs.yml"], check=True)
    if arguments.cpp:
        shutil.copytree(arguments.cpp, folder / "html/cpp")


if __name__ == "__main__":
    main()
