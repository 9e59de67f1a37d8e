"""Checks that every target links what its sources include: the target that holds a project header must be among those it
links, itself or through what they link PUBLIC.

usage: link_check.py SOURCE_FOLDER TARGETS | --self-test

TARGETS is written by targets.cmake, a line each: `target NAME`, and of that target `source PATH`, `link NAME`, `public NAME`.
A header belongs to the targets that compile the file of its name beside it, else to those of its folder.
"""
import pathlib
import re
import sys

# These compile kernels for themselves, without LibTorch.
FREE_TARGETS = re.compile(r"kernels_under_\w+_sanitizer")
TOPS = ("engine/", "widgets/", "app/", "tests/")


class Targets:
    def __init__(self, lines):
        self.sources, self.links, self.public = {}, {}, {}
        for line in lines:
            kind, word = line.split(" ", 1)
            if kind == "target":
                name = word
                self.sources[name], self.links[name], self.public[name] = [], [], []
            else:
                {"source": self.sources, "link": self.links, "public": self.public}[kind][name].append(word)
        self.holders = {}  # of a file without its ending, and of a folder
        for name, sources in self.sources.items():
            for source in sources:
                stem = source.rsplit(".", 1)[0]
                for place in (stem, stem.rsplit("/", 1)[0]):
                    self.holders.setdefault(place, set()).add(name)

    def holders_of(self, header):
        folder = header.rsplit("/", 1)[0]
        of_file = self.holders.get(header.rsplit(".", 1)[0])
        if of_file or folder.startswith("tests/"):  # there a header without a source needs nothing linked
            return of_file or set()
        return self.holders.get(folder, set())

    def reached_from(self, name):
        reached, todo = {name}, list(self.links[name])
        while todo:
            link = todo.pop()
            if link not in reached:
                reached.add(link)
                todo += self.public.get(link, [])
        return reached


def faults_of(targets, text_of):
    """text_of: path -> content of a file, or ""."""
    for name, sources in targets.sources.items():
        if FREE_TARGETS.fullmatch(name):
            continue
        reached = targets.reached_from(name)
        seen, todo = set(), list(sources)
        while todo:
            path = todo.pop()
            for header in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text_of(path), re.M):
                if header in seen or not header.startswith(TOPS):
                    continue
                seen.add(header)
                holders = targets.holders_of(header)
                if not holders or name in holders:
                    todo.append(header)  # its own: what that includes is linked too
                elif not holders & reached:
                    yield f"{path}: {name} includes {header}, but does not link {' or '.join(sorted(holders))}"


def self_test():
    table = """target a
source engine/a/a.cpp
target b
source engine/b/b.cpp
link a
public a
target c
source engine/c/c.cpp
link b
public x
target tests_c
source tests/c/tst_c.cpp
link c"""
    good = {"engine/b/b.cpp": '#include "engine/a/only.h"', "engine/c/c.cpp": '#include "engine/b/b.h"\n#include "engine/a/a.h"',
            "tests/c/tst_c.cpp": '#include "engine/c/c.h"\n#include "tests/c/own.h"'}
    bad = [{"engine/a/a.cpp": '#include "engine/b/b.h"'}, {"tests/c/tst_c.cpp": '#include "engine/b/b.h"'},
           {"engine/a/a.cpp": '#include "engine/a/a.h"', "engine/a/a.h": '#include "engine/c/c.h"'}]
    targets = Targets(table.splitlines())
    wrong = list(faults_of(targets, lambda path: good.get(path, "")))
    missed = [files for files in bad if not list(faults_of(targets, lambda path: files.get(path, "")))]
    print("missed:", missed, "wrong:", wrong)
    return 1 if missed or wrong else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    targets = Targets(pathlib.Path(sys.argv[2]).read_text().splitlines())
    faults = sorted(set(faults_of(targets, lambda path: (root / path).read_text() if (root / path).is_file() else "")))
    print(f"{len(targets.sources)} targets, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or not targets.sources else 0


if __name__ == "__main__":
    sys.exit(main())
