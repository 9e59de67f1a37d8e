"""torchvision's Mask R-CNN trained with torch.optim on the batches of a run: what the trainer must repeat.

usage: torchvision_training.py DIR STEPS [--threads 1]
reads   DIR/experiment.json   the experiment's keys and their YAML texts, durations in steps
        DIR/start.safetensors weights before the first step, under torchvision's state_dict names
        DIR/batches/0.safetensors, 1 …  the images of each part of each step: images [N,3,H,W] normalised and padded,
                              sizes [N,2]; of each image i: boxes.i, classes.i, masks.i
writes  DIR/expected.json     one number per step under each of the five losses, grad_norm (before clipping), lr, and
                              grad_norm/NAME and grad_mean/NAME of every parameter (before clipping)
        DIR/end.safetensors   the weights after the last of STEPS
model.rpn and model.box_head must sample everything (batch_size_per_image 1000000), so that nothing is random."""

import argparse
import json
import pathlib

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.optim.lr_scheduler import ChainedScheduler, ConstantLR, CosineAnnealingLR, LinearLR, MultiStepLR
from torchvision.models import resnet
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor

LOSSES = ["loss_classifier", "loss_box_reg", "loss_mask", "loss_objectness", "loss_rpn_box_reg"]
NORMS = {"group": lambda channels: nn.GroupNorm(32, channels), "batch": nn.BatchNorm2d}


class Experiment:
    def __init__(self, path):
        self.texts = json.loads(path.read_text())

    def __getitem__(self, key):
        try:
            return json.loads(self.texts[key])
        except json.JSONDecodeError:
            return self.texts[key]


def make_model(experiment, start):
    classes = len(start["roi_heads.box_predictor.cls_score.bias"])
    body = resnet.__dict__[experiment["model.backbone"]](weights=None, norm_layer=NORMS[experiment["model.norm"]])
    widths = [body.inplanes // 8 * 2**i for i in range(4)]
    stages = {f"layer{i + 1}": str(i) for i in range(4)}
    channels = experiment["model.fpn_channels"]
    mask_channels = experiment["model.mask_head.channels"]
    fc_dim = experiment["model.box_head.fc_dim"]
    ratios = tuple(experiment["model.anchors.aspect_ratios"])
    model = MaskRCNN(
        BackboneWithFPN(body, stages, widths, channels),
        rpn_anchor_generator=AnchorGenerator(tuple((size,) for size in experiment["model.anchors.sizes"]), (ratios,) * 5),
        box_head=TwoMLPHead(channels * experiment["model.box_head.roi_resolution"] ** 2, fc_dim),
        box_predictor=FastRCNNPredictor(fc_dim, classes),
        mask_head=MaskRCNNHeads(channels, (mask_channels,) * experiment["model.mask_head.convs"], 1),
        mask_predictor=MaskRCNNPredictor(mask_channels, mask_channels, classes),
        rpn_pre_nms_top_n_train=experiment["model.rpn.pre_nms_top_n_train"],
        rpn_post_nms_top_n_train=experiment["model.rpn.post_nms_top_n_train"],
        rpn_batch_size_per_image=experiment["model.rpn.batch_size_per_image"],
        box_batch_size_per_image=experiment["model.box_head.batch_size_per_image"],
    )
    model.load_state_dict(start)
    return model.train()


def make_optimizer(experiment, model):
    """SGD with a group for each learning rate and weight decay."""
    norms = {id(p) for m in model.modules() if isinstance(m, (nn.GroupNorm, nn.BatchNorm2d)) for p in m.parameters()}
    groups = {}
    for name, parameter in model.named_parameters():
        is_norm = id(parameter) in norms
        rate = experiment["solver.base_lr"]
        if name.startswith("backbone.body."):
            rate *= experiment["solver.backbone_lr_factor"]
        if name.endswith(".bias") and not is_norm:
            rate *= experiment["solver.bias_lr_factor"]
        decay = experiment["solver.norm_weight_decay" if is_norm else "solver.weight_decay"]
        groups.setdefault((rate, decay), []).append(parameter)
    return torch.optim.SGD([{"params": params, "lr": rate, "weight_decay": decay} for (rate, decay), params in groups.items()],
                           momentum=experiment["solver.momentum"], nesterov=experiment["solver.nesterov"])


def make_schedule(experiment, optimizer):
    parts = [ConstantLR(optimizer, factor=1)]
    if experiment["solver.warmup_steps"] > 1:
        parts.append(LinearLR(optimizer, experiment["solver.warmup_factor"], total_iters=experiment["solver.warmup_steps"] - 1))
    if experiment["solver.schedule"] == "cosine":
        parts.append(CosineAnnealingLR(optimizer, T_max=experiment["solver.max_steps"]))
    elif experiment["solver.schedule"] == "step":
        parts.append(MultiStepLR(optimizer, experiment["solver.milestones"], experiment["solver.gamma"]))
    return ChainedScheduler(parts)


def losses_of(model, batch):
    images = ImageList(batch["images"], [tuple(size) for size in batch["sizes"].tolist()])
    targets = [{"boxes": batch[f"boxes.{i}"], "labels": batch[f"classes.{i}"], "masks": batch[f"masks.{i}"]}
               for i in range(len(images.image_sizes))]
    features = model.backbone(images.tensors)
    proposals, of_rpn = model.rpn(images, features, targets)
    _, of_heads = model.roi_heads(features, proposals, images.image_sizes, targets)
    return {**of_heads, **of_rpn}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("steps", type=int)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    experiment = Experiment(options.folder / "experiment.json")
    model = make_model(experiment, load_file(options.folder / "start.safetensors"))
    optimizer = make_optimizer(experiment, model)
    schedule = make_schedule(experiment, optimizer)
    base_lr = max(group["initial_lr"] for group in optimizer.param_groups)
    parts, most = experiment["solver.accumulate"], experiment["solver.clip_grad_norm"]
    expected = {name: [] for name in [*LOSSES, "grad_norm", "lr"]}
    for step in range(options.steps):
        optimizer.zero_grad()
        of_step = dict.fromkeys(LOSSES, 0.0)
        for part in range(parts):
            losses = losses_of(model, load_file(options.folder / f"batches/{step * parts + part}.safetensors"))
            total = sum(experiment[f"solver.loss_weights.{name}"] * losses[name] for name in LOSSES)
            (total / parts).backward()
            for name in LOSSES:
                of_step[name] += losses[name].item() / parts
        for name, parameter in model.named_parameters():
            gradient = parameter.grad.double()
            expected.setdefault(f"grad_norm/{name}", []).append(gradient.norm().item())
            expected.setdefault(f"grad_mean/{name}", []).append(gradient.mean().item())
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), most if most > 0 else float("inf"))
        factor = max(group["lr"] for group in optimizer.param_groups) / base_lr
        optimizer.step()
        schedule.step()
        for name, value in {**of_step, "grad_norm": norm.item(), "lr": factor * experiment["solver.base_lr"]}.items():
            expected[name].append(value)
    (options.folder / "expected.json").write_text(json.dumps(expected))
    save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, options.folder / "end.safetensors")


if __name__ == "__main__":
    main()
