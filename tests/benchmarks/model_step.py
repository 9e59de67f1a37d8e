"""Our model's training step and detection beside torchvision's, in turn on the same batches, weights and threads.

usage: model_step.py DATA_FOLDER [--rounds 20] [--threads 2] [--build build] [--config configs/cpu_small.yaml]
                     [--precision bf16] [--peer-precision bf16] [--detect]
DATA_FOLDER holds train/ and annotations/instances_train.json. Resizing and normalising are left out on both sides (our loader
does them in other threads). torchvision computes in bf16 under autocast. Build the target `model_step` first. Only the ratio
means anything on another machine; on a busy one the ratio of processor seconds with --threads 1 is the steadier.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from safetensors.torch import save_file
from torchvision.models.detection.roi_heads import paste_masks_in_image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/benchmarks"))
import torchvision_train as peer  # noqa: E402


def make_batches(model, data, count):
    part = peer.Part(data / "train", data / "annotations/instances_train.json")
    batches = []
    model.train()
    for first in range(0, count * peer.BATCH, peer.BATCH):
        pairs = [part.load(i % len(part.ids)) for i in range(first, first + peer.BATCH)]
        batches.append(model.transform([image for image, _ in pairs], [target for _, target in pairs]))
    return batches, len(part.categories) + 1


def save(folder, model, batches):
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "weights.safetensors")
    for number, (images, targets) in enumerate(batches):
        content = {"images": images.tensors, "sizes": torch.tensor(images.image_sizes)}
        for i, target in enumerate(targets):
            content.update({f"boxes_{i}": target["boxes"], f"classes_{i}": target["labels"], f"masks_{i}": target["masks"]})
        save_file({k: v.contiguous() for k, v in content.items()}, folder / f"batch-{number}.safetensors")


def computing_in(precision):
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16")


def train_step(model, optimizer, images, targets, precision):
    with computing_in(precision):
        features = model.backbone(images.tensors)
        proposals, of_rpn = model.rpn(images, features, targets)
        _, of_heads = model.roi_heads(features, proposals, images.image_sizes, targets)
        loss = sum([*of_rpn.values(), *of_heads.values()])
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return loss.item()


@torch.no_grad()
def detect(model, images, precision):
    with computing_in(precision):
        features = model.backbone(images.tensors)
        proposals, _ = model.rpn(images, features)
        found, _ = model.roi_heads(features, proposals, images.image_sizes)
    masks = [paste_masks_in_image(each["masks"], each["boxes"], size) > 0.5 for each, size in zip(found, images.image_sizes)]
    return sum(len(each) for each in masks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--config", type=pathlib.Path, default=ROOT / "configs/cpu_small.yaml")
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--peer-precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--detect", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    classes = len(peer.Part(options.data / "train", options.data / "annotations/instances_train.json").categories) + 1
    model = peer.make_model(classes)
    batches, _ = make_batches(model, options.data, options.rounds)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    with tempfile.TemporaryDirectory() as name:
        save(pathlib.Path(name), model, batches)
        ours = subprocess.Popen([options.build / "bin/model_step", name, options.config, str(options.threads), options.precision],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        model.train(not options.detect)
        rows = []
        for number, (images, targets) in enumerate(batches):
            begin, cpu_begin = time.perf_counter(), time.process_time()
            if options.detect:
                peer_result = detect(model, images, options.peer_precision)
            else:
                peer_result = train_step(model, optimizer, images, targets, options.peer_precision)
            theirs, their_cpu = time.perf_counter() - begin, time.process_time() - cpu_begin
            ours.stdin.write(f"{'detect' if options.detect else 'train'} {number}\n")
            ours.stdin.flush()
            seconds, cpu, result = (float(x) for x in ours.stdout.readline().split())
            rows.append((seconds, theirs, their_cpu / cpu))
            print(f"{number:3d}  lockstep {seconds:.4f} s ({result:.4g})   torchvision {theirs:.4f} s ({peer_result:.4g})", flush=True)
        ours.stdin.close()
        ours.wait()
    rows = rows[2:]  # the first ones warm up
    ratio = statistics.median(theirs / seconds for seconds, theirs, _ in rows)
    print(f"median: lockstep {statistics.median(r[0] for r in rows):.4f} s, torchvision {statistics.median(r[1] for r in rows):.4f} s; "
          f"lockstep is {ratio:.2f} times as fast, {statistics.median(r[2] for r in rows):.2f} times by processor seconds")


if __name__ == "__main__":
    main()
