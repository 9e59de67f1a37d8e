#pragma once

#include <array>
#include <optional>

#include "engine/base/enum_text.h"

/// Enums of the experiment file. A key that may be `auto` is an optional enum; without a value it
/// has not been resolved yet.
namespace lockstep::config {

/// An enum value, its text in the file and its meaning for the key's help ("" where the help says
/// it already).
template <typename Enum>
struct Choice {
  Enum value;
  const char* text;
  const char* meaning;
};

/// The program chooses.
inline constexpr const char* kAuto = "auto";
template <base::HasTexts Enum>
constexpr const char* textOrAuto(std::optional<Enum> value) {
  return value ? base::textOf(*value) : kAuto;
}

enum class ImageCache { None, Ram };
constexpr auto enumTexts(ImageCache) {
  using enum ImageCache;
  return std::to_array<Choice<ImageCache>>({{None, "none", "off"}, {Ram, "ram", "in memory"}});
}

/// What is done about an image that cannot be read.
enum class BadImages { Fail, Skip };
constexpr auto enumTexts(BadImages) {
  using enum BadImages;
  return std::to_array<Choice<BadImages>>(
      {{Fail, "fail", "save a checkpoint and end the training"},
       {Skip, "skip", "leave it out, log it and list it in bad_images.jsonl"}});
}

enum class PadTo { Batch, Canonical };
constexpr auto enumTexts(PadTo) {
  using enum PadTo;
  return std::to_array<Choice<PadTo>>(
      {{Batch, "batch", "the largest image of the batch"},
       {Canonical, "canonical",
        "the smallest that fits of a few sizes, one per orientation and min_size, so that "
        "runtime.cuda_graphs captures few graphs"}});
}

/// Normalisation layers of the backbone.
enum class Norm { FrozenBatch, Batch, SyncBatch, Group };
constexpr auto enumTexts(Norm) {
  using enum Norm;
  return std::to_array<Choice<Norm>>(
      {{FrozenBatch, "frozen_batch", "batch norm with frozen statistics, weights and biases"},
       {Batch, "batch", "batch norm over the images of each rank"},
       {SyncBatch, "sync_batch", "batch norm over the images of all ranks"},
       {Group, "group",
        "group norm with 32 groups, for small batches and for training from scratch"}});
}
/// Whether its statistics are computed from each training batch.
constexpr bool hasBatchStatistics(Norm norm) {
  return norm == Norm::Batch || norm == Norm::SyncBatch;
}

enum class OptimizerKind { Sgd, AdamW };
constexpr auto enumTexts(OptimizerKind) {
  using enum OptimizerKind;
  return std::to_array<Choice<OptimizerKind>>(
      {{Sgd, "sgd", "SGD with momentum"}, {AdamW, "adamw", "AdamW, usually with base_lr 0.0001"}});
}

/// How the learning rate decays after the warm-up; the formulas are in learning_rate_schedule.cpp.
enum class Schedule { Step, Cosine, Linear, Constant };
constexpr auto enumTexts(Schedule) {
  using enum Schedule;
  return std::to_array<Choice<Schedule>>({{Step, "step", "multiplied by gamma at each milestone"},
                                          {Cosine, "cosine", "half a cosine down to 0"},
                                          {Linear, "linear", "linearly down to 0"},
                                          {Constant, "constant", "no decay"}});
}

enum class Device { Cpu, Cuda };
constexpr auto enumTexts(Device) {
  using enum Device;
  return std::to_array<Choice<Device>>(
      {{Cpu, "cpu", ""}, {Cuda, "cuda", "GPUs; an error if there is none"}});
}

/// Communication backend of the process group.
enum class Backend { Nccl, Gloo };
constexpr auto enumTexts(Backend) {
  using enum Backend;
  return std::to_array<Choice<Backend>>({{Nccl, "nccl", ""}, {Gloo, "gloo", ""}});
}

/// Precision of the network's computations.
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
