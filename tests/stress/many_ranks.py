"""Hurts one rank of a training on several ranks at a random moment, and resumes the run.

usage: many_ranks.py [--build build] [--trials 50] [--ranks 3] [--way kill|stop|image|restart]… [--seed 1] [--set K=V]…

In turn a rank is killed (SIGKILL), stopped (SIGSTOP), or meets images that cannot be read. Every time the run must end within
12 seconds with exit status 1, no process may be left, run.json must name the rank that was hurt and how, the run folder must
open, and the resumed run must end as one that nothing happened to: every weight, scalar, evaluation and prediction to the last
bit. Every fourth time a rank is killed of a run that may start again (runtime.max_restarts): it must end so by itself. Exits 1
with what differs.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import trials
from trials import Failure

SECONDS_TO_END = 12
WAYS = ["kill", "stop", "image", "restart"]


def ranks_of(engine_pid):
    """Process numbers of the workers by local rank."""
    workers = {}
    try:
        children = pathlib.Path(f"/proc/{engine_pid}/task/{engine_pid}/children").read_text().split()
    except OSError:
        return workers
    for child in map(int, children):
        try:
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "--rank" in words:
            workers[int(words[words.index("--rank") + 1])] = child
    return workers


def hurt(process, how, rank, images):
    """Does it; returns what undoes it, or None when the run was over."""
    workers = ranks_of(process.pid)
    if how == "image":
        whole = {file: file.read_bytes() for file in images.iterdir()}
        for file, content in whole.items():
            file.write_bytes(content[: len(content) // 3])
        return lambda: [file.write_bytes(content) for file, content in whole.items()]
    if rank not in workers:
        return None
    os.kill(workers[rank], signal.SIGSTOP if how == "stop" else signal.SIGKILL)
    return lambda: None


def check_report(run, how, rank, error_text):
    info = json.loads((run / "run.json").read_text())
    error = info["error"]
    if info["state"] != "failed" or not error:
        raise Failure(f"run.json says {info['state']}, {error}")
    expected = {"kill": "SIGKILL", "stop": "silence", "image": "bad image"}[how]
    if error["cause"] != expected:
        raise Failure(f"the cause is {error['cause']}, not {expected}: {error['message']}")
    if how != "image" and error["rank"] != rank:
        raise Failure(f"rank {error['rank']} is named, not {rank}: {error['message']}")
    if how == "image" and "shapes/train/" not in error["message"]:
        raise Failure(f"the image is not named: {error['message']}")
    if error["message"] not in error_text:
        raise Failure(f"standard error does not say: {error['message']}")
    return error


def one_trial(engine, folder, run, seconds, how, chance, options):
    """Returns what happened."""
    rank, moment = chance.randrange(options.ranks), chance.uniform(0, seconds)
    told = f"rank {rank} {how} at {moment:.2f} s"
    restarts = ["runtime.max_restarts=2"] if how == "restart" else []
    process = trials.start(engine, folder, run, options.overrides + restarts)
    try:
        process.wait(timeout=moment)
    except subprocess.TimeoutExpired:
        pass
    undo = hurt(process, how, rank, folder / "shapes/train") if process.poll() is None else None
    begin = time.monotonic()
    workers = list(ranks_of(process.pid).values())
    try:
        # A run that starts again goes on to its end, as one does whose images were read to the last; it may have less of the
        # machine than the one before.
        out, err = process.communicate(timeout=SECONDS_TO_END + (6 * seconds if how in ("image", "restart") else 0))
    except subprocess.TimeoutExpired:
        raise Failure(f"{told}: the run still goes on") from None
    finally:
        if undo:
            undo()
    took = time.monotonic() - begin
    if any(trials.is_alive(worker) for worker in workers):
        raise Failure(f"{told}: a process is left")
    if process.returncode == 0:
        attempt = json.loads((run / "run.json").read_text())["attempt"]
        return f"{told}: " + ("it was done already" if attempt == 1 else f"done in attempt {attempt}")
    if process.returncode != 1:
        raise Failure(f"{told}: exit status {process.returncode}:\n{err}")
    try:
        error = check_report(run, how, rank, err)
    except Failure as failure:
        raise Failure(f"{told}: {failure}") from None
    return f"{told}: ended after {took:.1f} s: {error['message'][:100]}"


def main():
    parser = trials.arguments(__doc__, trials=50)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--way", action="append", choices=WAYS, dest="ways")
    options = parser.parse_args()
    ways = options.ways or WAYS
    options.overrides += [f"runtime.workers={options.ranks}", f"solver.batch_size={options.ranks}", "dataset.loader_threads=1"]

    def trial(folder, run, seconds, number, chance):
        return one_trial(trials.engine_of(options), folder, run, seconds, ways[number % len(ways)], chance, options)

    return trials.run_trials(options, train_images=12, trial=trial)


if __name__ == "__main__":
    sys.exit(main())
