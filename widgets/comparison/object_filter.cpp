#include "widgets/comparison/object_filter.h"

#include <algorithm>

namespace lockstep::widgets {

bool ObjectFilter::passes(const PairedObject& object) const {
  if (category && object.category != *category) return false;
  if (!coco::isOfSize(object.areaPx, size)) return false;
  return leastScore <= 0 || std::ranges::any_of(object.finds, [this](const PairedFind& find) {
           return static_cast<double>(find.score) >= leastScore;  // NaN is not
         });
}

}  // namespace lockstep::widgets
