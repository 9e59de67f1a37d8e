"""Trains for long on several ranks and holds the memory of every process to staying flat.

usage: soak.py [--build build] [--steps 3000] [--ranks 2] [--seconds 5] [--set K=V]…

Evaluates every 50 steps. Prints the private memory of each process along the way; exits 1 when one grows by more than 5 % and 8 MiB
from the first quarter of the run to its last.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import many_ranks
import trials


def private_mib(pid):
    """Memory that is this process's alone, None when it is gone."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty"))) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5, help="between two looks")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    options = parser.parse_args()
    engine = options.build.resolve() / "bin/lockstep-engine"
    overrides = [f"solver.max_steps={options.steps}", f"runtime.workers={options.ranks}", f"solver.batch_size={options.ranks}",
                 "evaluation.loss_every=50", "evaluation.ap_every=50", "evaluation.early_stop.metric=null",
                 "checkpoint.every=100", "monitor.predictions_every=100", *options.overrides]
    samples = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trials.make_data(engine, folder, 40, 8)
        begin = time.monotonic()
        with open(folder / "said", "w+") as said:
            process = subprocess.Popen([engine, "train", folder / "experiment.yaml", "--output", folder / "run",
                                        *(word for override in overrides for word in ("--set", override))],
                                       stdout=said, stderr=said)
            while process.poll() is None:
                time.sleep(options.seconds)
                found = {"engine": process.pid, **{f"rank {rank}": pid for rank, pid in many_ranks.ranks_of(process.pid).items()}}
                for who, pid in found.items():
                    mib = private_mib(pid)
                    if mib is not None:
                        samples.setdefault(who, []).append(mib)
            if process.returncode != 0:
                said.seek(0)
                print(said.read()[-3000:])
                return 1
        print(f"{options.steps} steps in {time.monotonic() - begin:.0f} s")
    status = 0
    for who, mibs in sorted(samples.items()):
        quarter = max(len(mibs) // 4, 1)
        first, last = statistics.median(mibs[quarter // 2:quarter]), statistics.median(mibs[-quarter:])
        grows = last > first * 1.05 and last - first > 8
        status |= grows
        course = " ".join(f"{mibs[i * (len(mibs) - 1) // 9]:.0f}" for i in range(10))
        print(f"{who}: {first:.1f} MiB in the first quarter, {last:.1f} in the last: {'it grows' if grows else 'flat'} ({course})")
    return status


if __name__ == "__main__":
    sys.exit(main())
