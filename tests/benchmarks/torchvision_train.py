"""torchvision's Mask R-CNN trained with the settings of configs/cpu_small.yaml, to be set beside lockstep-engine.

usage: torchvision_train.py DATA_FOLDER [--steps 400] [--seed 1] [--threads 2] [--boxes]
DATA_FOLDER holds train/, val/ and annotations/instances_{train,val}.json. Prints one JSON object: wall seconds of everything, the
validation losses, and box and mask AP from pycocotools. --boxes: a Faster R-CNN of the same shape, without a mask head.
"""
import argparse
import contextlib
import io
import json
import math
import pathlib
import random
import time

import numpy as np
import torch
from PIL import Image
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from torchvision.models import resnet18
from torchvision.models.detection import FasterRCNN, MaskRCNN
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.transforms.functional import pil_to_tensor

CHANNELS, FC, ROIS, MIN_SIZE, BATCH, LR, WARMUP = 64, 256, 64, 256, 2, 0.02, 50


class Part:
    """One split of a COCO dataset in torchvision's format."""

    def __init__(self, folder, annotations):
        with contextlib.redirect_stdout(io.StringIO()):
            self.coco = COCO(str(annotations))
        self.folder = folder
        self.ids = sorted(self.coco.getImgIds())
        self.categories = sorted(self.coco.getCatIds())

    def load(self, index, flip=False):
        info = self.coco.loadImgs(self.ids[index])[0]
        image = pil_to_tensor(Image.open(self.folder / info["file_name"]).convert("RGB")).float() / 255
        objects = [a for a in self.coco.imgToAnns[info["id"]]
                   if not a.get("iscrowd") and a["bbox"][2] > 1 and a["bbox"][3] > 1]
        boxes = torch.tensor([[x, y, x + w, y + h] for x, y, w, h in (a["bbox"] for a in objects)], dtype=torch.float32)
        boxes = boxes.reshape(-1, 4)
        masks = torch.zeros((len(objects), info["height"], info["width"]), dtype=torch.uint8)
        for k, annotation in enumerate(objects):
            masks[k] = torch.from_numpy(self.coco.annToMask(annotation))
        if flip:
            width = image.shape[-1]
            image, masks = image.flip(-1), masks.flip(-1)
            boxes = torch.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], 1)
        labels = torch.tensor([1 + self.categories.index(a["category_id"]) for a in objects], dtype=torch.int64)
        return image, {"boxes": boxes, "labels": labels, "masks": masks}


def make_model(classes, boxes_alone):
    body = resnet18(weights=None, norm_layer=lambda c: torch.nn.GroupNorm(32, c))
    backbone = BackboneWithFPN(body, {f"layer{i}": str(i - 1) for i in range(1, 5)}, [64, 128, 256, 512], CHANNELS)
    settings = dict(
        min_size=MIN_SIZE, max_size=2 * MIN_SIZE,
        box_head=TwoMLPHead(CHANNELS * 49, FC), box_predictor=FastRCNNPredictor(FC, classes),
        box_batch_size_per_image=ROIS, rpn_pre_nms_top_n_train=1000, rpn_pre_nms_top_n_test=500,
        rpn_post_nms_top_n_train=500, rpn_post_nms_top_n_test=300)
    if boxes_alone:
        return FasterRCNN(backbone, **settings)
    return MaskRCNN(backbone, mask_head=MaskRCNNHeads(CHANNELS, (CHANNELS,) * 2, 1),
                    mask_predictor=MaskRCNNPredictor(CHANNELS, CHANNELS, classes), **settings)


def train(model, part, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9, weight_decay=1e-4)
    model.train()
    order = []
    for step in range(steps):
        rate = LR * min(1, (step + 1) / WARMUP) * 0.5 * (1 + math.cos(math.pi * step / steps))
        optimizer.param_groups[0]["lr"] = rate
        images, targets = [], []
        for _ in range(BATCH):
            order = order or random.sample(range(len(part.ids)), len(part.ids))
            image, target = part.load(order.pop(), flip=random.random() < 0.5)
            images.append(image)
            targets.append(target)
        loss = sum(model(images, targets).values())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()


@torch.no_grad()
def held_out_losses(model, part):
    model.train()
    total = {}
    for index in range(len(part.ids)):
        image, target = part.load(index)
        for name, value in model([image], [target]).items():
            total[name] = total.get(name, 0.0) + value.item() / len(part.ids)
    return total


@torch.no_grad()
def average_precision(model, part):
    model.eval()
    results = []
    for index, image_id in enumerate(part.ids):
        found = model([part.load(index)[0]])[0]
        masks = found.get("masks", [None] * len(found["boxes"]))
        for box, label, score, mask in zip(found["boxes"].tolist(), found["labels"].tolist(), found["scores"].tolist(), masks):
            results.append({"image_id": image_id, "category_id": part.categories[label - 1], "score": score,
                            "bbox": [box[0], box[1], box[2] - box[0], box[3] - box[1]]})
            if mask is not None:
                runs = coco_mask.encode(np.asfortranarray((mask[0] > 0.5).numpy().astype(np.uint8)))
                results[-1]["segmentation"] = {"size": runs["size"], "counts": runs["counts"].decode()}
    precision = {"segm": float("nan")}
    with contextlib.redirect_stdout(io.StringIO()):
        for kind in ("bbox", "segm") if isinstance(model, MaskRCNN) else ("bbox",):
            evaluation = COCOeval(part.coco, part.coco.loadRes(results), kind)
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
            precision[kind] = float(evaluation.stats[0])
    return precision


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--boxes", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    torch.set_num_threads(options.threads)
    start = time.time()
    annotations = options.data / "annotations"
    training = Part(options.data / "train", annotations / "instances_train.json")
    held_out = Part(options.data / "val", annotations / "instances_val.json")
    model = make_model(len(training.categories) + 1, options.boxes)
    train(model, training, options.steps)
    losses = held_out_losses(model, held_out)
    precision = average_precision(model, held_out)
    print(json.dumps({"wall_seconds": time.time() - start, "losses": losses, **precision}))


if __name__ == "__main__":
    main()
