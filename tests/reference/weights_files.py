"""Weights as PyTorch programs leave them, for packaging/convert_weights.py.

usage: weights_files.py make DIR
writes  mask_rcnn.pth, second.pth (v2), resnet18.pth   state_dicts of torchvision, random; the latter also as written.safetensors
        hostile.pth, hostile_old.pth  pickles that make DIR/executed when they are unpickled, in both of PyTorch's formats
        and NAME.pth for every other layout that is refused

usage: weights_files.py resnet18 FILE.pth    torchvision's ResNet-18 alone, random
usage: weights_files.py same FIRST OTHER…    exits 0 when all hold the same names, types, shapes and bits
usage: weights_files.py convert ARGUMENTS    runs the converter once for each list of arguments in this JSON list, in one process,
                                             and prints [{"status", "err"}, …] as JSON
usage: weights_files.py known DIR            exits 0 when the converter takes COCO_V1's checksum from torchvision's own address
                                             and notes the epsilon for a file of that checksum"""

import collections
import contextlib
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import sys

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

CONVERTER = pathlib.Path(__file__).resolve().parents[2] / "packaging/convert_weights.py"


class Hostile:
    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.system, (f"touch {self.folder}/executed",)


def small_resnet():
    """Parameter names of a ResNet, with tensors as small as possible."""
    names = ["conv1.weight", "bn1.weight", "layer1.0.conv1.weight", "layer4.0.conv1.weight"]
    return collections.OrderedDict((name, torch.ones(1)) for name in names)


def refused(folder):
    resnet = small_resnet()
    body = {f"backbone.body.{name}": tensor for name, tensor in resnet.items()}
    box_heads = {"rpn.head.cls_logits.weight": torch.ones(1), "roi_heads.box_predictor.cls_score.weight": torch.ones(2, 1)}
    return {
        "whole_module": torch.nn.Linear(2, 2),
        "checkpoint": {"model": resnet, "optimizer": {"state": {}, "param_groups": []}, "epoch": 3},
        "state_dict_inside": {"meta": {"epoch": 3}, "state_dict": resnet},
        "detectron2": {"model": {"backbone.bottom_up.stem.conv1.weight": torch.ones(1),
                                 "proposal_generator.rpn_head.conv.weight": torch.ones(1)}},
        "mmdetection": {"backbone.conv1.weight": torch.ones(1), "rpn_head.rpn_conv.weight": torch.ones(1)},
        "wrapped": {f"module.{name}": tensor for name, tensor in resnet.items()},
        "with_a_number": resnet | {"epoch": 3},
        "a_list": list(resnet.values()),
        "empty": {},
        "another_network": torch.nn.Sequential(torch.nn.Linear(2, 2)).state_dict(),
        "without_masks": body | box_heads,
        "one_name_more": resnet | {"layer1.0.conv9.weight": torch.ones(1)},
        "complex": resnet | {"bn1.bias": torch.ones(1, dtype=torch.complex64)},
        "sparse": resnet | {"bn1.bias": torch.ones(1).to_sparse()},
        "repeated_memory": resnet | {"bn1.bias": torch.ones(1).expand(10**12)},
    }


def resnet18(path):
    import torchvision

    torch.save(torchvision.models.resnet18(weights=None).state_dict(), path)


def make(folder):
    import torchvision  # here, because it costs every other command seconds

    build = torchvision.models.detection.maskrcnn_resnet50_fpn
    torch.save(build(weights=None, weights_backbone=None).state_dict(), folder / "mask_rcnn.pth")
    second = torchvision.models.detection.maskrcnn_resnet50_fpn_v2
    torch.save(second(weights=None, weights_backbone=None).state_dict(), folder / "second.pth")
    resnet18(folder / "resnet18.pth")
    save_file(torch.load(folder / "resnet18.pth"), folder / "written.safetensors")
    for name, content in refused(folder).items():
        torch.save(content, folder / f"{name}.pth")
    torch.jit.script(torch.nn.Linear(2, 2)).save(folder / "script.pth")
    hostile = small_resnet() | {"bn1.bias": Hostile(folder)}
    torch.save(hostile, folder / "hostile.pth")
    torch.save(hostile, folder / "hostile_old.pth", _use_new_zipfile_serialization=False)
    (folder / "no_file_of_pytorch.pth").write_text("Not Found\n")
    whole = (folder / "resnet18.pth").read_bytes()
    (folder / "cut_off.pth").write_bytes(whole[: len(whole) // 2])
    (folder / "cut_off.safetensors").write_bytes((100).to_bytes(8, "little") + b'{"conv1.weight":')


def read(path):
    return load_file(path) if path.endswith(".safetensors") else torch.load(path, weights_only=True)


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def same(first, *others):
    expected = read(first)
    for path in others:
        found = read(path)
        assert found.keys() == expected.keys(), (path, found.keys() ^ expected.keys())
        for name, tensor in expected.items():
            other = found[name]
            assert tensor.dtype == other.dtype and tensor.shape == other.shape, (path, name)
            assert torch.equal(bits(tensor), bits(other)), (path, name)


def load_converter():
    spec = importlib.util.spec_from_file_location("convert_weights", CONVERTER)
    converter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(converter)
    return converter


def convert(argument_lists):
    converter, results = load_converter(), []
    for arguments in json.loads(argument_lists):
        sys.argv = [str(CONVERTER), *arguments]
        with contextlib.redirect_stderr(io.StringIO()) as err:
            try:
                status = converter.main()
            except SystemExit as end:
                status = end.code
        results.append({"status": status, "err": err.getvalue()})
    print(json.dumps(results))


def known(folder):
    import torchvision

    converter = load_converter()
    address = torchvision.models.detection.MaskRCNN_ResNet50_FPN_Weights.COCO_V1.url
    assert address.endswith(f"-{converter.COCO_V1_SHA256}.pth"), address
    source, target = folder / "resnet18.pth", folder / "known.safetensors"
    for checksum, epsilon in ((hashlib.sha256(source.read_bytes()).hexdigest()[:8], "0.0"), ("00000000", None)):
        converter.COCO_V1_SHA256 = checksum
        converter.convert(source, target)
        with safe_open(target, "pt") as file:
            assert file.metadata().get("norm_epsilon") == epsilon, file.metadata()
            assert file.metadata()["format"] == "pt", file.metadata()


def main():
    command, arguments = sys.argv[1], sys.argv[2:]
    torch.manual_seed(0)
    if command in ("same", "convert"):
        {"same": same, "convert": convert}[command](*arguments)
    else:
        {"make": make, "known": known, "resnet18": resnet18}[command](pathlib.Path(arguments[0]))


if __name__ == "__main__":
    main()
