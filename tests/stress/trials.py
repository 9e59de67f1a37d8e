"""What the stresses share: a small run, what it leaves, and trials that must leave the same."""
import argparse
import csv
import io
import json
import pathlib
import random
import subprocess
import tempfile
import time

EXPERIMENT = """name: stress
dataset:
  train: {images: shapes/train, annotations: shapes/annotations/instances_train.json}
  val: {images: shapes/val, annotations: shapes/annotations/instances_val.json}
  repeat_threshold: 0.6
  cache: ram
augment: {min_size: [64, 96], max_size: 128, brightness: 0.2, blur: 1, noise: 0.05, quarter_turns: 0.5, scale_jitter: [0.5, 1.5],
          crop: 0.6, copy_paste: 0.5}
model:
  backbone: resnet18
  norm: group
  fpn_channels: 32
  rpn: {pre_nms_top_n_train: 200, pre_nms_top_n_test: 200, post_nms_top_n_train: 100, post_nms_top_n_test: 100}
  box_head: {fc_dim: 64, batch_size_per_image: 32}
  mask_head: {convs: 1, channels: 32}
solver: {max_steps: 24, batch_size: 2, warmup_steps: 5, schedule: cosine, base_lr: 0.01, clip_grad_norm: 10, ema_decay: 0.9,
         class_weights: inverse}
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


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


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


def require_no_diff(engine, whole, run):
    """`diff` must say of them what compare() says; a trial may set other keys."""
    out = subprocess.run([engine, "diff", whole, run], capture_output=True, text=True).stdout
    facts = [line for line in out.splitlines()[:-1] if not line.startswith("configuration:")]
    if len(facts) < 5 or not all(line.endswith(", the same") for line in facts):
        raise Failure(f"diff finds a difference:\n{out}")


def arguments(description, trials):
    """The options of every stress."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    parser.add_argument("--trials", type=int, default=trials)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    return parser


def engine_of(options):
    return options.build.resolve() / "bin/lockstep-engine"


def make_data(engine, folder, train, val):
    """Made scenes and an experiment on them."""
    subprocess.run([engine, "dataset", "shapes", "--out", folder / "shapes", "--train", str(train), "--val", str(val), "--seed", "5"],
                   check=True, stderr=subprocess.DEVNULL)
    (folder / "experiment.yaml").write_text(EXPERIMENT)


def run_trials(options, train_images, trial):
    """Calls trial(folder, run, seconds, number, chance), which hurts a run and says how, resumes the run, and compares what it leaves
    with what a run leaves that nothing happens to and takes so many seconds. Returns the exit status."""
    engine, chance = engine_of(options), random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_data(engine, folder, train_images, 3)
        begin = time.monotonic()
        finish(start(engine, folder, folder / "whole", options.overrides))
        seconds = time.monotonic() - begin
        expected = what_it_left(engine, folder / "whole")
        print(f"a run that nothing happens to: {seconds:.1f} s, {len(expected)} things to compare", flush=True)
        for number in range(options.trials):
            run = folder / f"trial{number}"
            try:
                told = trial(folder, run, seconds, number, chance)
                finish(start(engine, folder, run, options.overrides))
                compare(expected, what_it_left(engine, run))
                require_no_diff(engine, folder / "whole", run)
            except Failure as failure:
                print(f"trial {number} of seed {options.seed}: {failure}")
                return 1
            print(f"trial {number}: {told}; resumed: the same", flush=True)
    return 0
