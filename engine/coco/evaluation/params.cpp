#include "engine/coco/evaluation/params.h"

#include <algorithm>

namespace lockstep::coco {
namespace {

/// Behind AP and AR: `s` for small.
std::string suffixOf(const std::string& size) {
  const bool isCocos = std::ranges::find(kObjectSizeNames, size) != kObjectSizeNames.end();
  return isCocos ? size.substr(0, 1) : "_" + size;
}

}  // namespace

std::vector<AreaRange> cocoAreas() {
  std::vector<AreaRange> areas;
  for (std::size_t s = 0; s < kObjectSizeCount; ++s)
    areas.push_back({limitsOf(static_cast<ObjectSize>(s)), kObjectSizeNames[s]});
  return areas;
}

std::vector<std::string> metricNames(const Params& params) {
  std::vector<std::string> names{"AP", "AP50", "AP75"};
  for (std::size_t a = 1; a < params.areas.size(); ++a)
    names.push_back("AP" + suffixOf(params.areas[a].name));
  for (const std::size_t count : params.maxDetections)
    names.push_back("AR" + std::to_string(count));
  for (std::size_t a = 1; a < params.areas.size(); ++a)
    names.push_back("AR" + suffixOf(params.areas[a].name));
  return names;
}

}  // namespace lockstep::coco
