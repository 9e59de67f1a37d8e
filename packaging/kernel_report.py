"""Prints the architectures of the CUDA kernels in a program, and what each kernel takes of a multiprocessor.

usage: kernel_report.py CUOBJDUMP PROGRAM
"""
import re
import subprocess
import sys


def kernels(dump):
    """{mangled name: {architecture: (registers, bytes of stack, bytes of shared memory)}}"""
    found, architecture, name = {}, None, None
    for line in dump.splitlines():
        if line.startswith("arch = "):
            architecture = line.removeprefix("arch = ").strip()
        elif line.strip().startswith("Function "):
            name = line.strip().removeprefix("Function ").removesuffix(":")
        elif name and "REG:" in line:
            figures = dict(re.findall(r"(\w+):(\d+)", line))
            found.setdefault(name, {})[architecture] = tuple(int(figures[key]) for key in ("REG", "STACK", "SHARED"))
            name = None
    return found


def plain_names(mangled):
    text = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    names = [re.sub(r"\(anonymous namespace\)::|lockstep::ops::|c10::", "", name) for name in text.splitlines()]
    return [re.sub(r"\(.*$", "", name.removeprefix("void ")) for name in names]


def number(architecture):
    return int(re.sub(r"\D", "", architecture))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    dump = subprocess.run([sys.argv[1], "--dump-resource-usage", sys.argv[2]], capture_output=True, text=True, check=True).stdout
    found = kernels(dump)
    architectures = sorted({name for figures in found.values() for name in figures}, key=number)
    print(f"{len(found)} kernels for {', '.join(architectures) or 'no architecture'}; registers, + bytes of stack (spills and arrays):")
    print(f"{'kernel':58}" + "".join(f"{name:>10}" for name in architectures) + f"{'shared B':>10}")
    for name, figures in sorted(zip(plain_names(found), found.values())):
        cells = [figures.get(each, (0, 0, 0)) for each in architectures]
        taken = [f"{registers}+{stack}" if stack else str(registers) for registers, stack, _ in cells]
        print(f"{name:58}" + "".join(f"{each:>10}" for each in taken) + f"{max(cell[2] for cell in cells):10}")


if __name__ == "__main__":
    main()
