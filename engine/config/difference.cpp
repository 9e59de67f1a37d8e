#include "engine/config/fields.h"
#include "engine/config/load.h"

namespace lockstep::config {

std::vector<ConfigDifference> difference(const Experiment& left, const Experiment& right) {
  std::vector<ConfigDifference> differences;
  for (const Field& field : fields()) {
    if (field.key == "base") continue;  // where values come from, not a value
    // Texts read back to the same value, so equal texts are equal values.
    std::string leftText = field.text(left), rightText = field.text(right);
    if (leftText == rightText) continue;
    differences.push_back({field.key, std::move(leftText), std::move(rightText)});
  }
  return differences;
}

}  // namespace lockstep::config
