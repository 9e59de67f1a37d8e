"""torchvision's Mask R-CNN on made scenes: what the engine's model must repeat.

usage: torchvision_model.py OUT_DIR CASE…
CASE is BACKBONE-NORM-SCENE, for example resnet18-frozen_batch-small; norm: frozen_batch, batch or group; scene: small or large.
small: three images of odd sizes, with some objects, more than two hundred and none; large: one image whose regions use every
level of the pyramid, without gradients.
writes into OUT_DIR/CASE
        weights.safetensors   parameters and buffers under torchvision's state_dict names, random and spread out
        scene.safetensors     images [N,3,H,W] normalised and padded; sizes [N,2]; of each image i: boxes.i, classes.i, masks.i
        expected.safetensors  of a training step (train.) and of inference (eval.) on the batch: outputs of every layer that has
                              parameters or statistics (train.layer.NAME:k for its k-th call, as the engine's ActivationWatch
                              has them), train.level.0 … .4, train.objectness, train.deltas, train.anchors, train.proposals.i, train.labels (of
                              the regions that the heads see: proposals and objects of each image), eval.proposals.i;
                              losses of the batch (loss_…) and, norms in evaluation mode, of each image alone (image.i.loss_…);
                              statistics of batch norm after the step (after.NAME); gradients of the batch's summed losses
                              (grad.NAME, computed in float64) with the proposals there (exact.proposals.i), and how
                              far torchvision's own gradients in float32 are from them at most (float32_gradients: the
                              ReLUs that a rounding error turns on or off make up to some hundredths); detections of each image (boxes.i, scores.i,
                              classes.i, masks.i: 28 x 28 probabilities, pasted.i: full-size masks)
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

CLASSES = 5  # including background
CHANNELS = 32  # of FPN and mask head
EVERYTHING = 10**6
SCENES = {  # height, width, objects and the largest side of one as a share of the image
    "small": [(101, 143, 4, 0.6), (96, 87, 220, 0.15), (65, 79, 0, 0)],
    "large": [(461, 487, 5, 0.8)],
}
NORMS = {"frozen_batch": FrozenBatchNorm2d, "batch": nn.BatchNorm2d, "group": lambda channels: nn.GroupNorm(32, channels)}
NORM_TYPES = (FrozenBatchNorm2d, nn.BatchNorm2d, nn.GroupNorm)


def make_model(backbone, norm):
    body = resnet.__dict__[backbone](weights=None, norm_layer=NORMS[norm])
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
        box_score_thresh=0.15,  # ends the detections of some images, their number those of others
        rpn_pre_nms_top_n_train=400,
        rpn_pre_nms_top_n_test=200,
        rpn_post_nms_top_n_train=300,
        rpn_post_nms_top_n_test=150,
    )


def spread_weights(model, images, generator):
    """Scores, boxes and masks that differ between locations, as in a trained model."""
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, NORM_TYPES):
                size = module.weight.shape
                module.weight.copy_(0.8 + 0.4 * torch.rand(size, generator=generator))
                module.bias.copy_(0.1 * torch.randn(size, generator=generator))
            if isinstance(module, (FrozenBatchNorm2d, nn.BatchNorm2d)):
                module.running_mean.copy_(0.1 * torch.randn(size, generator=generator))
                module.running_var.copy_(0.5 + torch.rand(size, generator=generator))
        model.eval()  # whatever the depth and the norm, the pyramid's values are about 1
        for block, level in zip(model.backbone.fpn.layer_blocks, model.backbone(images.tensors).values()):
            block[0].weight.div_(level.std())
        model.rpn.head.conv[0][0].weight.mul_(6)
        model.rpn.head.cls_logits.weight.mul_(40)
        model.rpn.head.bbox_pred.weight.mul_(10)
        model.roi_heads.box_predictor.cls_score.weight.mul_(12)
        model.roi_heads.box_predictor.bbox_pred.weight.mul_(3)
        model.roi_heads.mask_predictor.mask_fcn_logits.weight.mul_(3)


def make_objects(height, width, count, share, generator):
    """Ellipses at random places."""
    extent = torch.tensor([width, height])
    sides = 8 + torch.rand(count, 2, generator=generator) * extent * share
    corners = torch.rand(count, 2, generator=generator) * (extent - sides - 1).clamp(min=1)
    boxes = torch.cat([corners, (corners + sides).minimum(extent)], 1)
    y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
    masks = torch.zeros(count, height, width, dtype=torch.uint8)
    for mask, (x1, y1, x2, y2) in zip(masks, boxes):
        inside = ((2 * x - x1 - x2) / (x2 - x1)) ** 2 + ((2 * y - y1 - y2) / (y2 - y1)) ** 2
        mask.copy_(inside <= 1)
    return dict(boxes=boxes, labels=torch.randint(1, CLASSES, (count,), generator=generator), masks=masks)


def padded_side(side):
    return (side + 31) // 32 * 32


def make_scene(scene, generator):
    height, width = (max(padded_side(each[axis]) for each in scene) for axis in (0, 1))
    images = torch.zeros(len(scene), 3, height, width)
    for image, (h, w, *_) in zip(images, scene):
        image[:, :h, :w] = torch.randn(3, h, w, generator=generator)
    return ImageList(images, [each[:2] for each in scene]), [make_objects(*each, generator) for each in scene]


class Recorder:
    """Outputs of layers while it is entered. A norm in the ResNet stands for its convolution too and is taken behind the
    residual and the ReLU, the transposed convolution behind its ReLU."""

    def __init__(self, model):
        self.calls, self.handles = {}, []
        last_of_blocks = set()
        for name, module in model.named_modules():
            if isinstance(module, (resnet.BasicBlock, resnet.Bottleneck)):
                last = name + (".bn3" if isinstance(module, resnet.Bottleneck) else ".bn2")
                last_of_blocks.add(last)
                self.watch(module, last, False)
            elif isinstance(module, NORM_TYPES) and name not in last_of_blocks:
                self.watch(module, name, not name.endswith("downsample.1"))
            elif isinstance(module, (nn.Linear, nn.Conv2d, nn.ConvTranspose2d)) and "backbone.body." not in name:
                self.watch(module, name, isinstance(module, nn.ConvTranspose2d))

    def watch(self, module, name, has_relu):
        def keep(_module, _inputs, output):
            output = output.detach().clone()
            self.calls.setdefault(name, []).append(output.relu() if has_relu else output)

        self.handles.append(module.register_forward_hook(keep))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()

    def layers(self, mask_classes):
        """With only the masks of each RoI's class."""
        masks = self.calls["roi_heads.mask_predictor.mask_fcn_logits"]
        masks[0] = masks[0][torch.arange(len(mask_classes)), mask_classes]
        return {f"layer.{name}:{k}": output for name, outputs in self.calls.items() for k, output in enumerate(outputs)}


def losses(model, images, targets):
    features = model.backbone(images.tensors)
    proposals, of_rpn = model.rpn(images, features, targets)
    _, of_heads = model.roi_heads(features, proposals, images.image_sizes, targets)
    return {**of_heads, **of_rpn}, features, proposals


def without_last_norm_step(model):
    """Training mode for proposals and losses, evaluation mode for the norms: the engine's validation loss."""
    model.train()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()


def alone(images, i):
    """Image i with its own padding."""
    height, width = images.image_sizes[i]
    return ImageList(images.tensors[i : i + 1, :, : padded_side(height), : padded_side(width)], [(height, width)])


@torch.no_grad()
def held_out_losses(model, images, targets):
    without_last_norm_step(model)
    return {f"image.{i}.{name}": value for i in range(len(targets))
            for name, value in losses(model, alone(images, i), targets[i : i + 1])[0].items()}


@torch.no_grad()
def inference(model, images):
    model.eval()
    with Recorder(model) as recorder:
        features = model.backbone(images.tensors)
        proposals, _ = model.rpn(images, features)
        detections, _ = model.roi_heads(features, proposals, images.image_sizes)
    found = {f"eval.{k}": v for k, v in recorder.layers(torch.cat([each["labels"] for each in detections])).items()}
    for i, (each, size) in enumerate(zip(detections, images.image_sizes)):
        found.update({f"eval.proposals.{i}": proposals[i], f"boxes.{i}": each["boxes"], f"scores.{i}": each["scores"],
                      f"classes.{i}": each["labels"], f"masks.{i}": each["masks"][:, 0]})
        found[f"pasted.{i}"] = (paste_masks_in_image(each["masks"], each["boxes"], size)[:, 0] > 0.5).to(torch.uint8)
    return found


@torch.no_grad()
def training_step(model, images, targets):
    model.train()
    with Recorder(model) as recorder:
        of_batch, features, proposals = losses(model, images, targets)
    labels = torch.cat(model.roi_heads.select_training_samples(proposals, targets)[2])
    found = {f"train.{k}": v for k, v in recorder.layers(labels[labels > 0]).items()} | of_batch
    found["train.labels"] = labels
    found.update({f"train.level.{i}": level for i, level in enumerate(features.values())})
    logits, deltas = model.rpn.head(list(features.values()))
    found["train.objectness"] = torch.cat([x.permute(0, 2, 3, 1).flatten(1) for x in logits], 1)
    found["train.deltas"] = torch.cat([x.permute(0, 2, 3, 1).reshape(len(x), -1, 4) for x in deltas], 1)
    found["train.anchors"] = model.rpn.anchor_generator(images, list(features.values()))[0]
    found.update({f"train.proposals.{i}": boxes for i, boxes in enumerate(proposals)})
    found.update({f"after.{name}": value.clone() for name, value in model.state_dict().items()
                  if name.split(".")[-1] in ("running_mean", "running_var", "num_batches_tracked")})
    return found


def gradients(model, images, targets):
    """Of every parameter, and the proposals."""
    model.zero_grad()
    of_batch, _, proposals = losses(model.train(), images, targets)
    sum(of_batch.values()).backward()
    return {name: parameter.grad for name, parameter in model.named_parameters()}, proposals


def exact_gradients(model, images, targets):
    """In float64; leaves the model in it."""
    rounded, _ = gradients(model, images, targets)
    model.double()
    images = ImageList(images.tensors.double(), images.image_sizes)
    exact, proposals = gradients(model, images, [{**each, "boxes": each["boxes"].double()} for each in targets])
    found = {f"grad.{name}": each.float() for name, each in exact.items()}
    found.update({f"exact.proposals.{i}": boxes for i, boxes in enumerate(proposals)})
    found["float32_gradients"] = torch.stack([(rounded[name] - each).norm() / each.norm() for name, each in exact.items()]).max()
    return found


def save(tensors, path):
    save_file({name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}, path)


def write_case(folder, backbone, norm, scene_name):
    os.makedirs(folder, exist_ok=True)
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    model = make_model(backbone, norm)
    images, targets = make_scene(SCENES[scene_name], generator)
    spread_weights(model, images, generator)
    save(model.state_dict(), f"{folder}/weights.safetensors")
    scene = dict(images=images.tensors, sizes=torch.tensor(images.image_sizes))
    for i, target in enumerate(targets):
        scene.update({f"boxes.{i}": target["boxes"], f"classes.{i}": target["labels"], f"masks.{i}": target["masks"]})
    save(scene, f"{folder}/scene.safetensors")
    expected = held_out_losses(model, images, targets) | inference(model, images) | training_step(model, images, targets)
    if scene_name == "small":
        expected |= exact_gradients(model, images, targets)
    save(expected, f"{folder}/expected.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("cases", nargs="+", metavar="CASE")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for case in arguments.cases:
        write_case(f"{arguments.out}/{case}", *case.split("-"))


if __name__ == "__main__":
    main()
