#include "engine/events/tags.h"

#include <charconv>

namespace lockstep::events::tags {
namespace {

constexpr std::string_view kTrain = "train/", kEval = "eval/";
constexpr std::string_view kTrainLosses = "train/loss_", kEvalLosses = "eval/loss_";

/// Offset of the N in a pattern; npos: not a pattern.
std::size_t numberOffset(std::string_view pattern) { return pattern.find("N/"); }

}  // namespace

std::string train(std::string_view name) { return std::string(kTrain).append(name); }
std::string eval(std::string_view name) { return std::string(kEval).append(name); }
std::string apOfClass(const char* apTag, std::int64_t categoryId) {
  return apTag + ("/class/" + std::to_string(categoryId));
}
std::string evalPredictions(std::int64_t imageId) {
  return eval("predictions/" + std::to_string(imageId));
}
bool isTrainLoss(std::string_view tag) { return tag.starts_with(kTrainLosses); }
bool isEvalLoss(std::string_view tag) { return tag.starts_with(kEvalLosses); }
std::string_view nameIn(std::string_view tag) { return tag.substr(tag.find('/') + 1); }

std::string matchedAnchors(std::size_t level) {
  return "rpn/matched/p" + std::to_string(level + 2);
}

bool isHyperParameters(std::string_view tag) { return tag.starts_with("_hparams_/"); }

bool isNumbered(std::string_view pattern) {
  return numberOffset(pattern) != std::string_view::npos;
}

std::string numbered(std::string_view pattern, int number) {
  std::string tag(pattern);
  if (isNumbered(pattern)) tag.replace(numberOffset(pattern), 1, std::to_string(number));
  return tag;
}

std::optional<int> numberIn(std::string_view tag, std::string_view pattern) {
  const std::string_view before = pattern.substr(0, numberOffset(pattern));
  if (!isNumbered(pattern) || !tag.starts_with(before)) return std::nullopt;
  tag.remove_prefix(before.size());
  int number = 0;
  const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), number);
  if (error != std::errc()) return std::nullopt;
  tag.remove_prefix(static_cast<std::size_t>(end - tag.data()));
  return tag == pattern.substr(before.size() + 1) ? std::optional(number) : std::nullopt;
}

}  // namespace lockstep::events::tags
