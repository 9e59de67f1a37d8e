"""Our model's training step and detection on a GPU beside torchvision's, in turn on the same batches.

usage: gpu_step.py COCO_FOLDER --program build/gpu_check/bin/gpu_step [--batch 2 8 16] [--steps 20] [--json OUT]

COCO_FOLDER holds train2017/ and annotations/instances_train2017.json. Mask R-CNN R50-FPN of 91 classes, frozen norms, stem and
first stage, images resized to 800/1333 px and masks beside the device beforehand on both sides; SGD. Prints medians of images/s,
and the most memory in use. Precisions: float32 with TF32, bfloat16 autocast (torchvision's in channels_last, the faster of its
two). What only Python's torch counts is torchvision's number of waits for the device in a step.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time
import warnings

import numpy as np
import torch
import torchvision
from PIL import Image, ImageDraw
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.ops.misc import FrozenBatchNorm2d

CLASSES = 91
WARM_UP = 5


class Tensors(torch.nn.Module):
    """Named tensors in a file that C++ reads."""

    def __init__(self, tensors):
        super().__init__()
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor.contiguous())

    def forward(self):
        return None


def drawn(polygons, width, height):
    mask = Image.new("L", (width, height))
    for polygon in polygons:
        ImageDraw.Draw(mask).polygon(polygon, fill=1)
    return np.array(mask)


def load_images(folder, count):
    """(image [3,H,W] in 0 … 1, target) of images with objects, as torchvision's model wants them."""
    truth = json.loads((folder / "annotations/instances_train2017.json").read_text())
    objects = {}
    for entry in truth["annotations"]:
        if not entry["iscrowd"] and min(entry["bbox"][2:]) > 1:
            objects.setdefault(entry["image_id"], []).append(entry)
    loaded = []
    for info in sorted(truth["images"], key=lambda image: image["id"]):
        own = objects.get(info["id"])
        if not own or len(loaded) == count:
            continue
        pixels = np.array(Image.open(folder / "train2017" / info["file_name"]).convert("RGB"))
        masks = np.stack([drawn(entry["segmentation"], info["width"], info["height"]) for entry in own])
        boxes = [[x, y, x + w, y + h] for x, y, w, h in (entry["bbox"] for entry in own)]
        loaded.append((torch.from_numpy(pixels).permute(2, 0, 1).float() / 255,
                       {"boxes": torch.tensor(boxes, dtype=torch.float32),
                        "labels": torch.tensor([entry["category_id"] for entry in own]), "masks": torch.from_numpy(masks)}))
    return loaded


def make_model():
    backbone = resnet_fpn_backbone(backbone_name="resnet50", weights=None, norm_layer=FrozenBatchNorm2d, trainable_layers=3)
    return MaskRCNN(backbone, CLASSES)


def write_batch(file, images, targets):
    content = {"images": images.tensors, "sizes": torch.tensor(images.image_sizes)}
    for i, target in enumerate(targets):
        content.update({f"boxes_{i}": target["boxes"], f"classes_{i}": target["labels"], f"masks_{i}": target["masks"]})
    torch.jit.script(Tensors(content)).save(file)


class Peer:
    """torchvision on one precision."""

    def __init__(self, precision, device):
        torch.manual_seed(0)
        self.device, self.isHalf = device, precision == "bfloat16"
        self.model = make_model().to(device)
        if self.isHalf:
            self.model = self.model.to(memory_format=torch.channels_last)
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.SGD(trained, lr=1e-4, momentum=0.9, weight_decay=1e-4, fused=True)

    def _autocast(self):
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.isHalf)

    def train(self, images, targets):
        self.model.train()
        with self._autocast():
            features = self.model.backbone(images.tensors)
            proposals, of_rpn = self.model.rpn(images, features, targets)
            _, of_heads = self.model.roi_heads(features, proposals, images.image_sizes, targets)
            loss = sum([*of_rpn.values(), *of_heads.values()])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def detect(self, images, _):
        self.model.eval()
        with torch.no_grad(), self._autocast():
            features = self.model.backbone(images.tensors)
            proposals, _ = self.model.rpn(images, features)
            self.model.roi_heads(features, proposals, images.image_sizes)

    def seconds(self, what, images, targets, count):
        times = []
        for _ in range(count):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            getattr(self, what)(images, targets)
            torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
        return times

    def waits(self, images, targets):
        torch.cuda.set_sync_debug_mode("warn")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.train(images, targets)
        torch.cuda.set_sync_debug_mode("default")
        return len(caught)


class Ours:
    def __init__(self, program, precision, where="cuda"):
        self.process = subprocess.Popen([program, str(CLASSES), precision, where], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            raise RuntimeError(f"gpu_step ended at '{line}', exit status {self.process.wait()}")
        return [float(word) for word in answer]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(options, precision, batch, prepared, file):
    """Images/s, memory and waits of both, in turn: ours, theirs, ours, theirs."""
    images, targets = prepared
    row = {"precision": precision, "batch": batch, "device": torch.cuda.get_device_name()}
    for what in ["train", "detect"]:
        ours, theirs = Ours(options.program, precision), Peer(precision, torch.device("cuda"))
        torch.cuda.reset_peak_memory_stats()
        own_times, peer_times = [], []
        ours.ask(f"{what} {file} {WARM_UP}")
        ours.ask("memory")
        theirs.seconds(what, images, targets, WARM_UP)
        for _ in range(2):
            own_times += ours.ask(f"{what} {file} {options.steps // 2}")
            peer_times += theirs.seconds(what, images, targets, options.steps // 2)
        row[f"{what}_images_per_s"] = round(batch / statistics.median(own_times), 1)
        row[f"{what}_torchvision"] = round(batch / statistics.median(peer_times), 1)
        row[f"{what}_times"] = round(statistics.median(peer_times) / statistics.median(own_times), 2)
        row[f"{what}_GiB"] = round(ours.ask("memory")[0] / 2**30, 2)
        row[f"{what}_torchvision_GiB"] = round(torch.cuda.max_memory_allocated() / 2**30, 2)
        if what == "train":
            row["torchvision_waits"] = theirs.waits(images, targets)
        ours.close()
        if what == "train":  # the same as CUDA graphs
            recorded = Ours(options.program, precision, "recorded")
            recorded.ask(f"train {file} {WARM_UP}")
            recorded.ask("memory")
            times = recorded.ask(f"train {file} {options.steps}")
            row["train_recorded_images_per_s"] = round(batch / statistics.median(times), 1)
            row["train_recorded_GiB"] = round(recorded.ask("memory")[0] / 2**30, 2)
            recorded.close()
        del theirs
        torch.cuda.empty_cache()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--batch", type=int, nargs="+", default=[2, 8, 16])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    loaded = load_images(options.data, max(options.batch))
    transform = make_model().transform
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for batch in options.batch:
            some = [loaded[i % len(loaded)] for i in range(batch)]
            images, targets = transform([image for image, _ in some], [dict(target) for _, target in some])
            file = pathlib.Path(folder) / f"batch-{batch}.pt"
            write_batch(str(file), images, targets)
            images.tensors = images.tensors.cuda()
            targets = [{name: tensor.cuda() for name, tensor in target.items()} for target in targets]
            for precision in ["float32", "bfloat16"]:
                rows.append(measure(options, precision, batch, (images, targets), file))
                print(json.dumps(rows[-1]), flush=True)
                if options.json:
                    options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
