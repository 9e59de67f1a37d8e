"""Trains with lockstep-engine and with torchvision in turn, on the same data with the same settings, and prints a table.

usage: train_beside_torchvision.py DATA_FOLDER [--seeds 1 2 3] [--precisions fp32 auto] [--steps 400] [--threads 2] [--build build]
                                   [--boxes] [--set KEY=VALUE]...
DATA_FOLDER holds train/, val/ and annotations/instances_{train,val}.json. Run it with the Python of .venv (packaging/setup.sh
--dev). torchvision computes in float32, reads its images in the same thread and evaluates once, at the end; Lockstep also
evaluates on the way and keeps checkpoints, as configs/cpu_small.yaml says (--set changes that). Seconds are of whole processes,
so only the ratios mean anything on another machine. --boxes: detectors of boxes, model.masks: false beside Faster R-CNN.
"""
import argparse
import json
import pathlib
import statistics
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
runtime: {{seed: {seed}, cpu_threads: {threads}, device: cpu, precision: {precision}}}
"""


def run_engine(options, seed, precision, folder):
    config = folder / f"seed{seed}-{precision}.yaml"
    config.write_text(EXPERIMENT.format(base=ROOT / "configs/cpu_small.yaml", data=options.data.resolve(), seed=seed,
                                        steps=options.steps, threads=options.threads, precision=precision))
    run = folder / f"run{seed}-{precision}"
    overrides = [word for override in [*options.set, *["model.masks=false"] * options.boxes] for word in ("--set", override)]
    begin = time.time()
    subprocess.run([options.build / "bin/lockstep-engine", "train", config, "--output", run, *overrides], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.time() - begin
    evaluation = json.loads(sorted((run / "evaluations").glob("step-*.json"))[-1].read_text())
    return wall, evaluation["bbox"]["AP"], (evaluation["segm"] or {"AP": float("nan")})["AP"]


def run_torchvision(options, seed):
    begin = time.time()
    output = subprocess.run([sys.executable, ROOT / "tests/benchmarks/torchvision_train.py", options.data, "--seed", str(seed),
                             "--steps", str(options.steps), "--threads", str(options.threads), *["--boxes"] * options.boxes],
                            check=True, capture_output=True, text=True).stdout
    result = json.loads(output.splitlines()[-1])
    return time.time() - begin, result["bbox"], result["segm"]


def show(seed, name, figures, peer_seconds):
    seconds, box, mask = figures
    print(f"{seed:>6}  {name:16}  {seconds:8.1f}  {box:6.3f}  {mask:7.3f}  {peer_seconds / seconds:17.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--precisions", nargs="+", default=["fp32", "auto"])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--boxes", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    rows = {}
    print("  seed  program            seconds  box AP  mask AP  torchvision s / s", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for seed in options.seeds:
            found = {f"lockstep {precision}": run_engine(options, seed, precision, pathlib.Path(name))
                     for precision in options.precisions}
            found["torchvision"] = run_torchvision(options, seed)
            for program, figures in found.items():
                rows.setdefault(program, []).append((*figures, found["torchvision"][0] / figures[0]))
                show(seed, program, figures, found["torchvision"][0])
    for program, figures in rows.items():
        seconds, box, mask, ratios = (list(column) for column in zip(*figures))
        print(f"  mean  {program:16}  {statistics.mean(seconds):8.1f}  {statistics.mean(box):6.3f}  {statistics.mean(mask):7.3f}  "
              f"{statistics.median(ratios):17.2f} (median; {min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
