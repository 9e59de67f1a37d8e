#pragma once

namespace lockstep::config {

/// The experiment.yaml that `dataset shapes` writes beside its scenes: known before
/// lockstep-worker, which paints them, is built.
inline constexpr const char* kShapesExperiment =
    R"(# Synthetic shapes and a small model that trains within a few minutes on two CPU cores.
name: shapes
dataset:
  train: {images: train, annotations: annotations/instances_train.json}
  val: {images: val, annotations: annotations/instances_val.json}
augment:
  min_size: [256]
  max_size: 512
model:
  backbone: resnet18
  norm: group               # from scratch: no weights to start from
  fpn_channels: 64
  rpn: {pre_nms_top_n_train: 1000, pre_nms_top_n_test: 500, post_nms_top_n_train: 500, post_nms_top_n_test: 300}
  box_head: {fc_dim: 256, batch_size_per_image: 64}
  mask_head: {convs: 2, channels: 64}
solver:
  base_lr: 0.02
  schedule: cosine
  warmup_steps: 50
  warmup_factor: 0.02
  max_steps: 400
  batch_size: 2
  clip_grad_norm: 10
evaluation: {loss_every: 50, ap_every: 100}
checkpoint: {every: 100}
monitor: {log_every: 5, predictions_every: 50}
)";

}  // namespace lockstep::config
