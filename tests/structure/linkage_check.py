"""Checks which shared libraries the three programs load, themselves or through another, and which they name; and that the
tests named load no Qt but Core and Test.

usage: linkage_check.py PROGRAM_FOLDER [TEST…]
"""
import pathlib
import re
import subprocess
import sys

FONTS = r"libfreetype|libfontconfig|libharfbuzz"
# Not even through another library.
FORBIDDEN = {
    "lockstep": r"libtorch|libc10|libcudart|libopencv",
    "lockstep-engine": rf"libtorch|libc10|libcudart|libopencv|libQt|{FONTS}",
    "lockstep-worker": r"libQt",
}
FORBIDDEN_TO_TESTS = r"libQt(?!6(Core|Test)\.)"
# Not by name: Qt loads these for itself.
NOT_NAMED = {"lockstep": FONTS}


def loaded(path):
    lines = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[0] for line in lines]


def named(path):
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


folder = pathlib.Path(sys.argv[1])
tests = dict.fromkeys(sys.argv[2:], FORBIDDEN_TO_TESTS)
faults, checked = [], 0
for program, pattern in {**FORBIDDEN, **tests}.items():
    path = folder / program
    if not path.exists():  # lockstep-worker without LOCKSTEP_COMPUTE, lockstep without LOCKSTEP_GUI
        continue
    checked += 1
    faults += [f"{program} loads {library}" for library in loaded(path) if re.search(pattern, library)]
    not_named = NOT_NAMED.get(program)
    faults += [f"{program} names {library}" for library in named(path) if not_named and re.search(not_named, library)]
print(f"{checked} programs checked", *faults, sep="\n")
sys.exit(1 if faults or checked < 2 else 0)
