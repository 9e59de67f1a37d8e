"""Speedup of training with a second rank, and the cost of communication: on a CPU, each rank with one thread.

usage: rank_scaling.py [--build build] [--rounds 3] [--steps 40] [--config configs/cpu_small.yaml]

One rank with batches of 2 and two ranks with batches of 4 in turn, on synthetic scenes. Then an all-reduce of as many gradients
alone, by two processes of torch.distributed, compared with what the last rank of a step waits for: the end of that all-reduce
after its backward pass, and the other rank before its forward pass, where an all-reduce of a flag checks that all images could
be read. Last that all-reduce of a flag alone.
"""
import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import short_run


def train(engine, folder, config, ranks, steps):
    """Scalars of every step after the warm-up, and the run folder."""
    run = folder / f"run-{ranks}-{time.time_ns()}"
    overrides = [f"runtime.workers={ranks}", f"solver.batch_size={2 * ranks}", f"solver.max_steps={steps}"]
    subprocess.run(short_run.command(engine, folder, config, run, overrides), check=True, capture_output=True)
    return short_run.scalars(engine, run), run


def median_of(scalars, value):
    return statistics.median(value(tags) for tags in scalars.values() if "time/step_seconds" in tags)


def gradient_count(run, steps):
    """Number of elements of the momentum buffers, which equals the number of trainable weights."""
    with open(run / f"checkpoints/step-{steps:08d}/optimizer.safetensors", "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    count = 0
    for name, entry in header.items():
        if name.startswith("momentum_buffer."):
            size = 1
            for side in entry["shape"]:
                size *= side
            count += size
    return count


PEER = """
import os, sys, time, statistics, torch, torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=int(sys.argv[1]), world_size=2, init_method="file://" + sys.argv[2])
gradients, flag = torch.zeros(int(sys.argv[3])), torch.zeros(1, dtype=torch.int64)
def seconds(work, rounds):
    times = []
    for _ in range(rounds):
        dist.barrier()
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[rounds // 5:])
reduce = seconds(lambda: dist.all_reduce(gradients), 30)
agree = seconds(lambda: dist.all_reduce(flag, dist.ReduceOp.MAX), 500)
if sys.argv[1] == "0":
    print(reduce, agree)
dist.destroy_process_group()
"""


def talk_alone(folder, count):
    """Seconds of an all-reduce of the gradients, and of one flag, without concurrent work."""
    meeting = str(folder / f"meeting-{time.time_ns()}")
    ranks = [subprocess.Popen([sys.executable, "-c", PEER, str(rank), meeting, str(count)], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, OMP_NUM_THREADS="1")) for rank in range(2)]
    said = [rank.communicate()[0] for rank in ranks]
    return [float(word) for word in said[0].split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=short_run.ROOT / "build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--config", type=pathlib.Path, default=short_run.ROOT / "configs/cpu_small.yaml")
    options = parser.parse_args()
    engine = options.build.resolve() / "bin/lockstep-engine"
    speeds = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        short_run.make_scenes(engine, folder)
        for _ in range(options.rounds):
            for ranks in (1, 2):
                scalars, run = train(engine, folder, options.config, ranks, options.steps)
                speeds[ranks].append(median_of(scalars, lambda tags: tags["time/images_per_second"]))
        waits = {key: median_of(scalars, lambda tags: key(tags[f"time/rank{rank}/wait_seconds"] for rank in range(2)))
                 for key in (min, max)}
        step = median_of(scalars, lambda tags: tags["time/step_seconds"])
        count = gradient_count(run, options.steps)
        reduce, agree = talk_alone(folder, count)
    one, two = (statistics.median(speeds[ranks]) for ranks in (1, 2))
    print(f"images/s: one rank {one:.2f}, two ranks {two:.2f}: {two / one:.2f} times")
    print(f"step of two ranks {step * 1e3:.0f} ms; the last rank of a step waits {waits[min] * 1e3:.1f} ms of it "
          f"({100 * waits[min] / step:.1f} %), the first one {waits[max] * 1e3:.1f} ms")
    print(f"all-reduce of {count * 4 / 2**20:.1f} MiB alone {reduce * 1e3:.1f} ms: at least "
          f"{100 * (1 - waits[min] / reduce):.0f} % hidden")
    print(f"all-reduce of one flag alone {agree * 1e6:.0f} us: {100 * agree / step:.3f} % of a step")


if __name__ == "__main__":
    main()
