"""Prints registers, spills and shared memory of every CUDA kernel out of a build log with `ptxas -v`.

usage: kernel_report.py BUILD_LOG
"""
import re
import subprocess
import sys


def kernels(log):
    """(architecture, mangled name, {"registers", "spill_stores", "spill_loads", "shared"}) of every kernel."""
    current = None
    for line in log.splitlines():
        found = re.search(r"Compiling entry function '(\w+)' for '(sm_\w+)'", line)
        if found:
            current = (found[2], found[1], {"registers": 0, "spill_stores": 0, "spill_loads": 0, "shared": 0})
            yield current
        if current is None:
            continue
        for key, pattern in [("registers", r"Used (\d+) registers"), ("spill_stores", r"(\d+) bytes spill stores"),
                             ("spill_loads", r"(\d+) bytes spill loads"), ("shared", r"(\d+) bytes smem")]:
            found = re.search(pattern, line)
            if found:
                current[2][key] = int(found[1])


def plain_names(mangled):
    text = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    names = [name.replace("(anonymous namespace)::", "").replace("lockstep::ops::", "") for name in text.splitlines()]
    return [re.sub(r"\(.*$", "", name.removeprefix("void ")) for name in names]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        rows = list(kernels(file.read()))
    print(f"{'kernel':40} {'arch':7} {'registers':>9} {'spilled B':>9} {'shared B':>9}")
    for (architecture, _, figures), name in zip(rows, plain_names([mangled for _, mangled, _ in rows])):
        spilled = figures["spill_stores"] + figures["spill_loads"]
        print(f"{name:40} {architecture:7} {figures['registers']:9} {spilled:9} {figures['shared']:9}")


if __name__ == "__main__":
    main()
