"""Times `lockstep-engine coco-eval` beside other evaluators, whole processes in turn.

usage: coco_eval_beside_peers.py [--build build] [--images 50 500 5000] [--rounds 3] [--detections 100] [--classes 80]
                                 [--folder DIR] [--python PYTHON] [--peers NAME…]

Makes annotations (polygons, some crowds) and results (100 an image, boxes and compressed masks) of each size, then runs all of them
on boxes and on masks, round by round. Prints medians of the seconds and of the peak memory, and how many times as long the peers
take; the twelve figures of all must be the same to the last bit. In brackets the seconds of the evaluation alone, in memory, without
reading files: ours by build/bin/coco_analysis. DIR keeps the sets for another time. PYTHON has the peers: hotcoco 1.3.0,
ultrafast-pycocotools 0.1.14, vernier 0.5.4, faster-coco-eval 1.8.0, pycocotools 2.0.11.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
from pycocotools import mask as mask_api

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEIGHT, WIDTH = 480, 640
PEERS = ("hotcoco", "ultrafast-pycocotools", "vernier", "faster-coco-eval", "pycocotools")
PEER = """
import contextlib, io, json, sys, time
gt, dt, kind, peer = sys.argv[1:]
with contextlib.redirect_stdout(io.StringIO()):
    if peer == "vernier":
        from vernier.instance import Bbox, CocoDataset, Evaluator, Segm
        truth, results = CocoDataset.from_json(open(gt, "rb").read()), open(dt, "rb").read()
        begin = time.perf_counter()
        stats = Evaluator(iou=Bbox() if kind == "bbox" else Segm(), parity_mode="strict").evaluate(truth, results).stats
    else:
        if peer == "hotcoco":
            from hotcoco import COCO, COCOeval
        elif peer == "ultrafast-pycocotools":
            from ultrafast_pycocotools.coco import COCO
            from ultrafast_pycocotools.cocoeval import COCOeval
        elif peer == "pycocotools":
            from pycocotools.coco import COCO
            from pycocotools.cocoeval import COCOeval
        else:
            from faster_coco_eval import COCO, COCOeval_faster as COCOeval
        truth = COCO(gt)
        results = truth.load_res(dt) if hasattr(truth, "load_res") else truth.loadRes(dt)
        evaluation = COCOeval(truth, results, kind)
        begin = time.perf_counter()
        evaluation.evaluate()
        evaluation.accumulate()
        seconds = time.perf_counter() - begin
        evaluation.summarize()
        stats = evaluation.stats
    seconds = time.perf_counter() - begin if peer == "vernier" else seconds
print(json.dumps(dict(stats=[float(v) for v in list(stats)[:12]], seconds=seconds)))
"""


def runs_of(rle):
    pixels = mask_api.decode(rle).flatten(order="F").astype(np.int8)
    changes = np.flatnonzero(np.diff(np.concatenate([[0], pixels])))
    return np.diff(np.concatenate([[0], changes, [pixels.size]])).astype(int).tolist()


class Maker:
    """Random objects, and plausible detections of them."""

    def __init__(self, seed, classes):
        self.rng = np.random.default_rng(seed)
        self.classes = classes

    def thing(self):
        rng = self.rng
        return dict(c=int(rng.integers(1, self.classes + 1)), x=rng.uniform(0, WIDTH), y=rng.uniform(0, HEIGHT),
                    r=float(np.exp(rng.uniform(np.log(5), np.log(150)))))

    def outline(self, thing, points=20):
        angle = np.linspace(0, 2 * np.pi, points, endpoint=False)
        radius = thing["r"] * self.rng.uniform(0.75, 1.25, points)
        x = np.clip(thing["x"] + radius * np.cos(angle), 0, WIDTH)
        y = np.clip(thing["y"] + radius * np.sin(angle), 0, HEIGHT)
        return [round(float(v), 2) for pair in zip(x, y) for v in pair]

    def moved(self, thing):
        rng = self.rng
        return dict(c=thing["c"] if rng.random() < 0.9 else int(rng.integers(1, self.classes + 1)),
                    x=thing["x"] + rng.normal() * thing["r"] * 0.15, y=thing["y"] + rng.normal() * thing["r"] * 0.15,
                    r=thing["r"] * float(np.exp(rng.normal() * 0.1)))


def rle_of(polygon):
    return mask_api.merge(mask_api.frPyObjects([polygon], HEIGHT, WIDTH))


def make_set(folder, images, detections, classes):
    maker = Maker(images, classes)
    annotations, results = [], []
    for image in range(1, images + 1):
        things = [maker.thing() for _ in range(maker.rng.integers(1, 15))]
        for thing in things:
            polygon = maker.outline(thing)
            rle = rle_of(polygon)
            crowd = int(maker.rng.random() < 0.02)
            annotations.append(dict(id=len(annotations) + 1, image_id=image, category_id=thing["c"], iscrowd=crowd,
                                    area=float(mask_api.area(rle)), bbox=[float(v) for v in mask_api.toBbox(rle)],
                                    segmentation=dict(size=[HEIGHT, WIDTH], counts=runs_of(rle)) if crowd else [polygon]))
        for _ in range(detections):
            found = maker.rng.random() < 0.4
            thing = maker.moved(things[maker.rng.integers(len(things))]) if found else maker.thing()
            rle = rle_of(maker.outline(thing))
            results.append(dict(image_id=image, category_id=thing["c"], bbox=[float(v) for v in mask_api.toBbox(rle)],
                                score=round(float(maker.rng.beta(4, 2) if found else maker.rng.beta(1, 6)), 4),
                                segmentation=dict(size=[HEIGHT, WIDTH], counts=rle["counts"].decode())))
    folder.mkdir(parents=True)
    rows = [dict(id=i, width=WIDTH, height=HEIGHT, file_name=f"{i}.jpg") for i in range(1, images + 1)]
    names = [dict(id=c, name=f"class {c}") for c in range(1, classes + 1)]
    (folder / "gt.json").write_text(json.dumps(dict(images=rows, annotations=annotations, categories=names)))
    (folder / "segm.json").write_text(json.dumps(results))
    (folder / "bbox.json").write_text(json.dumps([{k: v for k, v in r.items() if k != "segmentation"} for r in results]))


# A small process that starts the measured one, because Linux counts the parent's memory towards the child's ru_maxrss.
LAUNCH = """
import os, sys, time
begin = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print(time.perf_counter() - begin, usage.ru_maxrss / 1024, status, file=sys.stderr)
"""


def run(command):
    """Seconds, peak memory in MiB, standard output."""
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCH, *command], capture_output=True, text=True)
    seconds, peak, status = done.stderr.split()[-3:]
    if status != "0":
        raise SystemExit(f"{command[0]} failed: {done.stderr}")
    return float(seconds), float(peak), done.stdout


def seconds_in_memory(analysis, gt, dt, kind):
    """Of the evaluation of a results file that was read, masks too: matches and metrics."""
    said = subprocess.run([analysis, gt, dt, kind, "--in-memory"], capture_output=True, text=True, check=True).stdout
    return float(said.split()[0])


def compare(build, python, peers, folder, kind, rounds):
    gt, dt, out = folder / "gt.json", folder / f"{kind}.json", folder / "out.json"
    commands = {"lockstep": [build / "lockstep-engine", "coco-eval", "--gt", gt, "--dt", dt, "--type", kind, "--out", out]}
    commands |= {peer: [python, "-c", PEER, gt, dt, kind, peer] for peer in peers}
    seconds, memory, alone, figures = ({name: [] for name in commands} for _ in range(4))
    for _ in range(rounds):
        for name, command in commands.items():
            took, peak, said = run(command)
            seconds[name].append(took)
            memory[name].append(peak)
            figures[name] = json.loads(out.read_text())["stats"] if name == "lockstep" else json.loads(said)["stats"]
            alone[name].append(seconds_in_memory(build / "coco_analysis", gt, dt, kind) if name == "lockstep" else json.loads(said)["seconds"])
    for peer in peers:
        if figures[peer] != figures["lockstep"]:
            print(f"  {kind}: the figures of {peer} differ by up to {np.abs(np.subtract(figures[peer], figures['lockstep'])).max():.1e}")
    ours = statistics.median(seconds["lockstep"])
    for name in commands:
        took = statistics.median(seconds[name])
        times = "" if name == "lockstep" else f"  {took / ours:.1f} times"
        print(f"  {kind} {name:22} {took:7.2f} s ({statistics.median(alone[name]):.2f} s)  {statistics.median(memory[name]):6.0f} MiB{times}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--images", type=int, nargs="+", default=[50, 500, 5000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--detections", type=int, default=100)
    parser.add_argument("--classes", type=int, default=80)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--peers", nargs="+", default=PEERS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for images in options.images:
            folder = (options.folder or pathlib.Path(temporary)) / f"{images}x{options.detections}x{options.classes}"
            if not folder.exists():
                make_set(folder, images, options.detections, options.classes)
            sizes = ", ".join(f"{name} {(folder / name).stat().st_size / 2**20:.0f} MiB" for name in ("gt.json", "bbox.json", "segm.json"))
            print(f"{images} images ({sizes})", flush=True)
            for kind in ("bbox", "segm"):
                compare(options.build.resolve() / "bin", options.python, options.peers, folder, kind, options.rounds)


if __name__ == "__main__":
    main()
