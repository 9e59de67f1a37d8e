#pragma once

#include <QPointF>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace lockstep::widgets {

/// Identifies a picture by what is drawn, to a quarter of a pixel.
class PictureKey {
 public:
  void add(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3ULL + 0x9e3779b9ULL; }
  void add(double value) {
    add(static_cast<std::uint64_t>(std::isfinite(value)
                                       ? std::llround(std::clamp(value, -1e9, 1e9) * 4)
                                       : std::int64_t{1} << 40));
  }
  void add(const std::vector<QPointF>& line) {
    add(static_cast<std::uint64_t>(line.size()));
    for (const QPointF& point : line) {
      add(point.x());
      add(point.y());
    }
  }
  void addExactly(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace lockstep::widgets
