#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/config/fields.h"
#include "engine/config/other_tools.h"

namespace lockstep::config {
namespace {

std::string_view lastName(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

/// Number of insertions, deletions, replacements and swaps of adjacent characters
/// (Damerau-Levenshtein).
int editDistance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<int> cells((left.size() + 1) * width);
  for (std::size_t i = 0; i <= left.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      int& cell = cells[i * width + j];
      if (i == 0 || j == 0) {
        cell = static_cast<int>(i + j);
        continue;
      }
      const int replaced = cells[(i - 1) * width + j - 1] + (left[i - 1] != right[j - 1]);
      cell = std::min({cells[(i - 1) * width + j] + 1, cells[i * width + j - 1] + 1, replaced});
      const bool isSwap =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (isSwap) cell = std::min(cell, cells[(i - 2) * width + j - 2] + 1);
    }
  }
  return cells.back();
}

int maxEdits(std::string_view word) { return std::max(1, static_cast<int>(word.size()) / 3); }

constexpr int kFar = std::numeric_limits<int>::max();

/// Distance of `candidate` from the written key; kFar if it is not near.
int keyDistance(const std::string& written, const std::string& candidate) {
  const std::string_view last = lastName(written), candidateLast = lastName(candidate);
  const int whole = editDistance(written, candidate);
  int best = whole <= maxEdits(last) ? 2 * whole : kFar;
  const int edits = editDistance(last, candidateLast);
  if (edits <= maxEdits(last)) best = std::min(best, 2 * edits + 1);
  // `lr` means base_lr, `threads` means loader_threads.
  const bool isTail = last.size() >= 2 && candidateLast.ends_with("_" + std::string(last));
  if (isTail) best = std::min(best, 2 * maxEdits(last) + 2);
  return best;
}

/// Our value for one that detectron2, PyTorch or Lightning use and that is too far for the edit
/// distance, or near another one; "" if it is not among the candidates.
std::string valueFromOtherTools(std::string_view word, const std::vector<std::string>& candidates) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kWords{{
      {"gpu", "cuda"},
      {"bn", "batch"},
      {"gn", "group"},
      {"syncbn", "sync_batch"},
      {"sync_bn", "sync_batch"},
      {"frozenbn", "frozen_batch"},
      {"frozen_bn", "frozen_batch"},
      {"multistep", "step"},
      {"multisteplr", "step"},
      {"warmupmultisteplr", "step"},
      {"cosineannealinglr", "cosine"},
      {"warmupcosinelr", "cosine"},
      {"half", "fp16"},
      {"float16", "fp16"},
      {"bfloat16", "bf16"},
      {"float32", "fp32"},
      {"float", "fp32"},
      {"amp", "auto"},
      {"mixed", "auto"},
      {"16", "fp16"},
      {"16_mixed", "fp16"},
      {"bf16_mixed", "bf16"},
      {"32", "fp32"},
      {"32_true", "fp32"},
  }};
  for (const auto& [theirs, ours] : kWords) {
    if (word != theirs) continue;
    const auto found = std::find(candidates.begin(), candidates.end(), ours);
    if (found != candidates.end()) return *found;
  }
  return {};
}

std::string nearestOf(std::string_view key, const std::vector<std::string>& candidates) {
  const std::string written = normalisedKey(key.substr(0, 100));
  std::string nearest;
  int least = kFar, leastWhole = kFar;
  for (const std::string& candidate : candidates) {
    const int distance = keyDistance(written, candidate);
    const int whole = editDistance(written, candidate);  // settles ties such as rpn and box_head
    if (distance == kFar || distance > least || (distance == least && whole >= leastWhole))
      continue;
    least = distance;
    leastWhole = whole;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace

std::string nearestKey(std::string_view key, const YamlNode* value) {
  if (const auto here = keyHere(key, value); here && here->advice.empty()) return here->key;
  std::vector<std::string> candidates;
  for (const Field& field : fields()) candidates.push_back(field.key);
  const std::string nearest = nearestOf(key, candidates);
  return nearest.empty() ? keyHereByLastName(key) : nearest;
}

std::string nearestSection(std::string_view key) {
  if (const auto here = keyHere(key); here && isSection(here->key)) return here->key;
  std::vector<std::string> candidates;
  for (const Field& field : fields()) {
    for (std::size_t dot = field.key.find('.'); dot != std::string::npos;
         dot = field.key.find('.', dot + 1)) {
      const std::string section = field.key.substr(0, dot);
      if (std::find(candidates.begin(), candidates.end(), section) == candidates.end()) {
        candidates.push_back(section);
      }
    }
  }
  return nearestOf(key, candidates);
}

std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string written = normalisedKey(word.substr(0, 100));
  if (std::string ours = valueFromOtherTools(written, candidates); !ours.empty()) return ours;
  std::string nearest;
  int least = maxEdits(word) + 1;
  for (const std::string& candidate : candidates) {
    const int distance = editDistance(written, normalisedKey(candidate));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty() || written.empty()) return nearest;
  const auto tail =
      std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
        return normalisedKey(candidate).ends_with("/" + written);  // AP means segm/AP
      });
  return tail == candidates.end() ? std::string() : *tail;
}

}  // namespace lockstep::config
