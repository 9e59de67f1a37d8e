"""torchvision's Mask R-CNN on made scenes: what the engine's model must repeat.

usage: torchvision_model.py OUT_DIR --backbone resnet18 --norm frozen_batch|batch|group [--seed 0]
writes  weights.safetensors   parameters and buffers under torchvision's state_dict names, random and spread out
        scene.safetensors     images [N,3,H,W] normalised and padded; sizes [N,2]; of each image i: boxes.i, classes.i, masks.i
        expected.safetensors  level.0 … level.4, objectness, deltas, proposals.i (training), losses of the batch (loss_…) and of
                              each image alone (image.i.loss_…), gradients of the batch's summed losses (grad.NAME, in float64,
                              for some parameters: in float32 the ReLUs that a rounding error turns on or off hide a
                              thousandth of a gradient, in torchvision too), statistics of batch norm after that step (after.NAME), and detections of each image
                              (boxes.i, scores.i, classes.i, masks.i: 28 x 28 probabilities, pasted.i: full-size masks)
Every anchor and every proposal is sampled, so that nothing is random."""

import argparse
import os

import torch
from safetensors.torch import save_file
from torch import nn
from torchvision.models import resnet
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.models.detection.roi_heads import paste_masks_in_image
from torchvision.ops.misc import FrozenBatchNorm2d

CLASSES = 5  # with background
CHANNELS = 32  # of pyramid and mask head
EVERYTHING = 10**6
GRADIENTS = [
    "backbone.body.conv1.weight", "backbone.body.bn1.weight", "backbone.body.layer1.0.conv1.weight",
    "backbone.body.layer2.0.downsample.0.weight", "backbone.body.layer3.0.bn2.bias",
    "backbone.body.layer4.1.conv2.weight", "backbone.fpn.inner_blocks.0.0.weight", "backbone.fpn.layer_blocks.3.0.bias",
    "rpn.head.conv.0.0.weight", "rpn.head.cls_logits.weight", "rpn.head.bbox_pred.bias",
    "roi_heads.box_head.fc6.weight", "roi_heads.box_predictor.bbox_pred.weight", "roi_heads.box_predictor.cls_score.bias",
    "roi_heads.mask_head.0.0.weight", "roi_heads.mask_predictor.conv5_mask.weight",
    "roi_heads.mask_predictor.mask_fcn_logits.weight", "roi_heads.mask_predictor.mask_fcn_logits.bias",
]


def make_model(backbone, norm):
    layer = {
        "frozen_batch": FrozenBatchNorm2d,
        "batch": nn.BatchNorm2d,
        "group": lambda channels: nn.GroupNorm(32 if channels % 32 == 0 else 8, channels),
    }[norm]
    body = resnet.__dict__[backbone](weights=None, norm_layer=layer)
    widths = [body.inplanes // 8 * 2**i for i in range(4)]
    stages = {f"layer{i + 1}": str(i) for i in range(4)}
    return MaskRCNN(
        BackboneWithFPN(body, stages, widths, CHANNELS),
        box_head=TwoMLPHead(CHANNELS * 49, 64),
        box_predictor=FastRCNNPredictor(64, CLASSES),
        mask_head=MaskRCNNHeads(CHANNELS, (CHANNELS,) * 2, 1),
        mask_predictor=MaskRCNNPredictor(CHANNELS, CHANNELS, CLASSES),
        rpn_batch_size_per_image=EVERYTHING,
        box_batch_size_per_image=EVERYTHING,
        rpn_pre_nms_top_n_train=400,
        rpn_pre_nms_top_n_test=200,
        rpn_post_nms_top_n_train=300,
        rpn_post_nms_top_n_test=150,
    )


def spread_weights(model, images, generator):
    """Scores, boxes and masks that differ from place to place, as those of a trained model do."""
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, (FrozenBatchNorm2d, nn.BatchNorm2d, nn.GroupNorm)):
                size = module.weight.shape
                module.weight.copy_(0.8 + 0.4 * torch.rand(size, generator=generator))
                module.bias.copy_(0.1 * torch.randn(size, generator=generator))
            if isinstance(module, (FrozenBatchNorm2d, nn.BatchNorm2d)):
                module.running_mean.copy_(0.1 * torch.randn(size, generator=generator))
                module.running_var.copy_(0.5 + torch.rand(size, generator=generator))
        model.eval()  # whatever the depth and the norm, the pyramid's values are about 1
        for block, level in zip(model.backbone.fpn.layer_blocks, model.backbone(images.tensors).values()):
            block[0].weight.div_(level.std())
        model.rpn.head.cls_logits.weight.mul_(20)
        model.rpn.head.bbox_pred.weight.mul_(5)
        model.roi_heads.box_predictor.cls_score.weight.mul_(12)
        model.roi_heads.box_predictor.bbox_pred.weight.mul_(3)
        model.roi_heads.mask_predictor.mask_fcn_logits.weight.mul_(3)


def make_scene(generator):
    """Three images of different sizes; the last one has no object."""
    sizes = [(150, 220), (192, 177), (130, 140)]
    counts = [4, 7, 0]
    images = torch.zeros(3, 3, 192, 224)
    targets = []
    for image, (height, width), count in zip(images, sizes, counts):
        image[:, :height, :width] = torch.randn(3, height, width, generator=generator)
        sides = 12 + torch.rand(count, 2, generator=generator) * torch.tensor([width, height]) * 0.6
        corners = torch.rand(count, 2, generator=generator) * (torch.tensor([width, height]) - sides - 1).clamp(min=1)
        boxes = torch.cat([corners, (corners + sides).minimum(torch.tensor([width, height]))], 1)
        y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
        masks = torch.zeros(count, height, width, dtype=torch.uint8)
        for mask, (x1, y1, x2, y2) in zip(masks, boxes):
            inside = ((2 * x - x1 - x2) / (x2 - x1)) ** 2 + ((2 * y - y1 - y2) / (y2 - y1)) ** 2
            mask.copy_(inside <= 1)
        labels = torch.randint(1, CLASSES, (count,), generator=generator)
        targets.append(dict(boxes=boxes, labels=labels, masks=masks))
    return ImageList(images, sizes), targets


def losses(model, images, targets):
    features = model.backbone(images.tensors)
    proposals, of_rpn = model.rpn(images, features, targets)
    _, of_heads = model.roi_heads(features, proposals, images.image_sizes, targets)
    return {**of_heads, **of_rpn}, features, proposals


def without_last_norm_step(model):
    """Training mode for proposals and losses, evaluation mode for the norms: the engine's held-out loss."""
    model.train()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()


def padded(image, size):
    height, width = ((side + 31) // 32 * 32 for side in size)
    return ImageList(image[None, :, :height, :width], [size])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--backbone", default="resnet18")
    parser.add_argument("--norm", default="frozen_batch")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(2)
    generator = torch.Generator().manual_seed(arguments.seed)
    model = make_model(arguments.backbone, arguments.norm)
    images, targets = make_scene(generator)
    spread_weights(model, images, generator)
    save_file({k: v.clone().contiguous() for k, v in model.state_dict().items()}, f"{arguments.out}/weights.safetensors")
    scene = dict(images=images.tensors, sizes=torch.tensor(images.image_sizes))
    for i, target in enumerate(targets):
        scene.update({f"boxes.{i}": target["boxes"], f"classes.{i}": target["labels"], f"masks.{i}": target["masks"]})
    save_file(scene, f"{arguments.out}/scene.safetensors")

    expected = {}
    without_last_norm_step(model)
    with torch.no_grad():
        _, features, proposals = losses(model, images, targets)
        for level, feature in enumerate(features.values()):
            expected[f"level.{level}"] = feature
        logits, deltas = model.rpn.head(list(features.values()))
        expected["objectness"] = torch.cat([x.permute(0, 2, 3, 1).flatten(1) for x in logits], 1)
        expected["deltas"] = torch.cat([x.permute(0, 2, 3, 1).reshape(len(x), -1, 4) for x in deltas], 1)
        for i, boxes in enumerate(proposals):
            expected[f"proposals.{i}"] = boxes
        for i, size in enumerate(images.image_sizes):
            alone, _, _ = losses(model, padded(images.tensors[i], size), targets[i : i + 1])
            # Without a positive torchvision's mask loss is 0 times a sum.
            expected.update({f"image.{i}.{k}": v for k, v in alone.items()})
        model.eval()
        features = model.backbone(images.tensors)
        proposals, _ = model.rpn(images, features)
        detections, _ = model.roi_heads(features, proposals, images.image_sizes)
        for i, (found, size) in enumerate(zip(detections, images.image_sizes)):
            expected.update({f"boxes.{i}": found["boxes"], f"scores.{i}": found["scores"], f"classes.{i}": found["labels"]})
            expected[f"masks.{i}"] = found["masks"][:, 0]
            pasted = paste_masks_in_image(found["masks"], found["boxes"], size)
            expected[f"pasted.{i}"] = (pasted[:, 0] > 0.5).to(torch.uint8)

    model.train()
    of_batch, _, _ = losses(model, images, targets)
    expected.update({k: v.detach() for k, v in of_batch.items()})
    for name, value in model.state_dict().items():
        if arguments.norm == "batch" and name.startswith("backbone.body.bn1."):
            expected[f"after.{name}"] = value.clone()
    model.double()
    for target in targets:
        target["boxes"] = target["boxes"].double()
    of_batch, _, _ = losses(model, ImageList(images.tensors.double(), images.image_sizes), targets)
    sum(of_batch.values()).backward()
    parameters = dict(model.named_parameters())
    for name in GRADIENTS:
        if name in parameters:
            expected[f"grad.{name}"] = parameters[name].grad
    save_file({k: v.detach().clone().contiguous() for k, v in expected.items()}, f"{arguments.out}/expected.safetensors")


if __name__ == "__main__":
    main()
