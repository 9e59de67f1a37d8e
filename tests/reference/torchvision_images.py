"""torchvision's whole Mask R-CNN on the images of a COCO file: what lockstep-engine must repeat with the same weights.

usage: torchvision_images.py make DIR IMAGES_DIR ANNOTATIONS.json [--images 3] [--norm frozen_batch|batch|group] [--no-figures]
writes into DIR
        weights.safetensors  of a ResNet-18-FPN, under torchvision's state_dict names, random and spread out
        subset.json          the annotations of the images used: the first ones with an instance that is no crowd
        predictions.json     detections as COCO results, score from 0.05, at most 100 an image
        losses.json          of every image: the five losses in training mode with every anchor and every proposal sampled
Images are resized as torchvision does for min_size 320, max_size 533. --no-figures: weights.safetensors and subset.json alone.

usage: torchvision_images.py predict DIR IMAGES_DIR MODEL.safetensors
writes predictions.json: the detections of a model that a run left, which load_state_dict(strict=True) must take as it is, on
        the images of subset.json. Backbone, norm and its epsilon are what the file's metadata say. Fails when training left a
        tensor of weights.safetensors as it was.

usage: torchvision_images.py compare DIR PREDICTIONS.json [--evaluation EVALUATION.json]
prints  {"repeated", "detections", "loss_difference"} as JSON: of what `lockstep-engine predict` and `evaluate --per-image`
        wrote, the share of torchvision's detections that are there again: score within 1e-3, box within 0.5 px, mask IoU from
        0.98 (two empty masks are equal); and the largest relative difference of a loss"""

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
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.ops.misc import FrozenBatchNorm2d

EVERYTHING = 10**6
NORMS = {"frozen_batch": FrozenBatchNorm2d, "batch": nn.BatchNorm2d,
         "group": lambda channels, eps: nn.GroupNorm(32, channels, eps)}


def make_model(classes, backbone="resnet18", norm="frozen_batch", epsilon=1e-5):
    """Randomly initialised weights; classes without background."""
    body = resnet_fpn_backbone(backbone_name=backbone, weights=None, trainable_layers=5,
                               norm_layer=lambda channels: NORMS[norm](channels, eps=epsilon))
    return MaskRCNN(body, num_classes=classes + 1, min_size=320, max_size=533,
                    rpn_batch_size_per_image=EVERYTHING, box_batch_size_per_image=EVERYTHING)


def spread_weights(model):
    # Freshly initialised heads give almost equal scores and boxes everywhere: larger weights separate them.
    wider = {model.rpn.head.cls_logits: 20, model.rpn.head.bbox_pred: 5, model.roi_heads.box_predictor.cls_score: 12,
             model.roi_heads.box_predictor.bbox_pred: 3, model.roi_heads.mask_predictor.mask_fcn_logits: 3}
    with torch.no_grad():
        for norm in (module for module in model.modules() if isinstance(module, (FrozenBatchNorm2d, nn.BatchNorm2d, nn.GroupNorm))):
            norm.weight.uniform_(0.8, 1.2)
            norm.bias.normal_(0, 0.1)
            if not isinstance(norm, nn.GroupNorm):
                norm.running_mean.normal_(0, 0.1)
                norm.running_var.uniform_(0.5, 1.5)
        for layer, factor in wider.items():
            layer.weight.mul_(factor)


def detections(model, pixels, image_id, category_ids):
    model.eval()
    found = model([pixels])[0]
    for box, label, score, mask in zip(found["boxes"], found["labels"], found["scores"], found["masks"]):
        left, top, right, bottom = box.tolist()
        code = rle.encode(np.asfortranarray((mask[0] > 0.5).numpy().astype(np.uint8)))
        yield {"image_id": image_id, "category_id": category_ids[int(label) - 1], "score": float(score),
               "bbox": [left, top, right - left, bottom - top],
               "segmentation": {"size": code["size"], "counts": code["counts"].decode()}}


def pixels_of(folder, coco, id):
    picture = Image.open(folder / coco.loadImgs(id)[0]["file_name"]).convert("RGB")
    return torch.from_numpy(np.array(picture)).permute(2, 0, 1).float() / 255


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


def read_annotations(path):
    with contextlib.redirect_stdout(io.StringIO()):
        return COCO(path)


def make(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    coco = read_annotations(options.annotations)
    category_ids = sorted(coco.getCatIds())
    instances = {id: [each for each in coco.loadAnns(coco.getAnnIds(id)) if not each["iscrowd"]] for id in sorted(coco.getImgIds())}
    image_ids = [id for id, each in instances.items() if each][:options.images]
    torch.manual_seed(0)
    model = make_model(len(category_ids), norm=options.norm)
    spread_weights(model)
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, options.folder / "weights.safetensors")
    write_subset(options.folder / "subset.json", coco, image_ids)
    if options.no_figures:
        return
    all_detections, all_losses = [], []
    with torch.no_grad():
        for id in image_ids:
            pixels = pixels_of(options.images_dir, coco, id)
            all_detections += detections(model, pixels, id, category_ids)
            all_losses.append({"image_id": id, **losses(model, pixels, instances[id], category_ids, coco)})
    (options.folder / "predictions.json").write_text(json.dumps(all_detections))
    (options.folder / "losses.json").write_text(json.dumps(all_losses))


def predict(options):
    with safe_open(options.model, "pt") as file:
        facts = file.metadata()
    category_ids = json.loads(facts["category_ids"])
    model = make_model(len(category_ids), facts["backbone"], facts["norm"], float(facts["norm_epsilon"]))
    start, state = load_file(options.folder / "weights.safetensors"), load_file(options.model)
    assert not [name for name in state if torch.equal(state[name], start[name])]
    model.load_state_dict(state, strict=True)
    coco = read_annotations(options.folder / "subset.json")
    with torch.no_grad():
        found = [each for id in sorted(coco.getImgIds())
                 for each in detections(model, pixels_of(options.images_dir, coco, id), id, category_ids)]
    (options.folder / "predictions.json").write_text(json.dumps(found))


def is_repeated(expected, found):
    if abs(found["score"] - expected["score"]) >= 1e-3:
        return False
    if max(abs(a - b) for a, b in zip(found["bbox"], expected["bbox"])) >= 0.5:
        return False
    masks = found["segmentation"], expected["segmentation"]
    return not any(rle.area(mask) for mask in masks) or rle.iou([masks[0]], [masks[1]], [0])[0][0] >= 0.98


def loss_difference(options):
    found = {each["image_id"]: each for each in json.loads(options.evaluation.read_text())["per_image"]}
    return max(abs(found[image["image_id"]][name] - value) / abs(value)
               for image in json.loads((options.folder / "losses.json").read_text())
               for name, value in image.items() if name != "image_id")


def compare(options):
    found = json.loads(options.predictions.read_text())
    expected = json.loads((options.folder / "predictions.json").read_text())
    repeated = sum(any(each["image_id"] == one["image_id"] and each["category_id"] == one["category_id"] and is_repeated(one, each)
                       for each in found) for one in expected)
    result = {"repeated": repeated / len(expected), "detections": len(expected)}
    if options.evaluation:
        result["loss_difference"] = loss_difference(options)
    print(json.dumps(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make")
    command.set_defaults(run=make)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("images_dir", type=pathlib.Path)
    command.add_argument("annotations")
    command.add_argument("--images", type=int, default=3)
    command.add_argument("--norm", choices=NORMS, default="frozen_batch")
    command.add_argument("--no-figures", action="store_true")
    command = commands.add_parser("predict")
    command.set_defaults(run=predict)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("images_dir", type=pathlib.Path)
    command.add_argument("model", type=pathlib.Path)
    command = commands.add_parser("compare")
    command.set_defaults(run=compare)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("predictions", type=pathlib.Path)
    command.add_argument("--evaluation", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(2)
    options.run(options)


if __name__ == "__main__":
    main()
