"""Trains on two network namespaces that stand for two machines, and cuts them apart.

usage: two_hosts.py [--build build] [--seconds 12]      needs root and iproute2

Both sides are started as a PyTorchJob starts them (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), then with MASTER_ADDR=localhost on
the first, as some training operators do. The weights must be those of two ranks on one machine. Cut apart, killed or stopped on the
other machine, both sides must end with exit status 1 within --seconds, and rank 0's run.json must name rank 1.
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

import many_ranks
import trials
from trials import Failure

# Above 127.0.0.1: Gloo lets the higher address connect to the lower one, so that one below would never be sought at localhost.
HOSTS = {"lockstepA": "198.18.13.1", "lockstepB": "198.18.13.2"}
PORT = 29577


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def make_hosts():
    remove_hosts()
    for host in HOSTS:
        ip("netns", "add", host)
        ip("-n", host, "link", "set", "lo", "up")
    ip("link", "add", "lsA", "netns", "lockstepA", "type", "veth", "peer", "name", "lsB", "netns", "lockstepB")
    for host, address in HOSTS.items():
        device = "ls" + host[-1]
        ip("-n", host, "addr", "add", address + "/24", "dev", device)
        ip("-n", host, "link", "set", device, "up")


def remove_hosts():
    for host in HOSTS:
        subprocess.run(["ip", "netns", "del", host], capture_output=True)


def start(engine, folder, node, run, overrides, master=HOSTS["lockstepA"]):
    host = list(HOSTS)[node]
    environment = dict(os.environ, RANK=str(node), WORLD_SIZE="2", MASTER_ADDR=master, MASTER_PORT=str(PORT))
    # The other machine has no experiment file: rank 0 shares what is in it.
    config = folder / "experiment.yaml" if node == 0 else "/nowhere/experiment.yaml"
    output = ["--output", run] if node == 0 else []
    command = ["ip", "netns", "exec", host, engine, "train", config, *output]
    if node == 0:
        command += [word for override in overrides for word in ("--set", override)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_step(run, step):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            if any(int(folder.name[5:]) >= step for folder in (run / "checkpoints").glob("step-*")):
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise Failure("the run does not get on")


def trouble(how, sides):
    if how == "cut":
        ip("-n", "lockstepB", "link", "set", "lsB", "down")
        return
    worker = many_ranks.ranks_of(sides[1].pid)[0]
    os.kill(worker, signal.SIGKILL if how == "kill" else signal.SIGSTOP)


def one_trial(engine, folder, how, seconds):
    make_hosts()
    run = folder / how
    sides = [start(engine, folder, node, run, ["solver.max_steps=400", "checkpoint.every=2"]) for node in range(2)]
    try:
        wait_for_step(run, 4)
        trouble(how, sides)
        begin = time.monotonic()
        told = []
        for node, side in enumerate(sides):
            try:
                out, err = side.communicate(timeout=max(seconds - (time.monotonic() - begin), 0.1))
            except subprocess.TimeoutExpired:
                raise Failure(f"{how}: node {node} still goes on after {seconds} s") from None
            told.append(err.strip().splitlines()[-1])
            if side.returncode != 1:
                raise Failure(f"{how}: node {node} ended with {side.returncode}:\n{err}")
        error = json.loads((run / "run.json").read_text())["error"]
        if error["rank"] != 1:
            raise Failure(f"{how}: rank {error['rank']} is named: {error['message']}")
        print(f"{how}: both ended within {time.monotonic() - begin:.1f} s\n  node 0: {told[0]}\n  node 1: {told[1]}", flush=True)
    finally:
        for side in sides:
            side.kill()
        remove_hosts()


def check_training(engine, folder, told):
    """`told`: the first machine's own MASTER_ADDR."""
    run = folder / f"two-{told}"
    make_hosts()
    sides = [start(engine, folder, 0, run, ["solver.max_steps=12"], master=told), start(engine, folder, 1, run, [])]
    try:
        for node, side in enumerate(sides):
            out, err = side.communicate(timeout=300)
            if side.returncode != 0:
                raise Failure(f"{told}: node {node} ended with {side.returncode}:\n{err}")
    finally:
        for side in sides:
            side.kill()
        remove_hosts()
    trials.compare(trials.what_it_left(engine, folder / "one"), trials.what_it_left(engine, run))
    print(f"two machines, the first told {told}, leave what two ranks on one machine leave", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "build")
    parser.add_argument("--seconds", type=float, default=12)
    options = parser.parse_args()
    engine = options.build.resolve() / "bin/lockstep-engine"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trials.make_data(engine, folder, 8, 3)
        trials.finish(trials.start(engine, folder, folder / "one", ["runtime.workers=2", "solver.max_steps=12"]))
        try:
            for told in [HOSTS["lockstepA"], "localhost"]:
                check_training(engine, folder, told)
            for how in ["kill", "stop", "cut"]:
                one_trial(engine, folder, how, options.seconds)
        except Failure as failure:
            print(failure)
            return 1
        finally:
            remove_hosts()
    return 0


if __name__ == "__main__":
    sys.exit(main())
