"""What a training step would take on an H200, ours and torchvision's, from the operators of real steps on this CPU: an estimate.

usage: roofline.py [--batch 8] [--size 800x1344] [--objects 20] [--program build/bin/roofline_step]

Mask R-CNN R50-FPN of 91 classes in bfloat16, frozen norms, stem and first stage, SGD, images and masks beside the device
beforehand: the steps that gpu_step.py times. Both run here at the size, with one image and with two; every sum of a step grows by
the same with each further image, so these two tell the batch. Ours runs in tensors of fixed size as on a GPU. roofline_work.py
has the work of each operator, LIMITS below what the device is taken to do. A step takes as long as the device or the host,
whichever takes longer, and the waits. Takes minutes and 5 GB.
"""
import argparse
import collections
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest.mock

import torch
import torchvision
from safetensors.torch import save_file
from torch.utils._python_dispatch import TorchDispatchMode
from torchvision.models.detection.image_list import ImageList

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from gpu_step import CLASSES, make_model  # noqa: E402
from roofline_work import CONVOLUTIONS, GROUPS, PRODUCTS, UNKNOWN, Operator, Tensor, is_free, tensors, work_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

# {name: (value, words)}. The first three are NVIDIA's for an H200 SXM, the others assumptions.
LIMITS = {
    "tensor": (989e12, "FLOP/s of the tensor cores, bfloat16, dense"),
    "other": (67e12, "FLOP/s of the other units, float32"),
    "memory": (4.8e12, "bytes/s of memory"),
    "convolutions": (0.50, "of the tensor cores' FLOP/s in convolutions"),
    "products": (0.60, "of the tensor cores' FLOP/s in products of matrices"),
    "stream": (0.80, "of the memory's bytes/s in any kernel"),
    "cache": (5.5e12, "bytes/s of the second-level cache"),
    "step": (0.6e-6, "s for a memory access that waits for the one before"),
    "eager": (2.5e-6, "s that a kernel takes beside its work, started one by one"),
    "recorded": (1.2e-6, "s that it takes within a CUDA graph"),
    "c++": (5e-6, "s of the host for an operator, from C++"),
    "python": (10e-6, "s of the host for an operator, from Python"),
    "wait": (20e-6, "s that the device stands still when the host waits for it"),
}


def limit(name):
    return LIMITS[name][0]


# Steps

def make_batch(count, height, width, objects, seed=0):
    """Noise with elliptic objects: (images, targets) as input of torchvision's model."""
    generator = torch.Generator().manual_seed(seed)
    extent = torch.tensor([width, height])
    y, x = torch.arange(height).view(1, -1, 1), torch.arange(width).view(1, 1, -1)
    targets = []
    for _ in range(count):
        upper = torch.rand(objects, 2, generator=generator) * extent * 0.6
        sides = 8 + torch.rand(objects, 2, generator=generator).square() * (extent - upper - 8)
        middle, half = (upper + sides / 2).view(-1, 2, 1, 1), (sides / 2).view(-1, 2, 1, 1)
        masks = ((x - middle[:, 0]) / half[:, 0]).square() + ((y - middle[:, 1]) / half[:, 1]).square() <= 1
        targets.append({"boxes": torch.cat([upper, upper + sides], 1), "masks": masks.to(torch.uint8),
                        "labels": torch.randint(1, CLASSES, (objects,), generator=generator)})
    pixels = torch.randn(count, 3, height, width, generator=generator)
    return ImageList(pixels, [(height, width)] * count), targets


TYPES = {torch.float64: "Double", torch.int64: "Long", torch.float32: "Float", torch.int32: "Int", torch.float16: "Half",
         torch.bfloat16: "BFloat16", torch.int16: "Short", torch.uint8: "Byte", torch.int8: "Char", torch.bool: "Bool"}


def described(value):
    """A tensor or a list of them by type and shape, numbers as they are."""
    if isinstance(value, torch.Tensor):
        stored = 1
        for length, stride in zip(value.shape, value.stride()):
            stored *= length if stride else 1
        return Tensor(TYPES[value.dtype], tuple(value.shape), stored, value.is_contiguous())
    if isinstance(value, (list, tuple)):
        return [described(each) for each in value]
    return value if isinstance(value, (int, float)) else None


class Recording(TorchDispatchMode):
    """The operators that run inside of it, those of the backward pass without Python."""

    def __init__(self):
        super().__init__()
        self.operators = []

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        named = named or {}
        result = function(*arguments, **named)
        name = function.name().partition(".")[0]
        if not is_free(name):
            by_name = function._schema.arguments[len(arguments):]
            inputs = [*arguments, *(named[each.name] for each in by_name if each.name in named)]
            outputs = result if isinstance(result, (list, tuple)) else [result]
            is_backward = torch._C._current_graph_task_id() >= 0
            self.operators.append(Operator(name, described(inputs), described(outputs), is_python=not is_backward))
        return result


class Peer:
    """torchvision's step: bfloat16 autocast, channels_last."""

    def __init__(self):
        torch.manual_seed(0)
        self.model = make_model().to(memory_format=torch.channels_last).train()
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.SGD(trained, lr=1e-4, momentum=0.9, weight_decay=1e-4, fused=True)

    def train(self, images, targets):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            features = self.model.backbone(images.tensors)
            proposals, of_rpn = self.model.rpn(images, features, targets)
            _, of_heads = self.model.roi_heads(features, proposals, images.image_sizes, targets)
            loss = sum([*of_rpn.values(), *of_heads.values()])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def peer_operators(peer, batch):
    """The operators of torchvision's step. NMS of all levels in one call, as on a GPU."""
    with Recording() as recording, unittest.mock.patch.object(
            torchvision.ops.boxes, "_batched_nms_vanilla", torchvision.ops.boxes._batched_nms_coordinate_trick):
        peer.train(*batch)
    return recording.operators


def write_batch(file, images, targets):
    content = {"images": images.tensors, "sizes": torch.tensor(images.image_sizes)}
    for i, target in enumerate(targets):
        content.update({f"boxes_{i}": target["boxes"], f"classes_{i}": target["labels"], f"masks_{i}": target["masks"]})
    save_file({name: tensor.contiguous() for name, tensor in content.items()}, file)


def own_operators(program, batches):
    """The operators of a step on each batch."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/batch-{i}.safetensors" for i in range(len(batches))]
        for file, batch in zip(files, batches):
            write_batch(file, *batch)
        lines = subprocess.run([program, str(CLASSES), *files], check=True, capture_output=True, text=True).stdout.splitlines()
    steps = collections.defaultdict(list)
    for line in lines:
        entry = json.loads(line)
        steps[entry["step"]].append(entry)
    return [as_device_runs(innermost(steps[i])) for i in range(len(batches))]


def parsed(value):
    if isinstance(value, dict):
        return Tensor(value["type"], tuple(value["shape"]), value["stored"])
    return [parsed(each) for each in value] if isinstance(value, list) else value


def innermost(entries):
    """The operators of a step that count: ours, and of LibTorch's those that a rule knows or that run no others. What ours call
    on a CPU does not, nor the autograd nodes that this makes, but for operators of ours in these."""
    made = [range(*entry["nodes"]) for entry in entries if "nodes" in entry and entry["nodes"][0] < entry["nodes"][1]]
    begin = next(entry["nodes"][0] for entry in entries if entry["name"] == "lockstep::best_of_segments")
    operators, above, is_before = [], [], True  # above: (is inside a counted one, node) of every depth
    for i, entry in enumerate(entries):
        del above[entry["depth"]:]
        is_inside, node = above[-1] if above else (False, None)
        node = entry.get("node", node)
        is_before = is_before and entry["name"] != "lockstep::best_of_segments"
        is_ours = entry["name"].startswith("lockstep::")
        has_others = i + 1 < len(entries) and entries[i + 1]["depth"] > entry["depth"]
        operator = Operator(entry["name"], parsed(entry["inputs"]), parsed(entry["outputs"]))
        counts = (not is_inside and "node" not in entry and not is_free(operator.name)
                  and (is_ours or not any(node in nodes for nodes in made if node is not None))
                  and (work_of(operator)[0] != UNKNOWN or is_ours or not has_others))
        above.append((is_inside or counts, node))
        if counts:
            # The captured function is all before the proposals, and the autograd nodes of that.
            operator.is_captured = is_before if node is None else node < begin
            operators.append(operator)
    return operators


def as_device_runs(operators):
    """What our code does otherwise on a GPU: `epilogue` adds the bias of the convolution before it, and the norm of the gradients
    is an operator."""
    result = []
    for operator, following in zip(operators, [*operators[1:], None]):
        if operator.name == "aten::convolution" and following is not None and following.name == "lockstep::epilogue":
            operator.inputs[2] = None
        if operator.name == "aten::_fused_sgd_":
            result.append(Operator("aten::_foreach_norm", [operator.inputs[1]], []))
        result.append(operator)
    return result


# Time

def seconds(group, work):
    """Device time, without the overhead per kernel."""
    reached = limit("products" if group == PRODUCTS else "convolutions")
    return work.steps * limit("step") + max(work.products / (limit("tensor") * reached), work.operations / limit("other"),
                                            work.bytes / (limit("memory") * limit("stream")), work.cache_bytes / limit("cache"))


@dataclasses.dataclass
class Sums:
    """Totals of one kind of operator in a step."""
    flop: float = 0
    bytes: float = 0
    kernels: float = 0
    captured_kernels: float = 0
    operators: float = 0
    host_seconds: float = 0
    waits: float = 0
    seconds: float = 0

    def __add__(self, other):
        return Sums(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    def at(self, batch, two):
        """Extrapolates to a batch, where self is of one image and `two` of two."""
        return Sums(*(a + (batch - 1) * (b - a) for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(two))))


def sums_of(operators):
    """{(group, name): Sums}"""
    sums = collections.defaultdict(Sums)
    for operator in operators:
        group, work = work_of(operator)
        host = limit("python" if operator.is_python else "c++")
        sums[group, operator.name] += Sums(work.products + work.operations, work.bytes, work.kernels,
                                           work.kernels * operator.is_captured, 1, host, work.waits, seconds(group, work))
    return sums


def at_batch(batch, one, two):
    return {key: one[key].at(batch, two[key]) for key in [*one, *(key for key in two if key not in one)]}


@dataclasses.dataclass
class Step:
    """Milliseconds of a step, in total and by group."""
    groups: dict  # group: Sums
    device: float
    gaps: float
    host: float
    waits: float

    @property
    def total(self):
        return max(self.device + self.gaps, self.host) + self.waits


def step_of(sums, is_captured=False):
    groups = collections.defaultdict(Sums)
    for (group, _), each in sums.items():
        groups[group] += each
    total = sum(groups.values(), Sums())
    captured = total.captured_kernels if is_captured else 0
    gaps = (total.kernels - captured) * limit("eager") + captured * limit("recorded")
    host = total.host_seconds * (1 - captured / total.kernels)
    return Step(groups, 1e3 * total.seconds, 1e3 * gaps, 1e3 * host, 1e3 * total.waits * limit("wait"))


# Table

def row(name, cells):
    return f"{name:34}" + "".join(f"{cell:>10}" for cell in cells)


def cells_of(sums):
    return [f"{sums.flop / 1e12:.3f}", f"{sums.bytes / 1e9:.2f}", f"{sums.kernels:.0f}", f"{1e3 * sums.seconds:.2f}"]


def print_table(own, peer, own_captured):
    head = ["TFLOP", "GB", "kernels", "ms"]
    print(row("", ["Lockstep", "", "", "", "torchvision"]))
    print(row("", head + head))
    for group in GROUPS:
        if group != UNKNOWN or own.groups[group].operators or peer.groups[group].operators:
            print(row(group, cells_of(own.groups[group]) + cells_of(peer.groups[group])))
    for name, field in [("beside kernels' work", "gaps"), ("the host's waits", "waits"), ("(the host's own time)", "host"),
                        ("a step", "total")]:
        print(row(name, ["", "", "", f"{getattr(own, field):.2f}", "", "", "", f"{getattr(peer, field):.2f}"]))
    print(row("a step, partly captured as graphs", ["", "", "", f"{own_captured.total:.2f}"]))


def print_largest(name, sums, count=12):
    print(f"\n{name}, its largest operators:")
    for (group, operator), each in sorted(sums.items(), key=lambda item: -item[1].seconds)[:count]:
        print(f"  {1e3 * each.seconds:7.2f} ms  {each.operators:6.0f} x {operator:44} {each.bytes / 1e9:8.2f} GB  {group}")


def mask_rows(operators):
    """Rows that go through the mask head's convolutions, of 14 x 14 pixels."""
    return max((tensor.shape[0] for operator in operators for tensor in tensors(operator.inputs)
                if operator.name == "aten::convolution" and tensor.shape[2:] == (14, 14)), default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", default="800x1344", help="height x width, multiples of 32")
    parser.add_argument("--objects", type=int, default=20, help="of an image")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bin/roofline_step")
    options = parser.parse_args()
    height, width = (int(side) for side in options.size.split("x"))
    batches = [make_batch(count, height, width, options.objects) for count in (1, 2)]
    own_steps = own_operators(options.program, batches)
    peer = Peer()
    peer.train(*batches[0])  # the first makes what lasts
    peer_steps = [peer_operators(peer, batch) for batch in batches]
    own_sums, peer_sums = (at_batch(options.batch, *map(sums_of, steps)) for steps in (own_steps, peer_steps))
    own, captured, theirs = step_of(own_sums), step_of(own_sums, is_captured=True), step_of(peer_sums)
    print(f"A training step of Mask R-CNN R50-FPN, batch {options.batch}, {height} x {width}, bfloat16, on an H200: an estimate "
          f"from the operators of a CPU's steps.\nNothing of it was timed. {mask_rows(own_steps[0])} rows of masks an image in "
          f"Lockstep, {mask_rows(peer_steps[0])} in torchvision.\n")
    print_table(own, theirs, captured)
    images = 1e3 * options.batch
    print(f"\ntorchvision / Lockstep: {theirs.total / own.total:.2f}, with graphs {theirs.total / captured.total:.2f}; images/s: "
          f"{images / own.total:.0f}, with graphs {images / captured.total:.0f}, torchvision {images / theirs.total:.0f}")
    print_largest("Lockstep", own_sums)
    print_largest("torchvision", peer_sums)
    print("\nAssumed limits of the device: the first three are NVIDIA's, the others are assumptions.")
    for value, words in LIMITS.values():
        print(f"  {value:9.3g} {words}")
    for name, sums in [("Lockstep", own_sums), ("torchvision", peer_sums)]:
        unknown = [f"{operator} ({each.operators:.0f})" for (group, operator), each in sums.items() if group == UNKNOWN]
        print(f"operators without a rule, {name}: {', '.join(unknown) or 'none'}")


if __name__ == "__main__":
    main()
