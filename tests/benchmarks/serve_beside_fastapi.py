"""Asks `lockstep-engine serve` and a FastAPI server of torchvision's model with the same weights for detections, in turn.

usage: serve_beside_fastapi.py RUN IMAGES [--build build] [--clients 1 4 16 64] [--seconds 10] [--rounds 3] [--threads 2]
                               [--precision fp32]

RUN was trained from configs/cpu_small.yaml; IMAGES is a folder. Each server has the machine for itself, with as many threads. A client
sends its next image when it has an answer, on a connection that stays. Prints requests per second and the latency's median and 99 %,
medians of the rounds, and then the same of `serve` under overload: how fast it refuses (503). The peer computes in fp32; with --precision
fp32 the answers of both must be the same objects. Exits 1 with what is not as it should be. Needs fastapi and uvicorn beside what the other comparisons need.
"""
import argparse
import http.client
import io
import json
import pathlib
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve()
PATIENCE = 120  # seconds
LEAST_RATE = 2  # times the peer's requests per second
MOST_LATE = 0.5  # times the peer's 99 % at 16 clients
REFUSAL_MS = 10, 50  # median, 99 %


# ---- the peer


def peer_app(run, threads):
    import numpy as np
    import torch
    from fastapi import FastAPI, Request
    from fastapi.concurrency import run_in_threadpool
    from PIL import Image
    from pycocotools import mask as coco_mask
    from safetensors.torch import load_file
    from torchvision.transforms.functional import pil_to_tensor

    sys.path.insert(0, str(HERE.parent))
    from torchvision_train import make_model

    torch.set_num_threads(threads)
    weights = load_file(newest_weights(run))
    model = make_model(weights["roi_heads.box_predictor.cls_score.weight"].shape[0], boxes_alone=False)
    model.load_state_dict(weights)
    model.eval()
    one_at_a_time = threading.Lock()

    def detect(body):
        with one_at_a_time, torch.inference_mode():
            image = pil_to_tensor(Image.open(io.BytesIO(body)).convert("RGB")).float() / 255
            found = model([image])[0]
            masks = np.asfortranarray((found["masks"][:, 0] >= 0.5).permute(1, 2, 0).numpy().astype(np.uint8))
        answers = []
        for k, rle in enumerate(coco_mask.encode(masks) if masks.shape[2] else []):
            x0, y0, x1, y1 = found["boxes"][k].tolist()
            answers.append({"image_id": 1, "category_id": int(found["labels"][k]), "bbox": [x0, y0, x1 - x0, y1 - y0],
                            "score": float(found["scores"][k]),
                            "segmentation": {"size": rle["size"], "counts": rle["counts"].decode()}})
        return answers

    app = FastAPI()

    @app.get("/ping")
    def ping():
        return {}

    @app.post("/invocations")
    async def invocations(request: Request):
        return await run_in_threadpool(detect, await request.body())

    return app


def newest_weights(run):
    return str(max(pathlib.Path(run).glob("checkpoints/step-*")) / "model.safetensors")


def run_peer(options):
    import uvicorn
    uvicorn.run(peer_app(options.run, options.threads), port=options.peer_port, log_level="warning")


# ---- the clients


class Served:
    """A server that runs as long as it is used."""

    def __init__(self, command, port):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = port or json.loads(self.process.stdout.readline())["port"]

    def __enter__(self):
        for _ in range(PATIENCE * 10):
            try:
                if self.ask(self.connect(), "GET", "/ping")[0] == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("the server is never ready")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, connection, method, path, body=None):
        connection.request(method, path, body, {"Content-Type": "image/jpeg"} if body else {})
        reply = connection.getresponse()
        return reply.status, reply.read()

    def load(self, images, clients, seconds):
        """Seconds of each answer, refusal and closed connection (0), after which a client waits a little, and of all."""
        took = {200: [], 503: [], 0: []}
        start = time.monotonic()
        end = start + seconds

        def client(number):
            connection = self.connect()
            while time.monotonic() < end:
                begin = time.monotonic()
                number += 1
                try:
                    status, _ = self.ask(connection, "POST", "/invocations", images[number % len(images)])
                except OSError:  # closed without an answer
                    status = 0
                took[status].append(time.monotonic() - begin)
                if status != 200:
                    connection.close()
                    time.sleep(0.5)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return took, time.monotonic() - start


def figures(times, seconds):
    times = sorted(times)
    return len(times) / seconds, 1000 * times[len(times) // 2], 1000 * times[min(len(times) - 1, len(times) * 99 // 100)]


def same_objects(ours, theirs):
    """Those that are likely: decoders of JPEG differ by a level or two, which moves scores a little."""
    def has(one, others):
        return any(one["category_id"] == other["category_id"] and abs(one["score"] - other["score"]) < 0.05 and
                   all(abs(a - b) < 2 for a, b in zip(one["bbox"], other["bbox"])) for other in others)
    return all(has(each, theirs) for each in ours if each["score"] > 0.3) and all(has(each, ours) for each in theirs if each["score"] > 0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("images", nargs="?")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--peer-port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer_port:
        return run_peer(options)
    images = [path.read_bytes() for path in sorted(pathlib.Path(options.images).iterdir())]
    port = 18765
    servers = {
        "lockstep": lambda: Served([options.build / "bin/lockstep-engine", "serve", options.run, "--weights", "last", "--port", "0", "--set",
                                    f"runtime.cpu_threads={options.threads}", "--set", f"runtime.precision={options.precision}"], None),
        "fastapi": lambda: Served([sys.executable, str(HERE), options.run, "--peer-port", str(port), "--threads", str(options.threads)], port)}
    answers, rows = {}, {}
    for _ in range(options.rounds):
        for name, start in servers.items():
            with start() as server:
                answers[name] = [json.loads(server.ask(server.connect(), "POST", "/invocations", image)[1]) for image in images]
                for clients in options.clients:
                    took, seconds = server.load(images, clients, options.seconds)
                    rows.setdefault((name, clients), []).append(figures(took[200], seconds))
    different = sum(not same_objects(*pair) for pair in zip(*answers.values()))
    missed = []
    for clients in options.clients:
        medians = {name: [statistics.median(column) for column in zip(*rows[name, clients])] for name in servers}
        for name, (rate, middle, late) in medians.items():
            print(f"{clients} clients, {name}: {rate:.1f} requests/s, median {middle:.0f} ms, 99 % {late:.0f} ms")
        ours, theirs = medians["lockstep"], medians["fastapi"]
        print(f"  {ours[0] / theirs[0]:.2f} times the requests/s, {ours[2] / theirs[2]:.2f} times the 99 %")
        if ours[0] < LEAST_RATE * theirs[0]:
            missed.append(f"{clients} clients: less than {LEAST_RATE} times the requests/s")
        if clients == 16 and ours[2] > MOST_LATE * theirs[2]:
            missed.append(f"{clients} clients: more than {MOST_LATE} times the 99 %")
    with servers["lockstep"]() as server:
        took, seconds = server.load(images, 300, options.seconds)
    print(f"300 clients: {len(took[200])} answers, {len(took[503])} refusals, {len(took[0])} closed")
    if not took[503] or took[0]:
        missed.append("300 clients: each must be answered or refused, and some refused")
    else:
        _, middle, late = figures(took[503], seconds)
        print(f"  refusals: median {middle:.1f} ms, 99 % {late:.1f} ms")
        if middle > REFUSAL_MS[0] or late > REFUSAL_MS[1]:
            missed.append(f"refusals: the median must be below {REFUSAL_MS[0]} ms, 99 % below {REFUSAL_MS[1]} ms")
    print(f"answers: {len(images) - different} of {len(images)} images have the same objects")
    if different and options.precision == "fp32":
        missed.append("the objects are not the same")
    for each in missed:
        print(each, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
