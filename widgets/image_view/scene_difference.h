#pragma once

#include <QRectF>
#include <vector>

namespace lockstep::widgets {

struct CanvasScene;

/// The parts of an image, px, in which two scenes of it are drawn differently; lines are drawn
/// beyond them by their widths. Labels are not compared.
std::vector<QRectF> changedParts(const CanvasScene& before, const CanvasScene& now);

}  // namespace lockstep::widgets
