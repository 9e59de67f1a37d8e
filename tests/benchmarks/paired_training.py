"""Trains one experiment with several settings and seeds, and prints a table of their AP and the paired differences.

usage: paired_training.py CONFIG --variant "NAME: KEY=VALUE KEY=VALUE" [--variant …]… [--seeds 0 1 2] [--class NAME]…
                          [--metric segm] [--build build] [--folder DIR] [--set KEY=VALUE]…
The first variant is what the others are compared with, seed by seed. --class adds the AP of a class. Runs that --folder
already holds, finished, are read instead of trained again. Run it with the Python of .venv.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse_variant(text):
    name, _, settings = text.partition(":")
    return name.strip(), settings.split()


def evaluation_of(run):
    return json.loads(sorted((run / "evaluations").glob("step-*.json"))[-1].read_text())


def is_finished(run):
    info = run / "run.json"
    return info.is_file() and json.loads(info.read_text())["state"] == "finished"


def train(options, settings, seed, run):
    if not is_finished(run):
        words = [word for each in [*options.set, *settings, f"runtime.seed={seed}"] for word in ("--set", each)]
        subprocess.run([options.build / "bin/lockstep-engine", "train", options.config, "--output", run, *words], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return evaluation_of(run)


def figures(options, evaluation):
    values = [evaluation[options.metric]["AP"]]
    for name in options.classes:
        found = next(entry for entry in evaluation["classes"] if entry["name"] == name)
        values.append(found[options.metric]["AP"])
    return values


def mean_text(values):
    return f"{statistics.mean(values):.3f} ({', '.join(f'{value:.3f}' for value in values)})"


def difference_text(values, others):
    differences = [value - other for value, other in zip(values, others)]
    spread = statistics.stdev(differences) if len(differences) > 1 else 0
    return f"{statistics.mean(differences):+.3f} ± {spread:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("--variant", action="append", required=True, type=parse_variant)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--class", dest="classes", action="append", default=[])
    parser.add_argument("--metric", default="segm", choices=["segm", "bbox"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or pathlib.Path(made)
        found = {name: [] for name, _ in options.variant}
        for seed in options.seeds:
            for name, settings in options.variant:
                run = folder / f"{name.replace(' ', '-')}-{seed}"
                found[name].append(figures(options, train(options, settings, seed, run)))
                print(f"seed {seed}: {name}: {found[name][-1]}", flush=True)
    columns = ["all classes", *options.classes]
    first = next(iter(found))
    print("\n| training | " + " | ".join(f"{column} | difference" for column in columns) + " |")
    print("|---|" + "---|" * (2 * len(columns)))
    for name, rows in found.items():
        cells = []
        for column in range(len(columns)):
            values, others = [row[column] for row in rows], [row[column] for row in found[first]]
            cells += [mean_text(values), "" if name == first else difference_text(values, others)]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
