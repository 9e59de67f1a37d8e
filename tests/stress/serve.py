"""Asks a server of a run for detections while its workers are killed, the run gets new bests, and others send nonsense.

usage: serve.py [--build build] [--seconds 3600] [--clients 4] [--kill-every 60] [--best-every 120] [--ping-ms 100]
                [--workers 1] [--seed 1] [--fuzz]

Every answer must be that of `predict` with the weights that the answer names, bit for bit; a refusal (503) is asked again, and nothing
else may come back. Nonsense must be refused. Neither the server nor its workers may grow, nothing may be left in its temporary folder, it
must answer 99 of 100 pings within --ping-ms, serve the new bests, and end with exit status 0 when it is stopped. Prints what was counted;
exits 1 with what went wrong.

--fuzz: only nonsense, six at a time, beside those who ask rightly and 200 who are slow: nothing is killed, the best stays, and every
single `/ping` is answered with 200 within --ping-ms.
"""
import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from faulty_requests import nonsense
from trials import Failure

EXPERIMENT = """name: served
base: {configs}/cpu_small.yaml
dataset:
  train: {{images: shapes/train, annotations: shapes/annotations/instances_train.json}}
  val: {{images: shapes/val, annotations: shapes/annotations/instances_val.json}}
augment: {{min_size: [96], max_size: 160}}
model: {{box_head: {{score_threshold: 0.01, detections_per_image: 20}}}}
solver: {{max_steps: 6, warmup_steps: 0, batch_size: 1, schedule: constant, base_lr: 0.005}}
evaluation: {{loss_every: 2, ap_every: 2}}
checkpoint: {{every: 2, keep: 3}}
runtime: {{device: cpu, cpu_threads: 1}}
"""
STEPS = [2, 4, 6]
MOST_GROWTH = 64  # MiB, of the server
MOST_WORKER = 2048  # MiB
REFUSALS = {400, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 431, 501, 503, 505}
PATIENCE = 60  # seconds


class Server:
    """A folder with a trained run, what `predict` says of its images by step, and a server that follows the run."""

    def __init__(self, build, folder, workers=1):
        self.build, self.folder, self.run = build, folder, folder / "run"
        configs = pathlib.Path(__file__).resolve().parents[2] / "configs"
        (folder / "experiment.yaml").write_text(EXPERIMENT.format(configs=configs))
        self.engine("dataset", "shapes", "--out", "shapes", "--train", "4", "--val", "2", "--seed", "3")
        self.engine("train", "experiment.yaml", "--output", "run")
        self.images = sorted(folder.glob("shapes/train/*")) + sorted(folder.glob("shapes/val/*"))
        self.bytes = {image: image.read_bytes() for image in self.images}
        self.expected = {step: self.predicted(step) for step in STEPS}
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        with (folder / "shapes/large.png").open("wb") as large:
            large.truncate(20 << 20)
        self.process = subprocess.Popen([build / "bin/lockstep-engine", "serve", "run", "--follow", "--port", "0", "--files", "shapes",
                                         "--workers", str(workers)],
                                        cwd=folder, stdout=subprocess.PIPE, stderr=(folder / "serve.log").open("w"), text=True,
                                        env={**os.environ, "TMPDIR": str(self.temporary)})
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.wait_until_ready()

    def engine(self, *words):
        done = subprocess.run([self.build / "bin/lockstep-engine", *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"lockstep-engine {' '.join(words)}: exit status {done.returncode}: {done.stderr}")

    def predicted(self, step):
        self.engine("predict", "run", "--weights", str(step), "--images", *map(str, self.images), "--out", "predicted.json")
        found = {image: [] for image in self.images}
        for each in json.loads((self.folder / "predicted.json").read_text()):
            image = self.images[each["image_id"] - 1]
            each["image_id"] = 1
            del each["file_name"]
            found[image].append(each)
        return found

    def wait_until_ready(self):
        for _ in range(PATIENCE * 10):
            if self.ask("GET", "/ping")[0] == 200:
                return
            time.sleep(0.1)
        raise Failure("the server is never ready: " + (self.folder / "serve.log").read_text())

    def ask(self, method, path, body=None, kind="image/png"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if body else {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def workers(self):
        return [int(pid) for pid in pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()]

    def mebibytes(self):
        return mebibytes_of(self.process.pid)

    def left_over(self):
        """Images that are kept for workers though nobody waits for them any more."""
        until = time.monotonic() + PATIENCE
        while left := [each for each in self.temporary.rglob("*") if each.suffix in (".image", ".answer")]:
            if time.monotonic() > until:
                return left
            time.sleep(0.1)
        return []

    def make_best(self, step):
        info = json.loads((self.run / "run.json").read_text())
        info["best"] = {"metric": "segm/AP", "value": random.random(), "step": step}
        (self.run / ".run.json").write_text(json.dumps(info))
        os.replace(self.run / ".run.json", self.run / "run.json")


def mebibytes_of(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Pinger:
    """Asks again and again, in a process of its own, so that nothing but the server's own time is counted."""

    def __init__(self, port, path):
        self.results, results = multiprocessing.Pipe(duplex=False)
        self.is_over = multiprocessing.Event()
        self.process = multiprocessing.Process(target=self.ask_until_over, args=(port, path, results), daemon=True)
        self.process.start()

    def ask_until_over(self, port, path, results):
        seconds, fault = [], None
        while not fault and not self.is_over.wait(0.02):
            begin = time.monotonic()
            try:
                status = status_of(port, path)
                fault = None if status == 200 else f"{path}: status {status}"
            except OSError as error:
                fault = f"{path}: {error!r}"
            seconds.append(time.monotonic() - begin)
        results.send((sorted(seconds), fault))

    def end(self):
        """The seconds of all pings, sorted, and a fault or None."""
        self.is_over.set()
        return self.results.recv()


def status_of(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


class Disturbance:
    """What goes on until the end, each in a thread of its own; the first fault ends it."""

    def __init__(self, server, seconds):
        self.server, self.end = server, time.monotonic() + seconds
        self.faults, self.threads = [], []
        self.counts = {"answers": 0, "refusals": 0, "kills": 0, "bests": 0, "attacks": 0}
        self.steps, self.largest_worker = set(), 0
        self.lock = threading.Lock()

    def is_over(self):
        return self.faults or time.monotonic() > self.end

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def go(self, work):
        def until_the_end():
            try:
                while not self.is_over():
                    work()
            except Exception as error:  # whatever it is, it is the result
                self.faults.append(f"{work.__name__}: {error!r}")
        self.threads.append(threading.Thread(target=until_the_end))
        self.threads[-1].start()

    def pause(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_over():
            time.sleep(min(0.1, seconds))

    def ask(self):
        image = random.choice(self.server.images)
        status, headers, body = self.server.ask("POST", "/invocations", self.server.bytes[image])
        if status == 503:
            self.count("refusals")
            return self.pause(0.05)
        if status != 200:
            raise Failure(f"{image.name}: status {status}: {body[:200]}")
        step = int(headers["X-Lockstep-Step"])
        self.steps.add(step)
        if json.loads(body) != self.server.expected[step][image]:
            raise Failure(f"{image.name}: a wrong answer of step {step}")
        self.count("answers")

    def attack(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as client:
            request, may_succeed = nonsense(random.choice(list(self.server.bytes.values())))
            try:
                client.sendall(request)
                client.settimeout(0.2 if may_succeed else PATIENCE)
                words = client.recv(4096).split(None, 2)
            except OSError:
                words = []  # it is closed, or waits for more
        if words and int(words[1]) not in REFUSALS | ({200} if may_succeed else set()):
            raise Failure(f"status {words[1]} for {request[:200]}")
        self.count("attacks")

    def watch_workers(self):
        for pid in self.server.workers():
            try:
                self.largest_worker = max(self.largest_worker, mebibytes_of(pid))
            except (OSError, IndexError):
                pass  # it has just ended
        self.pause(0.5)

    def be_slow(self):
        """Half of them never ask to the end, the others read none of the answers."""
        clients = [slow_client(self.server.port) for _ in range(200)]
        for i, client in enumerate(clients):
            client.sendall(b"POST /invocations HTTP/1.1\r\nContent-Length: 100\r\n" if i % 2 else b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        self.pause(10)
        for client in clients:
            client.close()


def slow_client(port):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    return client


def disturb(server, options):
    # Readiness says that workers are being replaced, as it should.
    pinger = Pinger(server.port, "/ping" if options.fuzz else "/v2/health/live")
    disturbance = Disturbance(server, options.seconds)
    works = [disturbance.be_slow, disturbance.watch_workers]
    works += [disturbance.ask] * options.clients
    works += [disturbance.attack] * (6 if options.fuzz else 1)
    if not options.fuzz:
        works += disturbers_of(disturbance, options)
    for work in works:
        disturbance.go(work)
    disturbance.pause(options.seconds / 3)
    before = server.mebibytes()
    for thread in disturbance.threads:
        thread.join()
    growth = server.mebibytes() - before
    pings, fault = pinger.end()
    print(", ".join(f"{count} {what}" for what, count in disturbance.counts.items()) +
          f"; {len(pings)} pings: median {1000 * share_of(pings, 0.5):.1f} ms, 99 % {1000 * share_of(pings, 0.99):.1f} ms, longest "
          f"{1000 * pings[-1]:.1f} ms; memory {before:.0f} MiB, {growth:+.0f} MiB, largest worker {disturbance.largest_worker:.0f} MiB; "
          f"steps {sorted(disturbance.steps)}")
    slowest = pings[-1] if options.fuzz else share_of(pings, 0.99)
    if 1000 * slowest > options.ping_ms:
        disturbance.faults.append(f"{'a ping' if options.fuzz else 'one of 100 pings'} took longer than {options.ping_ms} ms")
    if fault:
        disturbance.faults.append(fault)
    if growth > MOST_GROWTH:
        disturbance.faults.append(f"the server grew by {growth:.0f} MiB")
    return disturbance.faults + faults_of_counts(disturbance, options)


def share_of(values, share):
    return values[int(share * (len(values) - 1))]


def disturbers_of(disturbance, options):
    def kill_worker():
        disturbance.pause(options.kill_every)
        workers = disturbance.server.workers()
        if workers and not disturbance.is_over():
            os.kill(random.choice(workers), signal.SIGKILL)
            disturbance.count("kills")

    bests = []

    def get_better():
        disturbance.pause(options.best_every)
        bests.append(random.choice([step for step in STEPS if step not in bests[-1:]]))
        disturbance.server.make_best(bests[-1])
        disturbance.count("bests")

    return [kill_worker, get_better]


def faults_of_counts(disturbance, options):
    faults = []
    if disturbance.largest_worker > MOST_WORKER:
        faults.append(f"a worker had {disturbance.largest_worker:.0f} MiB")
    if left := disturbance.server.left_over():
        faults.append(f"left behind: {left[:5]}")
    expected = {"answers", "attacks"}
    if not options.fuzz:
        expected |= ({"kills"} if options.kill_every < options.seconds else set()) | ({"bests"} if options.best_every < options.seconds else set())
    faults += [f"there were no {what}" for what in sorted(expected) if not disturbance.counts[what]]
    if disturbance.counts["bests"] > 2 and len(disturbance.steps) < 2:
        faults.append("no new best was ever served")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), default="build")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=60)
    parser.add_argument("--best-every", type=float, default=120)
    parser.add_argument("--ping-ms", type=float, default=100)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fuzz", action="store_true")
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        server = None
        try:
            server = Server(options.build, pathlib.Path(folder), options.workers)
            faults = disturb(server, options)
            server.process.send_signal(signal.SIGTERM)
            status = server.process.wait(timeout=PATIENCE)
            if status != 0:
                faults.append(f"the server ended with exit status {status}: {(server.folder / 'serve.log').read_text()[-2000:]}")
        except Failure as failure:
            faults = [str(failure)]
        finally:
            if server and server.process.poll() is None:
                server.process.kill()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
