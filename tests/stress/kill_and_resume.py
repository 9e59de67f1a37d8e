"""Kills a training with SIGKILL at random moments, resumes it, and holds it to a run that nothing happened to.

usage: kill_and_resume.py [--build build] [--trials 20] [--kills 1] [--seed 1] [--set K=V]…

Every trial trains the same small experiment, kills the worker, the engine or both `--kills` times, each at a random moment of
what is left, and resumes after each. In the end the weights, the optimizer and every scalar but times must be the same to the
last bit, each step must stand in the record once, and the best must be the same. Exits 1 with what differs.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

import trials


def worker_of(engine_pid):
    """Process number of the engine's lockstep-worker, None while there is none."""
    try:
        children = pathlib.Path(f"/proc/{engine_pid}/task/{engine_pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def kill(process, victim):
    worker = worker_of(process.pid)
    victims = {"engine": [process.pid], "worker": [worker], "both": [process.pid, worker]}[victim]
    for pid in victims:
        if pid is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    out, err = process.communicate(timeout=60)
    while worker is not None and trials.is_alive(worker):
        time.sleep(0.01)  # it notices that its engine is gone
    return err


def main():
    parser = trials.arguments(__doc__, trials=20)
    parser.add_argument("--kills", type=int, default=1)
    options = parser.parse_args()

    def trial(folder, run, seconds, number, chance):
        told = []
        for _ in range(options.kills):
            process = trials.start(trials.engine_of(options), folder, run, options.overrides)
            moment, victim = chance.uniform(0, seconds), chance.choice(["engine", "worker", "both"])
            try:
                process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                pass
            told.append(f"{victim} at {moment:.2f} s")
            kill(process, victim)
        return ", ".join(told)

    return trials.run_trials(options, train_images=8, trial=trial)


if __name__ == "__main__":
    sys.exit(main())
