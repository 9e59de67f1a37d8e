"""Checks which shared libraries the three programs load, themselves or through another.

usage: linkage_check.py PROGRAM_FOLDER
"""
import pathlib
import re
import subprocess
import sys

FORBIDDEN = {
    "lockstep": r"libtorch|libc10|libcudart|libopencv",
    "lockstep-engine": r"libtorch|libc10|libcudart|libopencv|libQt",
    "lockstep-worker": r"libQt",
}

folder = pathlib.Path(sys.argv[1])
faults, checked = [], 0
for program, pattern in FORBIDDEN.items():
    path = folder / program
    if not path.exists():  # lockstep-worker without LOCKSTEP_COMPUTE
        continue
    checked += 1
    loaded = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    faults += [f"{program} loads {line.split()[0]}" for line in loaded.splitlines() if re.search(pattern, line.split()[0])]
print(f"{checked} programs checked", *faults, sep="\n")
sys.exit(1 if faults or checked < 2 else 0)
