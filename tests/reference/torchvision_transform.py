"""torchvision's preprocessing for Mask R-CNN: decoding, flips, GeneralizedRCNNTransform with boxes and masks, colour jitter.
usage: torchvision_transform.py CASES.json OUT.safetensors
CASES: {"batches": [{"name", "max_size", "images": [{"file", "min_size", "hflip", "vflip",
        "annotations": [{"bbox", "segmentation"}]}]}], "jitters": [{"name", "file", "brightness", "contrast", "saturation"}]}
OUT: NAME.images [N,3,H,W], NAME.I.boxes, NAME.I.masks; NAME [H,W,3] uint8 of jitters"""
import json
import math
import sys

import numpy as np
import torch
from PIL import Image
from pycocotools import mask as coco_mask
from safetensors.torch import save_file
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.transforms.functional import to_tensor
from torchvision.transforms.v2 import functional as F

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def read(file):
    return Image.open(file).convert("RGB")


def mask_of(segmentation, height, width):
    if isinstance(segmentation, dict):
        return coco_mask.decode(coco_mask.frPyObjects(segmentation, height, width))
    runs = coco_mask.merge(coco_mask.frPyObjects(segmentation, height, width))
    return coco_mask.decode(runs)


def sample(image, max_size):
    pixels = to_tensor(read(image["file"]))
    height, width = pixels.shape[-2:]
    boxes, masks = [], []
    for annotation in image["annotations"]:
        x, y, w, h = annotation["bbox"]
        boxes.append([max(x, 0), max(y, 0), min(x + w, width), min(y + h, height)])
        masks.append(mask_of(annotation["segmentation"], height, width))
    boxes = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4)
    masks = torch.from_numpy(np.stack(masks)) if masks else torch.zeros((0, height, width), dtype=torch.uint8)
    if image["hflip"]:
        pixels, masks = pixels.flip(-1), masks.flip(-1)
        boxes = torch.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], 1)
    if image["vflip"]:
        pixels, masks = pixels.flip(-2), masks.flip(-2)
        boxes = torch.stack([boxes[:, 0], height - boxes[:, 3], boxes[:, 2], height - boxes[:, 1]], 1)
    transform = GeneralizedRCNNTransform(image["min_size"], max_size, MEAN, STD).eval()
    return transform.resize(transform.normalize(pixels), {"boxes": boxes, "masks": masks})


def main():
    cases = json.load(open(sys.argv[1]))
    out = {}
    for batch in cases["batches"]:
        samples = [sample(image, batch["max_size"]) for image in batch["images"]]
        transform = GeneralizedRCNNTransform(800, 1333, MEAN, STD)
        out[batch["name"] + ".images"] = transform.batch_images([pixels for pixels, _ in samples])
        for i, (_, target) in enumerate(samples):
            out[f"{batch['name']}.{i}.boxes"] = target["boxes"].contiguous()
            out[f"{batch['name']}.{i}.masks"] = target["masks"].contiguous()
    for jitter in cases["jitters"]:
        pixels = torch.from_numpy(np.array(read(jitter["file"]))).permute(2, 0, 1)
        pixels = F.adjust_brightness(pixels, jitter["brightness"])
        pixels = F.adjust_contrast(pixels, jitter["contrast"])
        pixels = F.adjust_saturation(pixels, jitter["saturation"])
        out[jitter["name"]] = pixels.permute(1, 2, 0).contiguous()
    for blur in cases["blurs"]:
        pixels = torch.from_numpy(np.array(read(blur["file"]))).permute(2, 0, 1)
        side = 2 * math.ceil(3 * blur["sigma"]) + 1
        out[blur["name"]] = F.gaussian_blur(pixels, [side, side], [blur["sigma"], blur["sigma"]]).permute(1, 2, 0).contiguous()
    save_file(out, sys.argv[2])


main()
