"""Trains with lockstep-engine and with torchvision in turn, on the same data with the same settings, and prints a table.

usage: train_beside_torchvision.py DATA_FOLDER [--seeds 1 2 3] [--steps 400] [--threads 2] [--build build]
DATA_FOLDER holds train/, val/ and annotations/instances_{train,val}.json. Run it with the Python of .venv (packaging/setup.sh
--dev). Seconds are of whole processes, so only the ratio of a row means anything on another machine.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERIMENT = """base: {base}
dataset:
  train: {{images: {data}/train, annotations: {data}/annotations/instances_train.json}}
  val: {{images: {data}/val, annotations: {data}/annotations/instances_val.json}}
solver: {{max_steps: {steps}}}
runtime: {{seed: {seed}, cpu_threads: {threads}, device: cpu}}
"""


def run_engine(options, seed, folder):
    config = folder / f"seed{seed}.yaml"
    config.write_text(EXPERIMENT.format(base=ROOT / "configs/cpu_small.yaml", data=options.data.resolve(), seed=seed,
                                        steps=options.steps, threads=options.threads))
    run = folder / f"run{seed}"
    begin = time.time()
    subprocess.run([options.build / "bin/lockstep-engine", "train", config, "--output", run], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.time() - begin
    evaluation = json.loads(sorted((run / "evaluations").glob("step-*.json"))[-1].read_text())
    return wall, evaluation["bbox"]["AP"], evaluation["segm"]["AP"]


def run_torchvision(options, seed):
    begin = time.time()
    output = subprocess.run([sys.executable, ROOT / "tests/benchmarks/torchvision_train.py", options.data, "--seed", str(seed),
                             "--steps", str(options.steps), "--threads", str(options.threads)],
                            check=True, capture_output=True, text=True).stdout
    result = json.loads(output.splitlines()[-1])
    return time.time() - begin, result["bbox"], result["segm"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    rows = []
    print("seed   lockstep s  box AP  mask AP   torchvision s  box AP  mask AP   torchvision s / lockstep s", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for seed in options.seeds:
            ours, theirs = run_engine(options, seed, pathlib.Path(name)), run_torchvision(options, seed)
            rows.append([*ours, *theirs, theirs[0] / ours[0]])
            print("{:4}   {:10.1f}  {:6.3f}  {:7.3f}   {:13.1f}  {:6.3f}  {:7.3f}   {:.2f}".format(seed, *rows[-1]), flush=True)
    mean = [sum(column) / len(rows) for column in zip(*rows)]
    print("mean   {:10.1f}  {:6.3f}  {:7.3f}   {:13.1f}  {:6.3f}  {:7.3f}   {:.2f}".format(*mean))


if __name__ == "__main__":
    main()
