"""Queues runs of a scripted worker on two made GPUs and the CPU, and kills, stops and moves them at random moments.

usage: run_queue.py [--build build] [--trials 200] [--seed 1]

Every round queues a few runs on random devices, and while they wait and train does to random ones of them what a person or a machine
may: kill -9, stop, another position, a run that does not wait beside them, `runs --start-queued`, a lost order.json. Then all others
are let go. No two queued runs may have had one device, each that nothing ended must finish, and every device must be free in the end.
Exits 1 with what went wrong.
"""
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import trials
from trials import Failure

EXPERIMENT = """name: queued
dataset:
  train: {images: data, annotations: data.json}
  val: {images: data, annotations: data.json}
augment: {min_size: [64], max_size: 64}
solver: {batch_size: 2, max_steps: 6, warmup_steps: 0, milestones: [4]}
"""
GPUS = """driver 580.65.06
cuda 13000
gpu NVIDIA_H200 GPU-aaaa 90 141312 512 0 31 76000 1 0
gpu NVIDIA_H200 GPU-bbbb 90 141312 512 0 31 76000 1 0
"""
TRAINS = "hold q\nstate running 0\nscalars 1 6\nawait go\ncheckpoint 6 last\nfinish 6\n"
DEVICES = ["0", "1", "0,1", "cpu"]
ENDED = {"finished", "stopped", "failed"}
PATIENCE = 60  # seconds


class Bench:
    """A folder with lockstep-engine, the scripted worker, a data set and a lock folder."""

    def __init__(self, build, folder):
        self.folder = folder
        self.programs = folder / "bin"
        self.programs.mkdir()
        shutil.copy(build / "bin/lockstep-engine", self.programs)
        shutil.copy(build / "bin/fake_worker", self.programs / "lockstep-worker")
        self.script("info.script", 'finish 0 result {"cuda_kernels":true,"usable_gpus":2}')
        self.script("train.0.script", "listening 9\n" + TRAINS)
        self.script("train.script", "hold q\nawait go\nfinish 6\n")
        (folder / "nvml").write_text(GPUS)
        (folder / "experiment.yaml").write_text(EXPERIMENT)
        (folder / "data").mkdir()
        images = [{"id": i, "file_name": f"{i}.png", "width": 64, "height": 64} for i in range(1, 5)]
        objects = [{"id": i, "image_id": i, "category_id": 1, "iscrowd": 0, "area": 100, "bbox": [5, 5, 10, 10],
                    "segmentation": [[5, 5, 15, 5, 15, 15, 5, 15]]} for i in range(1, 5)]
        for image in images:
            (folder / "data" / image["file_name"]).write_text(str(image["id"]))
        (folder / "data.json").write_text(json.dumps({"categories": [{"id": 1, "name": "drop"}], "images": images, "annotations": objects}))
        (folder / "x").mkdir()
        self.environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "tests/supervisor/fake_nvml"), LOCKSTEP_FAKE_NVML=str(folder / "nvml"),
                                LOCKSTEP_LOCKS=str(folder / "locks"), XDG_RUNTIME_DIR=str(folder / "x"))

    def script(self, name, text):
        (self.programs / ("lockstep-worker." + name)).write_text(text)

    def engine(self, *words):
        done = subprocess.run([self.programs / "lockstep-engine", *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"lockstep-engine {' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr}")
        return done.stdout

    def is_free(self, device):
        try:
            with open(self.folder / "locks/devices" / f"{device}.lock", "a") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except FileNotFoundError:
            return True
        except BlockingIOError:
            return False


class Run:
    def __init__(self, bench, folder, device, how):
        self.bench, self.folder, self.how = bench, folder, how
        self.is_ended = False  # by this script
        bench.engine("train", "experiment.yaml", "--output", folder, "--devices", device, how)

    def info(self):
        return json.loads((self.folder / "run.json").read_text())

    def state(self):
        return self.info()["state"]

    def is_alive(self):
        with open(self.folder / "run.lock") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def has_ended(self):
        return not self.is_alive() and (self.is_ended or self.state() in ENDED)

    def kill(self):
        """Killed in the queue, it can wait again."""
        pid = self.info()["pid"]
        if self.is_alive():
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not self.is_alive(), f"{self.folder} is still locked")
        self.is_ended = self.is_ended or self.state() != "queued"

    def ask(self, request):
        """Whether the answer is `ok`; None when nobody answers."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(self.info()["socket"])
                client.sendall((json.dumps({"v": 1, "id": "1", **request}) + "\n").encode())
                return json.loads(client.makefile().readline())["type"] == "ok"
        except (ConnectionError, FileNotFoundError, json.JSONDecodeError):
            return None


def wait_for(condition, otherwise):
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > PATIENCE:
            raise Failure(otherwise() if callable(otherwise) else otherwise)
        time.sleep(0.02)


def places(runs):
    return ", ".join(f"{run.folder.name} {run.state()} {run.info().get('queue_position', '')}{'' if run.is_alive() else ' (gone)'}" for run in runs)


def disturb(bench, runs, number, chance):
    """One thing that may happen; returns what it was."""
    run = chance.choice(runs)
    action = chance.choices(["kill", "stop", "signal", "move", "train", "start-queued", "lose", "wait"], [4, 1, 1, 5, 1, 2, 1, 3])[0]
    if action == "kill":
        run.kill()
    elif action == "stop":
        run.is_ended = run.ask({"type": "stop"}) is True or run.is_ended
    elif action == "signal" and run.is_alive():
        os.kill(run.info()["pid"], signal.SIGTERM)
        run.is_ended = True
    elif action == "move":
        run.ask({"type": "queue", "position": chance.randint(1, 7)})
    elif action == "train":
        runs.append(Run(bench, bench.folder / f"runs{number}" / f"n{len(runs)}", chance.choice(["0", "1", "cpu"]), "--detach"))
    elif action == "start-queued":
        bench.engine("runs", bench.folder / f"runs{number}", "--start-queued")
    elif action == "lose":
        (bench.folder / "locks/queue/order.json").unlink(missing_ok=True)
    else:
        time.sleep(chance.uniform(0, 0.5))
    return f"{action} {run.folder.name}"


def require_permutation(runs):
    """The positions of those that wait are 1, 2, 3 …, as soon as all have looked; some may start meanwhile."""
    def is_permutation():
        positions = [run.info().get("queue_position") for run in runs if run.is_alive() and run.state() == "queued"]
        return sorted(position or 0 for position in positions) == list(range(1, len(positions) + 1))

    wait_for(is_permutation, lambda: "the positions are no permutation: " + places(runs))


def trial(bench, number, chance):
    parent = bench.folder / f"runs{number}"
    runs, told = [], []
    for i in range(chance.randint(3, 6)):
        runs.append(Run(bench, parent / f"q{i}", chance.choice(DEVICES), "--queue"))
    for _ in range(chance.randint(5, 10)):
        told.append(disturb(bench, runs, number, chance))
        time.sleep(chance.choice([0, 0, 0.1, 0.3]))
    try:
        require_permutation(runs)
        bench.engine("runs", parent, "--start-queued")
        (bench.programs / "go").write_text("")
        wait_for(lambda: all(run.has_ended() for run in runs), lambda: "not all have ended: " + places(runs))
        lost = [run.folder.name for run in runs if not run.is_ended and run.state() != "finished"]
        if lost:
            raise Failure(f"{' '.join(lost)} did not finish: {places(runs)}")
        if (bench.programs / "clashes").exists():
            raise Failure("two queued runs had one device: " + (bench.programs / "clashes").read_text())
        busy = [device for device in ("GPU-aaaa", "GPU-bbbb", "cpu") if not bench.is_free(device)]
        order = bench.folder / "locks/queue/order.json"
        waiting = json.loads(order.read_text())["waiting"] if order.exists() else []
        if busy or waiting:
            raise Failure(f"left behind: {busy} {waiting}")
    except Failure as failure:
        raise Failure(f"{failure}\nafter {', '.join(told)}")
    finally:
        (bench.programs / "go").unlink(missing_ok=True)
        for run in runs:
            run.kill()
    shutil.rmtree(parent)
    return f"{len(runs)} runs, {', '.join(told)}"


def main():
    options = trials.arguments(__doc__, trials=200).parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options.build.resolve(), pathlib.Path(name).resolve())
        for number in range(options.trials):
            try:
                told = trial(bench, number, chance)
            except Failure as failure:
                print(f"trial {number} of seed {options.seed}: {failure}")
                return 1
            print(f"trial {number}: {told}: all others went on", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
