#include "engine/config/duration.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace lockstep::config {

std::int64_t Duration::steps(std::int64_t trainImages, std::int64_t batchSize) const {
  if (count <= 0) return 0;
  double steps = count;
  if (unit == Unit::Epochs) steps *= static_cast<double>(trainImages);
  if (unit != Unit::Steps) steps /= static_cast<double>(std::max<std::int64_t>(batchSize, 1));
  // 0.1 epochs of 60 images are 6 images, not 6.000000000000001 as in double arithmetic.
  const double whole = std::ceil(steps * (1 - 1e-12));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole));
}

std::int64_t Duration::steps() const {
  if (unit != Unit::Steps) throw Error("a duration of the experiment is not in steps yet");
  return static_cast<std::int64_t>(count);
}

}  // namespace lockstep::config
