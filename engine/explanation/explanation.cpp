#include "engine/explanation/explanation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/base64.h"
#include "engine/base/error.h"

namespace lockstep::explanation {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostOfByte = 255.0;

/// Of lengths and scores that are only shown.
double rounded(double value, double perUnit) {
  return std::isfinite(value) ? std::round(value * perUnit) / perUnit : 0.0;
}
double score(double value) { return rounded(value, 1e4); }
Json box(const BoxXywh& of) {
  Json numbers = Json::array();
  for (const double length : of) numbers.push_back(rounded(length, 100));
  return numbers;
}

Json toJson(const Level& level) {
  return {{"bbox", box(level.place)}, {"width", level.width},
          {"height", level.height},   {"anchors", level.anchors},
          {"matched", level.matched}, {"scores", base::encodeBase64(level.scores)}};
}
Json toJson(const Truth& truth) {
  return {{"category_id", truth.category.value}, {"bbox", box(truth.box)}};
}
Json toJson(const Anchor& anchor) {
  Json json{{"bbox", box(anchor.box)}, {"level", anchor.level}, {"score", score(anchor.score)}};
  if (anchor.truth >= 0) json.update({{"truth", anchor.truth}, {"iou", score(anchor.iou)}});
  return json;
}
Json toJson(const ClassScore& likely) {
  return {{"category_id", likely.category ? Json(likely.category->value) : Json(nullptr)},
          {"score", score(likely.score)}};
}
Json toJson(const Proposal& proposal) {
  return {{"bbox", box(proposal.box)},
          {"anchor", box(proposal.anchor)},
          {"level", proposal.level},
          {"score", score(proposal.score)},
          {"best", toJson(proposal.best)}};
}
Json toJson(const Detection& detection);
template <typename Part>
Json listOf(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(toJson(part));
  return list;
}
/// An entry of COCO's results with more members.
Json toJson(const Detection& detection) {
  Json json = Json::parse(coco::detectionsToJson({detection.detection})).at(0);
  json["proposal"] = detection.proposal;
  json["classes"] = listOf(detection.classes);
  if (!detection.mask.empty()) json["mask"] = base::encodeBase64(detection.mask);
  return json;
}

/// Reads the members of the file, and says which one is wrong.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  template <typename Value>
  void operator()(const char* name, Value& value) const {
    try {
      value = json_.at(name).get<Value>();
    } catch (const Json::exception&) {
      fail(std::string(name) + " is missing or of a wrong type");
    }
  }
  void bytes(const char* name, std::string& value, std::size_t count) const {
    std::string text;
    (*this)(name, text);
    value = base::decodeBase64(text);
    if (value.size() != count) fail(std::string(name) + " has another size");
  }
  /// Of one of `count`.
  void place(const char* name, int& value, std::size_t count) const {
    (*this)(name, value);
    if (value < 0 || static_cast<std::size_t>(value) >= count)
      fail(std::string(name) + " " + std::to_string(value) + " is not there");
  }
  bool has(const char* name) const { return json_.is_object() && json_.contains(name); }
  const Json& at(const char* name) const {
    if (!has(name)) fail(std::string(name) + " is missing");
    return json_.at(name);
  }
  Reader in(const char* name) const { return {at(name), where_ + ": " + name}; }
  /// Calls read(Reader, part) for each element of a list.
  template <typename Part, typename Read>
  void list(const char* name, std::vector<Part>& parts, const Read& read) const {
    const Json& all = at(name);
    if (!all.is_array()) fail(std::string(name) + " is not a list");
    for (const Json& element : all) {
      parts.emplace_back();
      read(Reader(element, where_ + ": " + name + " " + std::to_string(parts.size())),
           parts.back());
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(where_ + ": " + what + "; ask again");
  }

 private:
  const Json& json_;
  std::string where_;
};

void readLevel(const Reader& from, Level& level) {
  from("bbox", level.place);
  from("width", level.width);
  from("height", level.height);
  from("anchors", level.anchors);
  from("matched", level.matched);
  if (level.width < 0 || level.height < 0) from.fail("its size is negative");
  from.bytes("scores", level.scores, std::size_t(level.width) * std::size_t(level.height));
}

void readTruth(const Reader& from, Truth& truth) {
  from("category_id", truth.category.value);
  from("bbox", truth.box);
}

void readClass(const Reader& from, ClassScore& likely) {
  if (!from.at("category_id").is_null()) from("category_id", likely.category.emplace().value);
  from("score", likely.score);
}

void readAnchor(const Reader& from, Anchor& anchor, const Explanation& of) {
  from("bbox", anchor.box);
  from.place("level", anchor.level, of.levels.size());
  from("score", anchor.score);
  if (!from.has("truth")) return;
  from.place("truth", anchor.truth, of.truths.size());
  from("iou", anchor.iou);
}

void readProposal(const Reader& from, Proposal& proposal, const Explanation& of) {
  from("bbox", proposal.box);
  from("anchor", proposal.anchor);
  from.place("level", proposal.level, of.levels.size());
  from("score", proposal.score);
  readClass(from.in("best"), proposal.best);
}

void readDetections(const Reader& from, const std::string& name, Explanation& into) {
  std::vector<coco::Detection> found =
      coco::parseDetections(from.at("detections").dump(), name + ": detections");
  std::size_t next = 0;
  from.list("detections", into.detections, [&](const Reader& each, Detection& detection) {
    detection.detection = std::move(found.at(next++));
    each.place("proposal", detection.proposal, into.proposals.size());
    each.list("classes", detection.classes, readClass);
    const auto side = static_cast<std::size_t>(into.maskSide);
    if (each.has("mask")) each.bytes("mask", detection.mask, side * side);
  });
}

}  // namespace

double Level::score(int row, int column) const {
  return static_cast<unsigned char>(
             scores[std::size_t(row) * std::size_t(width) + std::size_t(column)]) /
         kMostOfByte;
}

std::uint8_t byteOf(double probability) {
  const double limited = probability > 0 ? std::min(probability, 1.0) : 0.0;  // NaN is not > 0
  return static_cast<std::uint8_t>(std::lround(limited * kMostOfByte));
}

std::string toJson(const Explanation& of) {
  const Json json{{"image_id", of.image.value},
                  {"width", of.width},
                  {"height", of.height},
                  {"fg_iou", of.foregroundIou},
                  {"bg_iou", of.backgroundIou},
                  {"score_threshold", of.scoreThreshold},
                  {"levels", listOf(of.levels)},
                  {"truths", listOf(of.truths)},
                  {"anchors", listOf(of.anchors)},
                  {"proposal_count", of.proposalCount},
                  {"proposals", listOf(of.proposals)},
                  {"mask_side", of.maskSide},
                  {"detections", listOf(of.detections)}};
  return json.dump() + "\n";
}

Explanation parseExplanation(const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(name + ": not JSON (the file is truncated or damaged)");
  const Reader from(json, name);
  Explanation of;
  from("image_id", of.image.value);
  from("width", of.width);
  from("height", of.height);
  from("fg_iou", of.foregroundIou);
  from("bg_iou", of.backgroundIou);
  from("score_threshold", of.scoreThreshold);
  from.list("levels", of.levels, readLevel);
  from.list("truths", of.truths, readTruth);
  from.list("anchors", of.anchors,
            [&](const Reader& each, Anchor& anchor) { readAnchor(each, anchor, of); });
  from("proposal_count", of.proposalCount);
  from.list("proposals", of.proposals,
            [&](const Reader& each, Proposal& proposal) { readProposal(each, proposal, of); });
  from("mask_side", of.maskSide);
  if (of.maskSide < 0) from.fail("mask_side is negative");
  readDetections(from, name, of);
  return of;
}

}  // namespace lockstep::explanation
