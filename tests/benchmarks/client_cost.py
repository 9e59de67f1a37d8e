"""What connected clients cost training: 50 of them, 10 of which say hello and never read.

usage: client_cost.py [--build build] [--rounds 5] [--steps 400] [--clients 50] [--silent 10] [--config configs/cpu_small.yaml]

The same run in turn without clients and with them, on a CPU with one thread, so that a second core has room for the clients' own work;
small images and few proposals make steps short and messages many. Seconds per step are those between the records of two steps, so that
all that training does counts, also what it waits for its supervisor. Checks that who reads gets every event once and every step, and
that who does not is left behind with a full socket.
"""
import argparse
import array
import fcntl
import json
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import termios
import time

import short_run

HELLO = b'{"v":1,"type":"hello","since":-1,"attempt":0}\n'


class Clients:
    """Connections to a run's socket; the first `silent` of them are never read from."""

    def __init__(self, path, count, silent):
        self.selector = selectors.DefaultSelector()
        self.silent = []
        self.received = {}
        for i in range(count):
            client = socket.socket(socket.AF_UNIX)
            client.connect(path)
            client.sendall(HELLO)
            if i < silent:
                self.silent.append(client)
            else:
                self.received[client] = bytearray()
                self.selector.register(client, selectors.EVENT_READ)

    def read(self, seconds):
        for key, _ in self.selector.select(seconds):
            content = key.fileobj.recv(1 << 16)
            self.received[key.fileobj] += content
            if not content:
                self.selector.unregister(key.fileobj)

    def check(self, steps):
        for content in self.received.values():
            events = [json.loads(line) for line in content.splitlines()][1:]  # after the welcome
            assert [event["seq"] for event in events] == list(range(1, len(events) + 1)), "an event is missing, or came twice"
            told = [event["step"] for event in events if event["type"] == "scalars" and "train/loss_total" in event["values"]]
            assert told == list(range(1, steps + 1)), "a step is missing"
        sent = min(len(content) for content in self.received.values())
        for client in self.silent:
            waiting = array.array("i", [0])
            fcntl.ioctl(client, termios.FIONREAD, waiting)
            assert 0 < waiting[0] < sent, f"who never reads was sent all {sent} bytes: take more steps"

    def close(self):
        for client in [*self.silent, *self.received]:
            client.close()
        self.selector.close()


def socket_of(run, process):
    """Waits until the run answers on its socket."""
    while process.poll() is None:
        try:
            path = json.loads((run / "run.json").read_text())["socket"]
            if pathlib.Path(path).is_socket():
                return path
        except (OSError, ValueError):
            pass
        time.sleep(0.01)
    raise RuntimeError("the run ended before it had a socket")


def train(engine, folder, options, with_clients):
    """Median and mean seconds per step."""
    run = folder / f"run-{time.time_ns()}"
    overrides = [f"solver.max_steps={options.steps}", "augment.min_size=[64]", "augment.max_size=96",
                 "model.rpn.pre_nms_top_n_train=100", "model.rpn.post_nms_top_n_train=50", "model.box_head.batch_size_per_image=8"]
    with open(folder / "said", "w") as said:
        process = subprocess.Popen(short_run.command(engine, folder, options.config, run, overrides), stdout=said, stderr=said)
        try:
            if with_clients:
                clients = Clients(socket_of(run, process), options.clients, options.silent)
                while process.poll() is None or clients.selector.get_map():
                    clients.read(0.1)
                clients.check(options.steps)
                clients.close()
            if process.wait() != 0:
                raise RuntimeError((folder / "said").read_text()[-3000:])
        finally:
            process.kill()
    times = [tags["wall_time"] for _, tags in sorted(short_run.scalars(engine, run).items()) if "time/step_seconds" in tags]
    between = [later - earlier for earlier, later in zip(times, times[1:])]
    return statistics.median(between), statistics.mean(between)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=short_run.ROOT / "build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--silent", type=int, default=10)
    parser.add_argument("--config", type=pathlib.Path, default=short_run.ROOT / "configs/cpu_small.yaml")
    options = parser.parse_args()
    engine = options.build.resolve() / "bin/lockstep-engine"
    figures = {False: [], True: []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        short_run.make_scenes(engine, folder)
        for number in range(options.rounds):
            for with_clients in [False, True] if number % 2 == 0 else [True, False]:
                figures[with_clients].append(train(engine, folder, options, with_clients))
            (alone, alone_mean), (beside, beside_mean) = figures[False][-1], figures[True][-1]
            print(f"round {number + 1}: {alone * 1e3:.2f} ms a step alone, {beside * 1e3:.2f} beside clients "
                  f"(means {alone_mean * 1e3:.2f} and {beside_mean * 1e3:.2f})", flush=True)
    for k, what in enumerate(["median", "mean"]):
        ratios = [beside[k] / alone[k] for alone, beside in zip(figures[False], figures[True])]
        print(f"{what} step beside {options.clients} clients, {options.silent} of which never read: {statistics.median(ratios):.3f} times "
              f"that without ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
