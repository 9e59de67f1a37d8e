#pragma once

#include <QRectF>
#include <array>

namespace lockstep::widgets {

inline QRectF rectOf(const std::array<double, 4>& boxXywh) {
  return {boxXywh[0], boxXywh[1], boxXywh[2], boxXywh[3]};
}

}  // namespace lockstep::widgets
