"""Holds a build to another: same_bits.sh says what it is for.

usage: same_bits.py OLD_BUILD NEW_BUILD [--images FOLDER]

For fp32 and bf16, with one rank and with two: both builds train the same experiment, which must leave the same weights, optimizer,
scalars, evaluations and predictions; and the new build goes on with a run that the old one stopped, to the same end. The new one
must evaluate and predict with an old checkpoint as the old one does, list and show its runs, and attach to an old run that lives.
Exits 1 with what differs.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import trials
from trials import Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
STOP_AFTER = 9
EXPERIMENT = """name: same_bits
base: {base}
dataset:
  train: {{images: {images}/train, annotations: {images}/annotations/instances_train.json}}
  val: {{images: {images}/val, annotations: {images}/annotations/instances_val.json}}
solver: {{max_steps: 20, warmup_steps: 5, ema_decay: 0.9}}
evaluation: {{loss_every: 5, ap_every: 10}}
checkpoint: {{every: 5, keep: 9}}
monitor: {{log_every: 2, predictions_every: 10, prediction_images: 4, tensor_stats_every: 0}}
runtime: {{deterministic: true, device: cpu, cpu_threads: 1}}
"""


def engine_of(build):
    return build / "bin/lockstep-engine"


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit status {done.returncode}:\n{done.stderr}")
    return done.stdout


def train(build, folder, run, overrides):
    trials.finish(trials.start(engine_of(build), folder, run, overrides))


def stop_in_the_middle(build, folder, run, overrides):
    process = trials.start(engine_of(build), folder, run, overrides)
    wait_until(process, lambda: step_of(build, run) >= STOP_AFTER)
    os.kill(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=600)
    if process.returncode != 75:
        raise Failure(f"stopped: exit status {process.returncode} instead of 75:\n{err}")


def wait_until(process, is_so):
    """Or until the process has ended."""
    while process.poll() is None and not is_so():
        time.sleep(0.05)


def state_of(run):
    try:
        return json.loads((run / "run.json").read_text())["state"]
    except FileNotFoundError:
        return None


def step_of(build, run):
    """Of the newest scalar: run.json is written less often."""
    text = subprocess.run([engine_of(build), "metrics", run, "--format", "csv"], capture_output=True, text=True).stdout
    return max((int(row.split(",")[0]) for row in text.splitlines()[1:]), default=0)


def compare_trainings(builds, folder, name, overrides):
    """The three runs of one setting; returns the old build's."""
    old, new = builds
    runs = {kind: folder / f"{kind}-{name}" for kind in ("old", "new", "resumed")}
    train(old, folder, runs["old"], overrides)
    expected = trials.what_it_left(engine_of(old), runs["old"])
    train(new, folder, runs["new"], overrides)
    trials.compare(expected, trials.what_it_left(engine_of(new), runs["new"]))
    stop_in_the_middle(old, folder, runs["resumed"], overrides)
    stopped = sorted(path.name for path in (runs["resumed"] / "checkpoints").glob("step-*"))[-1]
    train(new, folder, runs["resumed"], overrides)
    left = trials.what_it_left(engine_of(new), runs["resumed"])
    # The checkpoint where it stopped may be one more.
    trials.compare(expected, {key: value for key, value in left.items()
                              if key in expected or not key.startswith(stopped + "/")})
    print(f"{name}: {len(expected)} things are the same, resumed too", flush=True)
    return runs["old"]


def compare_use(builds, folder, run):
    """What is done with an old run when it is over."""
    answers = []
    for which, build in zip(("old", "new"), builds):
        out = folder / which
        output_of(engine_of(build), "evaluate", run, "--per-image", "--out", f"{out}-evaluation.json")
        output_of(engine_of(build), "predict", run, "--split", "val", "--out", f"{out}-predictions.json")
        answers.append({
            "evaluate": pathlib.Path(f"{out}-evaluation.json").read_bytes(),
            "predict": pathlib.Path(f"{out}-predictions.json").read_bytes(),
            "metrics": output_of(engine_of(build), "metrics", run, "--format", "jsonl"),
            "runs": output_of(engine_of(build), "runs", folder),
            "config show": output_of(engine_of(build), "config", "show", run / "config.yaml"),
        })
    if has_all_lines_of(answers[1]["config show"], answers[0]["config show"]):
        answers[1]["config show"] = answers[0]["config show"]
    trials.compare(*answers)
    picture = folder / "page.png"
    output_of("env", "QT_QPA_PLATFORM=offscreen", builds[1] / "bin/lockstep", run, "--page", "monitor", "--screenshot", picture)
    if picture.stat().st_size == 0:
        raise Failure("the window shows nothing of an old run")
    print(f"an old run: {', '.join(answers[0])} are the same, and the window opens it", flush=True)


def has_all_lines_of(new, old):
    """In their order: the new build may know keys that the old one does not."""
    lines = iter(new.splitlines())
    return all(line in lines for line in old.splitlines())


def read_until(stream, state):
    """Messages up to the one that tells the state."""
    messages = []
    for line in stream:
        messages.append(json.loads(line))
        if messages[-1].get("state") == state:
            break
    return messages


def compare_attached(builds, folder):
    """Both builds attach to an old run while it trains, the new one asks for a checkpoint, and both are told all to its end."""
    run = folder / "living"
    process = trials.start(engine_of(builds[0]), folder, run, [])
    wait_until(process, lambda: state_of(run) == "running")
    clients = [subprocess.Popen([engine_of(build), "attach", run], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for build in builds]
    for client in clients:
        client.stdin.write('{"v":1,"type":"hello","since":-1,"attempt":0}\n')
        client.stdin.flush()
    clients[1].stdin.write('{"v":1,"type":"checkpoint","id":7}\n')
    clients[1].stdin.flush()
    told = [[message for message in read_until(client.stdout, "finished") if "seq" in message and message["type"] != "welcome"]
            for client in clients]
    trials.finish(process)
    for client in clients:
        client.communicate(timeout=60)
    if told[0] != told[1] or len(told[0]) < 20:
        raise Failure(f"attached clients were told {len(told[0])} and {len(told[1])} messages")
    print(f"attached to an old run: the same {len(told[0])} messages", flush=True)


def compare(builds, images):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if images is None and "LOCKSTEP_TEST_DATA" in os.environ:
            images = pathlib.Path(os.environ["LOCKSTEP_TEST_DATA"]) / "droplets"
        if images is None:
            trials.make_data(engine_of(builds[0]), folder, 12, 4)
            images = folder / "shapes"
        (folder / "experiment.yaml").write_text(EXPERIMENT.format(base=ROOT / "configs/cpu_small.yaml", images=images.resolve()))
        for precision in ("fp32", "bf16"):
            for ranks in (1, 2):
                settings = [f"runtime.precision={precision}", f"runtime.workers={ranks}"]
                run = compare_trainings(builds, folder, f"{precision}-{ranks}", settings)
        compare_use(builds, folder, run)
        compare_attached(builds, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--images", type=pathlib.Path)
    options = parser.parse_args()
    try:
        compare([options.old.resolve(), options.new.resolve()], options.images)
    except Failure as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
