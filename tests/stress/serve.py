"""Asks a server of a run for detections while its workers are killed, the run gets new bests, and others send nonsense.

usage: serve.py [--build build] [--seconds 3600] [--clients 4] [--kill-every 60] [--best-every 120] [--ping-ms 100] [--seed 1]

Every answer must be that of `predict` with the weights that the answer names, bit for bit; a refusal (503) is asked again, and nothing
else may come back. Nonsense must be refused. Neither the server nor its workers may grow, nothing may be left in its temporary folder, it
must answer 99 of 100 pings within --ping-ms, serve the new bests, and end with exit status 0 when it is stopped. Prints what was counted;
exits 1 with what went wrong.
"""
import argparse
import base64
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

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
REFUSALS = {400, 403, 404, 405, 406, 408, 413, 414, 415, 417, 431, 501, 503}
PATIENCE = 60  # seconds


class Server:
    """A folder with a trained run, what `predict` says of its images by step, and a server that follows the run."""

    def __init__(self, build, folder):
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
        self.process = subprocess.Popen([build / "bin/lockstep-engine", "serve", "run", "--follow", "--port", "0", "--files", "shapes"],
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


class Disturbance:
    """What goes on until the end, each in a thread of its own; the first fault ends it."""

    def __init__(self, server, seconds):
        self.server, self.end = server, time.monotonic() + seconds
        self.faults, self.threads = [], []
        self.counts = {"answers": 0, "refusals": 0, "kills": 0, "bests": 0, "attacks": 0}
        self.pings, self.steps, self.largest_worker = [], set(), 0
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

    def ping(self):
        begin = time.monotonic()
        status = self.server.ask("GET", "/v2/health/live")[0]
        self.pings.append(time.monotonic() - begin)
        if status != 200:
            raise Failure(f"health: status {status}")
        self.pause(0.02)

    def attack(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as client:
            request, may_succeed = nonsense(random.choice(list(self.server.bytes.values())))
            try:
                client.sendall(request)
                client.settimeout(0.2 if may_succeed else PATIENCE)
                words = client.recv(4096).split(None, 2)
            except OSError:
                words = []  # it is closed, or waits for more
        if words and not may_succeed and int(words[1]) not in REFUSALS:
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
        clients = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(200)]
        for client in clients:
            client.sendall(b"POST /invocations HTTP/1.1\r\nContent-Length: 100\r\n")
        self.pause(10)
        for client in clients:
            client.close()


def bomb():
    """A small PNG of 121 million pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress(bytes(1 + 11_000 // 8) * 11_000, 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 11_000, 11_000, 1, 0, 0, 0, 0)) + chunk(b"IDAT", rows) +
            chunk(b"IEND", b""))


def faulty_json(image):
    """A document that asks for too much."""
    tiny = [{"b64": base64.b64encode(image).decode()}]
    return random.choice([
        {"images": [{"file": "large.png"}] * 3000},
        {"images": [{"file": "../experiment.yaml"}]},
        {"images": [{"file": "large.png"}]},
        {"images": [{"url": "http://127.0.0.1/a.png"}] * 100},
        {"images": tiny * 8, "classes": list(range(90_000))},
        {"images": [{"b64": base64.b64encode(bomb()).decode()}]}])


def nonsense(image):
    """A request with a fault, and whether it may be answered all the same."""
    head = b"POST /invocations HTTP/1.1\r\nHost: localhost\r\n"
    kind = random.randrange(9)
    if kind >= 6 and kind < 8:
        return damaged(head, image, within=kind == 6), True
    return (faulty(head, kind, image), False) if kind < 6 else (document(head, faulty_json(image)), False)


def document(head, members):
    body = json.dumps(members).encode()
    return head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def faulty(head, kind, image):
    if kind == 0:
        return b"GET /ping HTTP/1.1\r\n" + b"X: y\r\n" * 200_000 + b"\r\n"
    if kind == 1:
        return head + b"Content-Type: image/png\r\nContent-Length: 99999999999\r\n\r\n" + image
    if kind == 2:
        return head + b"Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n" + b"100000\r\n" + b"x" * 0x100000 + b"\r\n" + b"zz\r\n"
    if kind == 3:
        return head + b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 3000\r\n\r\n" + b"--b\r\n" * 600
    if kind == 4:
        body = b'{"images": [{"b64": "' + b"A" * 4_000_000 + b'"}]}'
        return head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    body = b'{"images": ' + b"[" * 100_000
    return head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def damaged(head, image, within):
    """Bytes that are others, of the whole request or of its head."""
    whole = bytearray(head + b"Content-Type: image/png\r\nContent-Length: %d\r\n\r\n" % len(image) + image)
    for _ in range(random.randrange(1, 20)):
        whole[random.randrange(len(whole) if within else 90)] = random.randrange(256)
    return bytes(whole)


def disturb(server, options):
    disturbance = Disturbance(server, options.seconds)

    def kill_worker():
        disturbance.pause(options.kill_every)
        workers = server.workers()
        if workers and not disturbance.is_over():
            os.kill(random.choice(workers), signal.SIGKILL)
            disturbance.count("kills")

    bests = []

    def get_better():
        disturbance.pause(options.best_every)
        bests.append(random.choice([step for step in STEPS if step not in bests[-1:]]))
        server.make_best(bests[-1])
        disturbance.count("bests")

    for _ in range(options.clients):
        disturbance.go(disturbance.ask)
    for work in (disturbance.ping, disturbance.attack, disturbance.be_slow, disturbance.watch_workers, kill_worker, get_better):
        disturbance.go(work)
    disturbance.pause(options.seconds / 3)
    before = server.mebibytes()
    for thread in disturbance.threads:
        thread.join()
    growth = server.mebibytes() - before
    pings = sorted(disturbance.pings)
    print(", ".join(f"{count} {what}" for what, count in disturbance.counts.items()) +
          f"; ping: median {1000 * pings[len(pings) // 2]:.1f} ms, 99 % {1000 * pings[len(pings) * 99 // 100]:.1f} ms, longest "
          f"{1000 * pings[-1]:.1f} ms; memory {before:.0f} MiB, {growth:+.0f} MiB, largest worker {disturbance.largest_worker:.0f} MiB; "
          f"steps {sorted(disturbance.steps)}")
    if growth > MOST_GROWTH:
        disturbance.faults.append(f"the server grew by {growth:.0f} MiB")
    if disturbance.largest_worker > MOST_WORKER:
        disturbance.faults.append(f"a worker had {disturbance.largest_worker:.0f} MiB")
    if 1000 * pings[len(pings) * 99 // 100] > options.ping_ms:
        disturbance.faults.append(f"one of 100 pings took longer than {options.ping_ms} ms")
    if left := server.left_over():
        disturbance.faults.append(f"left behind: {left[:5]}")
    expected = {"answers", "attacks"} | ({"kills"} if options.kill_every < options.seconds else set())
    if options.best_every < options.seconds:
        expected.add("bests")
    disturbance.faults += [f"there were no {what}" for what in sorted(expected) if not disturbance.counts[what]]
    if disturbance.counts["bests"] > 2 and len(disturbance.steps) < 2:
        disturbance.faults.append("no new best was ever served")
    return disturbance.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), default="build")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=60)
    parser.add_argument("--best-every", type=float, default=120)
    parser.add_argument("--ping-ms", type=float, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        server = None
        try:
            server = Server(options.build, pathlib.Path(folder))
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
