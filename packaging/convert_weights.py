#!/usr/bin/env python3
"""Converts weights between torchvision's .pth and the .safetensors that Lockstep reads and writes.

    .venv/bin/python packaging/convert_weights.py maskrcnn_resnet50_fpn_coco-bf2d0c1e.pth coco.safetensors
    .venv/bin/python packaging/convert_weights.py resnet18-f37072fd.pth resnet18.safetensors
    .venv/bin/python packaging/convert_weights.py RUN/checkpoints/step-00000400/model.safetensors trained.pth

The suffixes give the direction. A .pth holds the state_dict of a Mask R-CNN with a ResNet-FPN backbone, or of a ResNet,
with torchvision's names; every tensor keeps its name, type and bits. Nothing in a pickle is executed: a file with anything
other than tensors is rejected. OUT is written atomically and replaces an existing file.

torchvision's COCO_V1 weights were trained with a norm epsilon of 0, which no tensor shows. The file is recognized by its
checksum and the epsilon written to the metadata, where evaluate and predict read it. An experiment that trains from it must
set `model: {norm_epsilon: 0}`. For your own weights, set the epsilon that FrozenBatchNorm2d had (1e-5 is the default of both
torchvision and Lockstep).

Exit status: 0 done; 1 the content is not such weights, or a disk error; 2 the command line is wrong."""

import argparse
import hashlib
import os
import pathlib
import re
import sys
import warnings

try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import save_file
except ImportError as missing:
    print(f"convert_weights.py: {missing}; run packaging/setup.sh --dev, then use .venv/bin/python", file=sys.stderr)
    sys.exit(2)

FAILED, WRONG_USE = 1, 2
COCO_V1_SHA256 = "bf2d0c1e"  # its first digits, which torchvision puts into the file name
SAVE_THE_STATE_DICT = "save model.state_dict() in the program that made it"

KIND = r"\.(weight|bias|running_mean|running_var|num_batches_tracked)"
BODY = r"(conv1|bn1|layer[1-4]\.\d+\.(conv[1-3]|bn[1-3]|downsample\.[01]))" + KIND
RESNET = re.compile(rf"{BODY}|fc\.(weight|bias)")
MASK_RCNN = re.compile(rf"backbone\.body\.{BODY}|(backbone\.fpn\.(inner|layer)_blocks\.\d+(\.0)?|"
                       r"rpn\.head\.(conv(\.0\.0)?|cls_logits|bbox_pred)|"
                       r"roi_heads\.(box_head\.fc[67]|box_predictor\.(cls_score|bbox_pred)|mask_head\.(mask_fcn\d|\d+\.0)|"
                       r"mask_predictor\.(conv5_mask|mask_fcn_logits)))\.(weight|bias)")
SECOND = re.compile(r"backbone\.fpn\.\w+_blocks\.\d+\.1\.|roi_heads\.box_head\.\d")  # only torchvision's v2 has these
CLASS_SCORES = "roi_heads.box_predictor.cls_score.weight"
NEEDED = {
    RESNET: ("conv1.weight", "bn1.weight", "layer1.0.conv1.weight", "layer4.0.conv1.weight"),
    MASK_RCNN: ("backbone.body.conv1.weight", "backbone.body.layer4.0.conv1.weight", "rpn.head.cls_logits.weight", CLASS_SCORES,
                "roi_heads.mask_predictor.mask_fcn_logits.weight"),
}
# Other projects, by the prefix of a tensor's name.
FOREIGN = {"backbone.bottom_up.": "Detectron2", "proposal_generator.": "Detectron2", "rpn_head.": "MMDetection",
           "roi_head.": "MMDetection"}
TYPES = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
         torch.uint8, torch.bool}


class Refused(Exception):
    def __init__(self, reason, status=FAILED):
        super().__init__(reason)
        self.status = status


def first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def read_pth(path):
    """The content of the file, if it consists of tensors, containers and numbers only."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror or error}", WRONG_USE) from error
    except Exception as error:  # damaged files cause many kinds of errors in the unpickler
        objects = re.search(r"GLOBAL (\S+)", str(error))
        if objects:
            raise Refused(f"holds objects or code ({objects[1]}), of which nothing was executed: {SAVE_THE_STATE_DICT}") from error
        if "TorchScript" in str(error):
            raise Refused(f"is a TorchScript program: {SAVE_THE_STATE_DICT}") from error
        raise Refused(f"is damaged or no PyTorch file: {first_line(error)}") from error


def read_safetensors(path):
    try:
        with safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror or error}", WRONG_USE) from error
    except Exception as error:
        raise Refused(f"is damaged or no safetensors file: {first_line(error)}") from error


def foreign_project(names):
    return next((project for name in names if isinstance(name, str)
                 for start, project in FOREIGN.items() if name.startswith(start)), None)


def refuse_other_containers(content, path):
    if not isinstance(content, dict):
        raise Refused(f"holds a {type(content).__name__}, not a state_dict: {SAVE_THE_STATE_DICT}")
    if not content:
        raise Refused("holds no tensors")
    for key, value in content.items():
        if not isinstance(value, dict) or not any(isinstance(each, torch.Tensor) for each in value.values()):
            continue
        refuse_other_projects(value)
        if not all(isinstance(each, torch.Tensor) for each in value.values()):
            continue
        raise Refused(f"is a training checkpoint, its weights are under {key!r}; take them out: python -c \"import torch; "
                      f"torch.save(torch.load('{path}', weights_only=True)[{key!r}], 'weights.pth')\"")
    for key, value in content.items():
        if not isinstance(key, str) or not isinstance(value, torch.Tensor):
            raise Refused(f"holds a {type(value).__name__} under {key!r} and not only tensors: {SAVE_THE_STATE_DICT}")


def refuse_other_projects(names):
    project = foreign_project(names)
    if project:
        raise Refused(f"has the layers of {project}, which compute something else than torchvision's Mask R-CNN and cannot be "
                      "renamed; start from weights of torchvision")


def layout_of(names):
    """RESNET or MASK_RCNN; raises Refused if a name is of neither."""
    refuse_other_projects(names)
    layout = RESNET if "conv1.weight" in names else MASK_RCNN
    unknown = next((name for name in names if not layout.fullmatch(name)), None)
    if any(SECOND.match(name) for name in names):
        raise Refused("is torchvision's maskrcnn_resnet50_fpn_v2, whose FPN and heads have norms and more convolutions; "
                      "take maskrcnn_resnet50_fpn or a ResNet")
    for wrapper in ("module.", "_orig_mod.", "model."):
        if unknown and all(name.startswith(wrapper) for name in names):
            raise Refused(f"has names that begin with {wrapper!r}: save the state_dict of the model inside, not of what wraps it")
    missing = next((name for name in NEEDED[layout] if name not in names), None)
    if unknown or missing:
        raise Refused("is neither a Mask R-CNN with a ResNet-FPN backbone nor a ResNet under torchvision's names: "
                      + (f"unknown name {unknown!r}" if unknown else f"no {missing!r}"))
    return layout


def refuse_other_tensors(tensors):
    for name, tensor in tensors.items():
        if tensor.is_meta or tensor.layout != torch.strided or tensor.dtype not in TYPES:
            kind = "without data" if tensor.is_meta else f"{tensor.dtype} {tensor.layout}".replace("torch.", "")
            raise Refused(f"tensor {name!r} is {kind}, which Lockstep does not read: save it as dense float32")
        if tensor.untyped_storage().nbytes() < tensor.nbytes:
            raise Refused(f"tensor {name!r} claims {tensor.nbytes} bytes and has fewer: {SAVE_THE_STATE_DICT}")


def metadata_of(path):
    """Metadata for a .safetensors, with the norm epsilon of a known file."""
    with open(path, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    known = {"norm": "frozen_batch", "norm_epsilon": "0.0"} if checksum.startswith(COCO_V1_SHA256) else {}
    return {"format": "pt", **known}


def write_atomically(path, write):
    """Lets write(PATH) write a file beside `path`, then renames it to `path`."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        write(partial)
        with open(partial, "rb") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except Exception as error:
        raise Refused(f"{path} cannot be written: {first_line(error)}") from error
    finally:
        partial.unlink(missing_ok=True)


def check_paths(source, target):
    if {source.suffix, target.suffix} != {".pth", ".safetensors"}:
        raise Refused("one of IN and OUT must end in .pth, the other in .safetensors", WRONG_USE)
    if not source.is_file():
        raise Refused("is not a file" if source.exists() else "does not exist", WRONG_USE)
    if not target.parent.is_dir() or not os.access(target.parent, os.W_OK) or target.is_dir():
        raise Refused(f"{target} cannot be written: it is a folder, or its folder does not exist or is not writable", WRONG_USE)


def convert(source, target):
    """Converts `source` to `target`. Returns a summary."""
    check_paths(source, target)
    if source.suffix == ".pth":
        content, metadata = read_pth(source), metadata_of(source)
        refuse_other_containers(content, source)
    else:
        content, metadata = read_safetensors(source)
    layout = layout_of(content.keys())
    refuse_other_tensors(content)
    # Copies, because tensors of a state_dict may share memory or be views.
    tensors = {name: tensor.detach().contiguous().clone() for name, tensor in content.items()}
    model = "a ResNet" if layout is RESNET else f"a Mask R-CNN of {len(tensors[CLASS_SCORES])} classes with background"
    summary = f"{target}: {len(tensors)} tensors of {model}"
    if target.suffix == ".safetensors":
        write_atomically(target, lambda path: save_file(tensors, path, metadata))
        return summary + ("; COCO_V1: norm_epsilon 0 is in its metadata" if "norm_epsilon" in metadata else "")
    write_atomically(target, lambda path: torch.save(tensors, path))
    dropped = sorted(metadata.keys() - {"format"})
    return summary + (f"; dropped its metadata, which a .pth cannot hold ({', '.join(dropped)})" if dropped else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="IN", type=pathlib.Path)
    parser.add_argument("target", metavar="OUT", type=pathlib.Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    try:
        print(convert(options.source, options.target), file=sys.stderr)
        return 0
    except Refused as refusal:
        print(f"convert_weights.py: {options.source}: {refusal}", file=sys.stderr)
        return refusal.status
    except (MemoryError, RuntimeError) as error:
        print(f"convert_weights.py: {options.source}: {first_line(error)}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
