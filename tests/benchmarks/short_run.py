"""Shared by the benchmarks of whole runs: a short training on synthetic scenes, one thread per rank, and its recorded scalars."""
import collections
import csv
import io
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARM_UP_STEPS = 5


def make_scenes(engine, folder):
    subprocess.run([engine, "dataset", "shapes", "--out", folder / "shapes", "--train", "80", "--val", "1", "--seed", "5"],
                   check=True, stderr=subprocess.DEVNULL)


def command(engine, folder, config, run, overrides):
    """Trains without evaluations and predictions, and records every step."""
    words = ["runtime.cpu_threads=1", "runtime.device=cpu", "dataset.loader_threads=1", "monitor.log_every=1",
             "monitor.predictions_every=0", "evaluation.loss_every=0", "evaluation.ap_every=0", "evaluation.max_images=1",
             f"dataset.train.images={folder}/shapes/train", f"dataset.val.images={folder}/shapes/val",
             f"dataset.train.annotations={folder}/shapes/annotations/instances_train.json",
             f"dataset.val.annotations={folder}/shapes/annotations/instances_val.json", *overrides]
    return [engine, "train", config, "--output", run, *(word for override in words for word in ("--set", override))]


def scalars(engine, run):
    """{step: {tag: value}} of every step after the warm-up. "wall_time": when the step was done."""
    text = subprocess.run([engine, "metrics", run, "--format", "csv"], check=True, capture_output=True, text=True).stdout
    steps = collections.defaultdict(dict)
    for row in csv.DictReader(io.StringIO(text)):
        if int(row["step"]) > WARM_UP_STEPS:
            steps[int(row["step"])][row["tag"]] = float(row["value"])
            steps[int(row["step"])].setdefault("wall_time", float(row["wall_time"]))
    return steps
