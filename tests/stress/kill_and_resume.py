"""Kills a training with SIGKILL at random moments, resumes it, and holds it to a run that nothing happened to.

usage: kill_and_resume.py [--build build] [--trials 20] [--kills 1] [--seed 1] [--set K=V]…

Every trial trains the same small experiment, kills the worker, the engine or both `--kills` times, each at a random moment of
what is left, and resumes after each. In the end the weights, the optimizer and every scalar but times must be the same to the
last bit, each step must stand in the record once, and the best must be the same. Exits 1 with what differs.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

EXPERIMENT = """name: stress
dataset:
  train: {images: shapes/train, annotations: shapes/annotations/instances_train.json}
  val: {images: shapes/val, annotations: shapes/annotations/instances_val.json}
augment: {min_size: [64, 96], max_size: 128, brightness: 0.2}
model:
  backbone: resnet18
  norm: group
  fpn_channels: 32
  rpn: {pre_nms_top_n_train: 200, pre_nms_top_n_test: 200, post_nms_top_n_train: 100, post_nms_top_n_test: 100}
  box_head: {fc_dim: 64, batch_size_per_image: 32}
  mask_head: {convs: 1, channels: 32}
solver: {max_steps: 24, batch_size: 2, warmup_steps: 5, schedule: cosine, base_lr: 0.01, clip_grad_norm: 10, ema_decay: 0.9}
evaluation: {loss_every: 3, ap_every: 6, early_stop: {metric: loss_total, patience: 20}}
checkpoint: {every: 4, keep: 2}
monitor: {log_every: 2, predictions_every: 6, prediction_images: 2}
runtime: {deterministic: true, device: cpu, cpu_threads: 1}
"""


class Failure(Exception):
    pass


def start(engine, folder, run, overrides):
    command = [engine, "train", folder / "experiment.yaml", "--output", run, "--resume"]
    for override in overrides:
        command += ["--set", override]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def worker_of(engine_pid):
    """Process number of the engine's lockstep-worker, None while there is none."""
    try:
        children = pathlib.Path(f"/proc/{engine_pid}/task/{engine_pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


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
    while worker is not None and is_alive(worker):
        time.sleep(0.01)  # it notices that its engine is gone
    return err


def finish(process):
    out, err = process.communicate(timeout=600)
    if process.returncode != 0:
        raise Failure(f"exit status {process.returncode}:\n{err}")


def what_it_left(engine, run):
    """Everything that must be the same in two runs."""
    text = subprocess.run([engine, "metrics", run, "--format", "csv"], check=True, capture_output=True, text=True).stdout
    scalars = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["tag"].startswith(("time/", "system/")):
            continue
        key = (row["tag"], int(row["step"]))
        if key in scalars:
            raise Failure(f"{row['tag']} of step {row['step']} stands in the record twice")
        scalars[key] = row["value"]
    left = {"scalar " + str(key): value for key, value in scalars.items()}
    for checkpoint in sorted((run / "checkpoints").glob("step-*")):
        for name in ("model.safetensors", "optimizer.safetensors"):
            left[f"{checkpoint.name}/{name}"] = (checkpoint / name).read_bytes()
        state = json.loads((checkpoint / "state.json").read_text())
        left[f"{checkpoint.name}/state.json"] = {key: value for key, value in state.items() if key != "files"}
    for kind in ("evaluations", "predictions"):
        for file in sorted((run / kind).glob("step-*.json")):
            left[f"{kind}/{file.name}"] = file.read_bytes()
    left["best"] = json.loads((run / "run.json").read_text())["best"]
    return left


def compare(expected, found):
    for name in sorted(set(expected) | set(found)):
        if name not in found:
            raise Failure(f"{name} is missing")
        if name not in expected:
            raise Failure(f"{name} is too much")
        if expected[name] != found[name]:
            is_text = isinstance(expected[name], (str, dict))
            raise Failure(f"{name} differs" + (f": {expected[name]} and {found[name]}" if is_text else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    options = parser.parse_args()
    engine = options.build.resolve() / "bin/lockstep-engine"
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([engine, "dataset", "shapes", "--out", folder / "shapes", "--train", "8", "--val", "3", "--seed", "5"],
                       check=True, stderr=subprocess.DEVNULL)
        (folder / "experiment.yaml").write_text(EXPERIMENT)
        begin = time.monotonic()
        finish(start(engine, folder, folder / "whole", options.overrides))
        seconds = time.monotonic() - begin
        expected = what_it_left(engine, folder / "whole")
        print(f"a run that nothing happens to: {seconds:.1f} s, {len(expected)} things to compare", flush=True)
        for trial in range(options.trials):
            run, told = folder / f"trial{trial}", []
            try:
                for _ in range(options.kills):
                    process, moment = start(engine, folder, run, options.overrides), chance.uniform(0, seconds)
                    victim = chance.choice(["engine", "worker", "both"])
                    try:
                        process.wait(timeout=moment)
                    except subprocess.TimeoutExpired:
                        pass
                    told.append(f"{victim} at {moment:.2f} s")
                    kill(process, victim)
                finish(start(engine, folder, run, options.overrides))
                compare(expected, what_it_left(engine, run))
            except Failure as failure:
                print(f"trial {trial} of seed {options.seed} ({', '.join(told)}): {failure}")
                return 1
            print(f"trial {trial}: {', '.join(told)}: the same", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
