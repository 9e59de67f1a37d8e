#pragma once

#include <array>
#include <optional>

#include "engine/base/enum_text.h"

/// The experiment file's words that stand for one of a few things. A key that may be `auto` is an
/// optional: without a value it is still to be resolved.
namespace lockstep::config {

/// A word and what it does, for the key's help; "" where the key's own help says it.
template <typename Enum>
struct Choice {
  Enum value;
  const char* text;
  const char* meaning;
};

/// The word for what is left to the program.
inline constexpr const char* kAuto = "auto";
template <base::HasTexts Enum>
constexpr const char* textOrAuto(std::optional<Enum> value) {
  return value ? base::textOf(*value) : kAuto;
}

enum class ImageCache { None, Ram };
constexpr auto enumTexts(ImageCache) {
  using enum ImageCache;
  return std::to_array<Choice<ImageCache>>({{None, "none", "nowhere"}, {Ram, "ram", "in memory"}});
}

/// What becomes of an image that cannot be read.
enum class BadImages { Fail, Skip };
constexpr auto enumTexts(BadImages) {
  using enum BadImages;
  return std::to_array<Choice<BadImages>>(
      {{Fail, "fail", "the training ends, after a checkpoint"},
       {Skip, "skip", "it is left out, logged and listed in bad_images.jsonl"}});
}

enum class PadTo { Batch, Canonical };
constexpr auto enumTexts(PadTo) {
  using enum PadTo;
  return std::to_array<Choice<PadTo>>(
      {{Batch, "batch", "the largest image of the batch"},
       {Canonical, "canonical",
        "the smallest of a few sizes, one for each orientation and min_size, so that "
        "runtime.cuda_graphs has few graphs to record"}});
}

/// Normalisation layers of the backbone.
enum class Norm { FrozenBatch, Batch, SyncBatch, Group };
constexpr auto enumTexts(Norm) {
  using enum Norm;
  return std::to_array<Choice<Norm>>(
      {{FrozenBatch, "frozen_batch", "batch norm with fixed statistics, weights and biases"},
       {Batch, "batch", "batch norm over the images of each rank"},
       {SyncBatch, "sync_batch", "batch norm over the images of all ranks"},
       {Group, "group", "group norm of 32 groups, for small batches and from scratch"}});
}
/// Whether its statistics follow every batch of the training.
constexpr bool hasBatchStatistics(Norm norm) {
  return norm == Norm::Batch || norm == Norm::SyncBatch;
}

enum class OptimizerKind { Sgd, AdamW };
constexpr auto enumTexts(OptimizerKind) {
  using enum OptimizerKind;
  return std::to_array<Choice<OptimizerKind>>(
      {{Sgd, "sgd", "SGD with momentum"}, {AdamW, "adamw", "AdamW, whose base_lr is near 0.0001"}});
}

/// How the learning rate falls after the warm-up: learning_rate_schedule.cpp has the formulas.
enum class Schedule { Step, Cosine, Linear, Constant };
constexpr auto enumTexts(Schedule) {
  using enum Schedule;
  return std::to_array<Choice<Schedule>>({{Step, "step", "times gamma at each milestone"},
                                          {Cosine, "cosine", "along half a cosine to 0"},
                                          {Linear, "linear", "along a line to 0"},
                                          {Constant, "constant", "not at all"}});
}

enum class Device { Cpu, Cuda };
constexpr auto enumTexts(Device) {
  using enum Device;
  return std::to_array<Choice<Device>>(
      {{Cpu, "cpu", ""}, {Cuda, "cuda", "GPUs, and an error without one"}});
}

/// What ranks talk through.
enum class Backend { Nccl, Gloo };
constexpr auto enumTexts(Backend) {
  using enum Backend;
  return std::to_array<Choice<Backend>>({{Nccl, "nccl", ""}, {Gloo, "gloo", ""}});
}

/// What the network computes in.
enum class Precision { Fp32, Tf32, Bf16, Fp16 };
constexpr auto enumTexts(Precision) {
  using enum Precision;
  return std::to_array<Choice<Precision>>(
      {{Fp32, "fp32", "without TF32"},
       {Tf32, "tf32", "with TF32 on GPUs"},
       {Bf16, "bf16", "mixed precision"},
       {Fp16, "fp16", "mixed precision with loss scaling, for GPUs"}});
}
constexpr bool isHalf(std::optional<Precision> precision) {
  return precision == Precision::Bf16 || precision == Precision::Fp16;
}

}  // namespace lockstep::config
