#pragma once

#include <QSizeF>
#include <vector>

#include "widgets/image_view/shown_results.h"

class QPainter;

namespace lockstep::widgets {

/// The same image with the results of each, beside each other, and below them what it is of. An
/// image has its own resolution: one px each of its pixels. Any thread.
QSizeF pictureSize(const std::vector<ShownResults>& shown);
void paintPicture(QPainter& painter, const std::vector<ShownResults>& shown);

}  // namespace lockstep::widgets
