#include "widgets/image_view/scene_difference.h"

#include <algorithm>
#include <map>
#include <utility>

#include "widgets/image_view/canvas_scene.h"

namespace lockstep::widgets {
namespace {

/// Mask and box.
QRectF partOf(const auto& drawn) { return drawn.box | drawn.outline.controlPointRect(); }

/// What an instance is of: a detection, or a missed object.
std::pair<int, int> keyOf(const CanvasScene::Instance& instance) {
  const InstanceFacts& facts = instance.facts;
  return {facts.detection, facts.detection < 0 ? facts.annotation : -1};
}

/// The IoU tells which is drawn over the other.
bool isDrawnAs(const CanvasScene::Instance& one, const CanvasScene::Instance& other) {
  return one.facts.verdict == other.facts.verdict && one.facts.iou == other.facts.iou &&
         one.colour == other.colour && one.box == other.box && one.outline == other.outline;
}

bool isDrawnAs(const CanvasScene::GroundTruth& one, const CanvasScene::GroundTruth& other) {
  return one.isCrowd == other.isCrowd && one.isMissed == other.isMissed &&
         one.isChosen == other.isChosen && one.box == other.box && one.outline == other.outline;
}

void compareInstances(const CanvasScene& before, const CanvasScene& now,
                      std::vector<QRectF>& parts) {
  std::map<std::pair<int, int>, const CanvasScene::Instance*> gone;
  for (const CanvasScene::Instance& instance : before.instances) gone[keyOf(instance)] = &instance;
  for (const CanvasScene::Instance& instance : now.instances) {
    const auto same = gone.find(keyOf(instance));
    if (same == gone.end()) {
      parts.push_back(partOf(instance));
      continue;
    }
    if (!isDrawnAs(*same->second, instance))
      parts.push_back(partOf(*same->second) | partOf(instance));
    gone.erase(same);
  }
  for (const auto& [key, instance] : gone) parts.push_back(partOf(*instance));
}

/// Those of a hidden class are in only one of the scenes, which moves the others.
void compareGroundTruths(const CanvasScene& before, const CanvasScene& now,
                         std::vector<QRectF>& parts) {
  const auto &one = before.groundTruths, &other = now.groundTruths;
  for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    if (i < one.size() && i < other.size() && isDrawnAs(one[i], other[i])) continue;
    if (i < one.size()) parts.push_back(partOf(one[i]));
    if (i < other.size()) parts.push_back(partOf(other[i]));
  }
}

}  // namespace

std::vector<QRectF> changedParts(const CanvasScene& before, const CanvasScene& now) {
  std::vector<QRectF> parts;
  compareInstances(before, now, parts);
  compareGroundTruths(before, now, parts);
  return parts;
}

}  // namespace lockstep::widgets
