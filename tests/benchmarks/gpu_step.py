"""Our model's training step and detection on a GPU beside torchvision's, in turn on the same batches.

usage: gpu_step.py --program build/gpu_check/programs/bin/gpu_step [--data COCO_FOLDER] [--batch 2 8 16] [--steps 20]
                   [--seconds N] [--json OUT] [--kernels FOLDER] [--try]

Mask R-CNN R50-FPN of 91 classes, frozen norms, stem and first stage, SGD; images and masks are beside the device beforehand on
both sides. Pictures are made: noise of 800 x 1344 px, a batch of landscape and one of portrait, with as many and as large objects
as COCO's; COCO_FOLDER (train2017/ and annotations/instances_train2017.json; needs torchvision and Pillow) has real ones, resized
to 800/1333 px. Ours runs plain, captured as CUDA graphs, and with compact rows (of the heads only those that are there, for whose
number the host waits); torchvision's bfloat16 is autocast in channels_last, the faster of its two; float32 is with TF32. Without
torchvision ours runs alone. Prints medians of images/s and the most memory in use, and the waits for the device in a step that
LibTorch knows of, torchvision's. --kernels: also writes FOLDER/{plain,torchvision}-PRECISION-BATCH.txt, the kernels of three
training steps: milliseconds, count and name. --seconds: begins nothing new then. --try: one small step of each on the CPU, untimed.
"""
import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore", message="Failed to initialize NumPy")

import torch

try:
    import torchvision
    from torchvision.models.detection import MaskRCNN
    from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
    from torchvision.models.detection.image_list import ImageList
    from torchvision.ops.misc import FrozenBatchNorm2d
except ImportError as error:
    torchvision, missing = None, error

CLASSES = 91
WARM_UP = 4
MODES = {"plain": ("cuda", "fixed"), "recorded": ("recorded", "fixed"), "compact": ("cuda", "compact")}
# COCO's train2017: 7.3 objects per image; histogram of sides (square root of the area, px in images of 480 x 640).
MEAN_OBJECTS = 7.3
SIDES = [(0.41, 8, 32), (0.34, 32, 96), (0.25, 96, 400)]
COCO_HEIGHT = 480


class Tensors(torch.nn.Module):
    """Named tensors in a file that C++ reads."""

    def __init__(self, tensors):
        super().__init__()
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor.contiguous())

    def forward(self):
        return None


class Batch:
    """Images [N,3,H,W], normalised, as a file for ours and as tensors on the device for torchvision."""

    def __init__(self, file, images, sizes, targets, device):
        self.file, self.count = str(file), len(sizes)
        content = {"images": images, "sizes": torch.tensor(sizes)}
        for i, target in enumerate(targets):
            content.update({f"boxes_{i}": target["boxes"], f"classes_{i}": target["labels"], f"masks_{i}": target["masks"]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.jit.script(Tensors(content)).save(self.file)
        self.sizes = [tuple(size) for size in sizes]
        self.images = images.to(device)
        self.targets = [{name: tensor.to(device) for name, tensor in target.items()} for target in targets]


def made_objects(random_, height, width):
    """Ellipses: about as many and as large as COCO's objects."""
    count = min(1 + int(random_.expovariate(1 / (MEAN_OBJECTS - 0.5))), 60)
    scale = min(height, width) / COCO_HEIGHT
    boxes, masks = [], torch.zeros(count, height, width, dtype=torch.uint8)
    for mask in masks:
        _, low, high = random_.choices(SIDES, [share for share, _, _ in SIDES])[0]
        side = scale * math.exp(random_.uniform(math.log(low), math.log(high)))
        stretch = math.exp(random_.uniform(-0.7, 0.7) / 2)
        # The fraction of its box that an ellipse fills.
        half_width = min(max(side * stretch / math.sqrt(math.pi), 2), (width - 2) / 2)
        half_height = min(max(side / stretch / math.sqrt(math.pi), 2), (height - 2) / 2)
        centre_x = random_.uniform(half_width, width - half_width)
        centre_y = random_.uniform(half_height, height - half_height)
        left, top, right, bottom = centre_x - half_width, centre_y - half_height, centre_x + half_width, centre_y + half_height
        boxes.append([left, top, right, bottom])
        x = (torch.arange(int(left), math.ceil(right)) + 0.5 - centre_x) / half_width
        y = (torch.arange(int(top), math.ceil(bottom)) + 0.5 - centre_y) / half_height
        mask[int(top):math.ceil(bottom), int(left):math.ceil(right)] = x.unsqueeze(0) ** 2 + y.unsqueeze(1) ** 2 <= 1
    return {"boxes": torch.tensor(boxes), "labels": torch.tensor([random_.randint(1, CLASSES - 1) for _ in boxes]),
            "masks": masks}


def made_batches(folder, count, short, long, device):
    """One of landscape, one of portrait."""
    batches = []
    for height, width in [(short, long), (long, short)]:
        random_ = random.Random(count)
        generator = torch.Generator().manual_seed(count)
        batches.append(Batch(folder / f"made-{height}-{count}.pt", torch.randn(count, 3, height, width, generator=generator),
                             [(height, width)] * count, [made_objects(random_, height, width) for _ in range(count)], device))
    return batches


def drawn(polygons, width, height):
    import numpy as np
    from PIL import Image, ImageDraw
    mask = Image.new("L", (width, height))
    for polygon in polygons:
        ImageDraw.Draw(mask).polygon(polygon, fill=1)
    return np.array(mask)


def load_images(folder, count):
    """(image [3,H,W] in 0 … 1, target) of images with objects, as input of torchvision's model."""
    import numpy as np
    from PIL import Image
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


def real_batches(folder, count, data, device):
    loaded = load_images(data, count)
    some = [loaded[i % len(loaded)] for i in range(count)]
    images, targets = make_model().transform([image for image, _ in some], [dict(target) for _, target in some])
    return [Batch(folder / f"real-{count}.pt", images.tensors, images.image_sizes, targets, device)]


def make_model():
    backbone = resnet_fpn_backbone(backbone_name="resnet50", weights=None, norm_layer=FrozenBatchNorm2d, trainable_layers=3)
    return MaskRCNN(backbone, CLASSES)


class Peer:
    """torchvision in one precision."""

    def __init__(self, precision, device):
        torch.manual_seed(0)
        self.device, self.is_half = device, precision == "bfloat16"
        self.model = make_model().to(device)
        if self.is_half:
            self.model = self.model.to(memory_format=torch.channels_last)
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.SGD(trained, lr=1e-4, momentum=0.9, weight_decay=1e-4, fused=True)

    def _autocast(self):
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.is_half)

    def _wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def train(self, batch):
        self.model.train()
        images = ImageList(batch.images, batch.sizes)
        with self._autocast():
            features = self.model.backbone(images.tensors)
            proposals, of_rpn = self.model.rpn(images, features, batch.targets)
            _, of_heads = self.model.roi_heads(features, proposals, images.image_sizes, batch.targets)
            loss = sum([*of_rpn.values(), *of_heads.values()])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def detect(self, batch):
        self.model.eval()
        images = ImageList(batch.images, batch.sizes)
        with torch.no_grad(), self._autocast():
            features = self.model.backbone(images.tensors)
            proposals, _ = self.model.rpn(images, features)
            self.model.roi_heads(features, proposals, images.image_sizes)

    def seconds(self, what, batch, count):
        times = []
        for _ in range(count):
            self._wait()
            begin = time.perf_counter()
            getattr(self, what)(batch)
            self._wait()
            times.append(time.perf_counter() - begin)
        return times

    def bytes(self):
        """Peak memory since the last call."""
        if self.device.type != "cuda":
            return 0
        most = torch.cuda.max_memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        return most

    def waits(self, batch):
        torch.cuda.set_sync_debug_mode("warn")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.train(batch)
        torch.cuda.set_sync_debug_mode("default")
        return len(caught)

    def kernels(self, batch, out):
        """Writes the kernels of three training steps; returns their milliseconds."""
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(3):
                self.train(batch)
            self._wait()
        shares = [(event.self_device_time_total / 1e3, event.count, event.key) for event in profile.key_averages()
                  if event.self_device_time_total]
        out.write_text("".join(f"{milliseconds:.6f}\t{count}\t{name}\n" for milliseconds, count, name in shares))
        return sum(milliseconds for milliseconds, _, _ in shares)

    def close(self):
        del self.model, self.optimizer
        torch.cuda.empty_cache()


class Ours:
    def __init__(self, program, precision, where, rows):
        self.process = subprocess.Popen([program.resolve(), str(CLASSES), precision, where, rows], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split()
        except BrokenPipeError:
            answer = []
        if not answer:
            raise RuntimeError(f"gpu_step ended at '{line}', exit status {self.process.wait()}")
        return [float(word) for word in answer]

    def seconds(self, what, batch, count):
        return self.ask(f"{what} {batch.file} {count}")

    def kernels(self, batch, out):
        return self.ask(f"profile {batch.file} {out}")[0]

    def bytes(self):
        return self.ask("memory")[0]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Runners:
    """Ours in its modes, and torchvision. One that fails is skipped from then on, with its error message."""

    def __init__(self, options, precision, modes, device):
        self.running = {mode: Ours(options.program, precision, *modes[mode]) for mode in modes}
        if torchvision:
            self.running["torchvision"] = Peer(precision, device)
        self.faults = {}

    def ask(self, name, question, *arguments):
        if name not in self.running:
            return None
        try:
            return getattr(self.running[name], question)(*arguments)
        except (RuntimeError, ValueError) as error:  # out of memory, mostly
            self.faults[name] = str(error).splitlines()[0]
            print(f"{name}: {self.faults[name]}", flush=True)
            try:
                self.running.pop(name).close()
            except OSError:
                pass
            return None

    def times(self, what, batches, names, steps):
        """{name: seconds of a step}: in turn, after a warm-up, medians over all batches."""
        for name in names:
            for batch in batches:
                self.ask(name, "seconds", what, batch, WARM_UP)
            self.ask(name, "bytes")
        taken = {name: [] for name in names}
        share = max(steps // (2 * len(batches)), 1)
        for _ in range(2):
            for batch in batches:
                for name in names:
                    taken[name] += self.ask(name, "seconds", what, batch, share) or []
        return {name: statistics.median(times) for name, times in taken.items() if name in self.running and times}

    def close(self):
        for runner in self.running.values():
            runner.close()


def measure(runners, precision, batches, steps):
    """Metrics of one precision and batch size."""
    figures, count = [], batches[0].count
    modes = [name for name in runners.running if name != "torchvision"]
    has_peer = "torchvision" in runners.running

    def add(name, value, unit, peer=None, status="pass"):
        figures.append({"name": f"{name}, {precision}, batch {count}", "value": value, "unit": unit, "peer": peer,
                        "status": status})
        beside = f"  torchvision {peer}" if peer is not None else ""
        print(f"{status:4}  {figures[-1]['name']:46} {value} {unit}{beside}", flush=True)

    def rate(seconds):
        return round(count / seconds, 1) if seconds else None

    def gibibytes(name):
        most = runners.ask(name, "bytes")
        return round(most / 2**30, 2) if most is not None else None

    for what, names in [("train", modes), ("detect", modes[:1])]:
        names = [*names, *(["torchvision"] if has_peer else [])]
        times = runners.times(what, batches, names, steps)
        peer_memory = gibibytes("torchvision")
        for mode in names:
            if mode == "torchvision":
                continue
            if mode not in times:
                add(f"{what}, {mode}", runners.faults.get(mode, "no answer"), "text", status="fail")
                continue
            add(f"{what}, {mode}", rate(times[mode]), "images/s", rate(times.get("torchvision")))
            add(f"{what} memory, {mode}", gibibytes(mode), "GiB", peer_memory)
        if has_peer and "torchvision" in runners.faults:
            add(f"{what}, torchvision", runners.faults["torchvision"], "text", status="skip")
            has_peer = False
        elif what == "train" and has_peer:
            waits = runners.ask("torchvision", "waits", batches[0])
            if waits is not None:
                add("host waits of a step, torchvision", waits, "waits")
    return figures


def try_on_cpu(options):
    """Smoke test on a CPU, without timing."""
    device = torch.device("cpu")
    modes = {"fixed": ("cpu", "fixed"), "compact": ("cpu", "compact")}
    with tempfile.TemporaryDirectory() as folder:
        batches = made_batches(pathlib.Path(folder), 1, 96, 160, device)
        runners = Runners(options, "float32", modes, device)
        for name in list(runners.running):
            for what in ["train", "detect"]:
                for batch in batches:
                    runners.ask(name, "seconds", what, batch, 1)
            word = "FAIL" if name in runners.faults else "ok"
            print(f"{word:4}  {name:32} {runners.faults.get(name, 'steps and detects on the CPU, untimed')}", flush=True)
        runners.close()
    return 1 if runners.faults else 0


def time_on_gpu(options):
    until = time.monotonic() + options.seconds
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    device = torch.device("cuda")
    figures, left_out = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for precision in ["bfloat16", "float32"]:
            runners = Runners(options, precision, MODES, device)
            for count in sorted(options.batch):
                if time.monotonic() > until:
                    left_out.append(f"{precision}, batch {count}")
                    continue
                batches = (real_batches(folder, count, options.data, device) if options.data
                           else made_batches(folder, count, 800, 1344, device))
                figures += measure(runners, precision, batches, options.steps)
                if options.kernels:
                    for name in ("plain", "torchvision"):
                        runners.ask(name, "kernels", batches[0], options.kernels / f"{name}-{precision}-{count}.txt")
                if options.json:
                    options.json.write_text(json.dumps(figures, indent=1))
            runners.close()
    if left_out:
        print(f"skipped for lack of time: {'; '.join(left_out)}")
    return 1 if any(each["status"] == "fail" for each in figures) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--batch", type=int, nargs="+", default=[2, 8, 16])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--kernels", type=pathlib.Path)
    parser.add_argument("--try", dest="is_try", action="store_true")
    options = parser.parse_args()
    if not torchvision:
        print(f"torchvision is not timed beside ours: {missing}", flush=True)
    if options.kernels:
        options.kernels.mkdir(parents=True, exist_ok=True)
    if options.is_try:
        return try_on_cpu(options)
    if not torch.cuda.is_available():
        print("SKIP: no GPU")
        return 77
    if options.data and not torchvision:
        print("SKIP: --data needs torchvision; omit it to use synthetic images")
        return 77
    return time_on_gpu(options)


if __name__ == "__main__":
    sys.exit(main())
