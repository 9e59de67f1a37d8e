"""Formats and lints the project as .clang-format and .clang-tidy say.

usage: lint.py format SOURCE_FOLDER
       lint.py tidy SOURCE_FOLDER BUILD_FOLDER DATABASE_FOLDER [--all]
       lint.py headers SOURCE_FOLDER BUILD_FOLDER DATABASE_FOLDER [--all]
       lint.py --self-test

DATABASE_FOLDER has a compile_commands.json without unity builds and precompiled headers. BUILD_FOLDER has the moc output.
`tidy` takes a fixed sample of the sources, `headers` of the headers; if the checkout has one to ten of them that differ from the
main branch, those instead. `headers` compiles each header by itself. Exit status 77: clang-format or clang-tidy is missing
(packaging/setup.sh --dev).
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

SOURCES = ("engine", "widgets", "app", "tests")
SAMPLE_ONE_IN, SAMPLE_REST = 240, 238  # sources, of all folders; one takes 5 to 30 s
MAX_CHANGED = 10
TIDY_RULES = pathlib.Path(__file__).resolve().parents[2] / ".clang-tidy"


def files(source, *suffixes):
    return sorted(p for folder in SOURCES for p in (source / folder).rglob("*") if p.suffix in suffixes)


def check_format(source):
    paths = files(source, ".h", ".cpp", ".cu", ".cuh")
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *paths], capture_output=True, text=True)
    print(done.stderr or f"{len(paths)} files are formatted")
    return done.returncode


def commands(source, build, database):
    """Source file -> its compiler's arguments, without the output file."""
    found = {}
    for entry in json.loads((database / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(source) and not path.is_relative_to(build) and path.suffix == ".cpp":
            words = shlex.split(entry["command"].replace(f"-I{database}", f"-I{build}"))
            first = next(i for i, word in enumerate(words) if word.endswith("++"))  # behind ccache
            words = words[first:]
            del words[words.index("-o"):words.index("-o") + 2]
            found[path] = [w for w in words if w not in ("-c", entry["file"])]
    return found


def git(source, *arguments):
    done = subprocess.run(["git", "-C", source, *arguments], capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def changed(source):
    base = git(source, "merge-base", "HEAD", "origin/main") or git(source, "merge-base", "HEAD", "main")
    new = git(source, "ls-files", "--others", "--exclude-standard")
    return {source / name for name in git(source, "diff", "--name-only", *base) + new}


def sampled(paths, source):
    return [p for p in paths if zlib.crc32(str(p.relative_to(source)).encode()) % SAMPLE_ONE_IN == SAMPLE_REST]


def chosen(paths, source, everything, changes):
    if everything:
        return paths
    touched = [p for p in paths if p in changes]
    return touched if 1 <= len(touched) <= MAX_CHANGED else sampled(paths, source)


def parallel(function, items):
    """Prints the faults that `function` returns for the items; returns exit status 1 if there are any, or no items."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [text for text in pool.map(function, items) if text]
    print("\n".join(faults))
    print(f"{len(items)} checked, {len(faults)} with faults")
    return 1 if faults or not items else 0


def tidy(source, build, database, everything):
    known = commands(source, build, database)

    def one(path):
        words = ["clang-tidy", "--quiet", "--warnings-as-errors=*", str(path), "--", *known[path][1:],
                 "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=source)
        return f"{path}:\n{done.stdout}{done.stderr}" if done.returncode else ""

    return parallel(one, chosen(sorted(known), source, everything, changed(source)))


def headers(source, build, database, everything):
    known = commands(source, build, database)
    by_folder = {}  # distinct commands; a folder may have several targets
    for path, words in known.items():
        if words not in (seen := by_folder.setdefault(path.parent, [])):
            seen.append(words)

    def one(header):
        ways = next((by_folder[f] for f in header.parents if f in by_folder), [])
        fault = f"{header}: no source below its folder is compiled"
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as unit:
            unit.write(f'#include "{header}"\n')
            unit.flush()
            for words in ways:
                done = subprocess.run([*words, "-fsyntax-only", unit.name], capture_output=True, text=True)
                if done.returncode == 0:
                    return ""
                fault = f"{header}:\n{done.stderr}"
        return fault

    return parallel(one, chosen(files(source, ".h"), source, everything, changed(source)))


def self_test():
    source = pathlib.Path("/checkout")
    paths = [source / f"engine/a{i}.cpp" for i in range(2000)]
    sample = sampled(paths, source)
    assert 2 <= len(sample) <= 30, len(sample)
    assert chosen(paths, source, True, set()) == paths
    assert chosen(paths, source, False, set()) == sample
    assert chosen(paths, source, False, set(paths[:2]) | {source / "README.md"}) == paths[:2]
    assert chosen(paths, source, False, set(paths[:11])) == sample
    with tempfile.TemporaryDirectory() as folder:
        bad = pathlib.Path(folder) / "engine" / "bad.cpp"
        bad.parent.mkdir()
        bad.write_text("int  a ;\n")
        assert check_format(pathlib.Path(folder)) != 0
        bad.write_text("class badName {};\n")
        if shutil.which("clang-tidy"):
            words = ["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--config-file={TIDY_RULES}", bad, "--"]
            assert subprocess.run(words, capture_output=True).returncode != 0
    assert parallel(str, []) != 0
    return 0


def main(arguments):
    tool = {"format": "clang-format", "--self-test": "clang-format", "tidy": "clang-tidy"}.get(arguments[0])
    if tool and not shutil.which(tool):
        print(f"SKIP: needs {tool} of packaging/setup.sh --dev")
        return 77
    if arguments == ["--self-test"]:
        return self_test()
    everything = "--all" in arguments
    verb, *folders = [a for a in arguments if a != "--all"]
    folders = [pathlib.Path(f).resolve() for f in folders]
    if verb == "format":
        return check_format(*folders)
    if verb == "tidy":
        return tidy(*folders, everything)
    if verb == "headers":
        return headers(*folders, everything)
    return __doc__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
