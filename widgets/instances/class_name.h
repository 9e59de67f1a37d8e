#pragma once

#include <QString>

#include "engine/base/shortened_text.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::widgets {

/// The name of a class as one line, whatever its file says.
inline QString nameOf(const coco::Category& category) {
  return QString::fromStdString(base::printable(category.name));
}

}  // namespace lockstep::widgets
