"""torchvision's whole Mask R-CNN on the images of a COCO file: what lockstep-engine must repeat with the same weights.

usage: torchvision_images.py make DIR IMAGES_DIR ANNOTATIONS.json [--images 3]
writes into DIR
        weights.safetensors  of a ResNet-18-FPN with frozen batch norm, under torchvision's state_dict names, random and spread out
        subset.json          the annotations of the images used: the first ones with an instance that is no crowd
        predictions.json     detections as COCO results, score from 0.05, at most 100 an image
        losses.json          of every image: the five losses in training mode with every anchor and every proposal sampled
Images are resized as torchvision does for min_size 320, max_size 533.

usage: torchvision_images.py compare DIR EVALUATION.json PREDICTIONS.json
prints  {"loss_difference", "repeated", "detections"} as JSON: of what `lockstep-engine evaluate --per-image` and `predict`
        wrote, the largest relative difference of a loss, and the share of torchvision's detections that are there again:
        score within 1e-3, box within 0.5 px, mask IoU from 0.98 (two empty masks are equal)"""

import argparse
import contextlib
import io
import json
import pathlib

import numpy as np
import torch
from PIL import Image
from pycocotools import mask as rle
from pycocotools.coco import COCO
from safetensors.torch import save_file
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.ops.misc import FrozenBatchNorm2d

EVERYTHING = 10**6


def make_model(classes):
    torch.manual_seed(0)
    backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None, norm_layer=FrozenBatchNorm2d, trainable_layers=3)
    model = MaskRCNN(backbone, num_classes=classes + 1, min_size=320, max_size=533,
                     rpn_batch_size_per_image=EVERYTHING, box_batch_size_per_image=EVERYTHING)
    # Fresh heads give equal scores and boxes everywhere: wider weights set them apart.
    wider = {model.rpn.head.cls_logits: 20, model.rpn.head.bbox_pred: 5, model.roi_heads.box_predictor.cls_score: 12,
             model.roi_heads.box_predictor.bbox_pred: 3, model.roi_heads.mask_predictor.mask_fcn_logits: 3}
    with torch.no_grad():
        for norm in (module for module in model.modules() if isinstance(module, FrozenBatchNorm2d)):
            norm.weight.uniform_(0.8, 1.2)
            norm.bias.normal_(0, 0.1)
            norm.running_mean.normal_(0, 0.1)
            norm.running_var.uniform_(0.5, 1.5)
        for layer, factor in wider.items():
            layer.weight.mul_(factor)
    return model


def detections(model, pixels, image_id, category_ids):
    model.eval()
    found = model([pixels])[0]
    for box, label, score, mask in zip(found["boxes"], found["labels"], found["scores"], found["masks"]):
        left, top, right, bottom = box.tolist()
        code = rle.encode(np.asfortranarray((mask[0] > 0.5).numpy().astype(np.uint8)))
        yield {"image_id": image_id, "category_id": category_ids[int(label) - 1], "score": float(score),
               "bbox": [left, top, right - left, bottom - top],
               "segmentation": {"size": code["size"], "counts": code["counts"].decode()}}


def losses(model, pixels, instances, category_ids, coco):
    corners = [[x, y, x + width, y + height] for x, y, width, height in (each["bbox"] for each in instances)]
    target = {"boxes": torch.tensor(corners, dtype=torch.float32),
              "labels": torch.tensor([1 + category_ids.index(each["category_id"]) for each in instances]),
              "masks": torch.from_numpy(np.stack([coco.annToMask(each) for each in instances]))}
    model.train()
    return {name: float(value) for name, value in model([pixels], [target]).items()}


def write_subset(path, coco, image_ids):
    path.write_text(json.dumps({"images": coco.loadImgs(image_ids), "categories": coco.loadCats(coco.getCatIds()),
                                "annotations": coco.loadAnns(coco.getAnnIds(image_ids))}))


def make(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(2)
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(options.annotations)
    category_ids = sorted(coco.getCatIds())
    instances = {id: [each for each in coco.loadAnns(coco.getAnnIds(id)) if not each["iscrowd"]] for id in sorted(coco.getImgIds())}
    image_ids = [id for id, each in instances.items() if each][:options.images]
    model = make_model(len(category_ids))
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, options.folder / "weights.safetensors")
    all_detections, all_losses = [], []
    with torch.no_grad():
        for id in image_ids:
            picture = Image.open(options.images_dir / coco.loadImgs(id)[0]["file_name"]).convert("RGB")
            pixels = torch.from_numpy(np.array(picture)).permute(2, 0, 1).float() / 255
            all_detections += detections(model, pixels, id, category_ids)
            all_losses.append({"image_id": id, **losses(model, pixels, instances[id], category_ids, coco)})
    write_subset(options.folder / "subset.json", coco, image_ids)
    (options.folder / "predictions.json").write_text(json.dumps(all_detections))
    (options.folder / "losses.json").write_text(json.dumps(all_losses))


def is_repeated(expected, found):
    if abs(found["score"] - expected["score"]) >= 1e-3:
        return False
    if max(abs(a - b) for a, b in zip(found["bbox"], expected["bbox"])) >= 0.5:
        return False
    masks = found["segmentation"], expected["segmentation"]
    return not any(rle.area(mask) for mask in masks) or rle.iou([masks[0]], [masks[1]], [0])[0][0] >= 0.98


def compare(options):
    found_losses = {each["image_id"]: each for each in json.loads(options.evaluation.read_text())["per_image"]}
    difference = max(abs(found_losses[image["image_id"]][name] - value) / abs(value)
                     for image in json.loads((options.folder / "losses.json").read_text())
                     for name, value in image.items() if name != "image_id")
    found = json.loads(options.predictions.read_text())
    expected = json.loads((options.folder / "predictions.json").read_text())
    repeated = sum(any(each["image_id"] == one["image_id"] and each["category_id"] == one["category_id"] and is_repeated(one, each)
                       for each in found) for one in expected)
    print(json.dumps({"loss_difference": difference, "repeated": repeated / len(expected), "detections": len(expected)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make")
    command.set_defaults(run=make)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("images_dir", type=pathlib.Path)
    command.add_argument("annotations")
    command.add_argument("--images", type=int, default=3)
    command = commands.add_parser("compare")
    command.set_defaults(run=compare)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("evaluation", type=pathlib.Path)
    command.add_argument("predictions", type=pathlib.Path)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
