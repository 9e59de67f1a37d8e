#pragma once

#include <QString>

#include "engine/coco/analysis/error_types.h"

namespace lockstep::widgets {

/// How a type of error is named wherever a person sees it.
struct ErrorText {
  QString key;       ///< in coco-eval's files: "both"
  QString name;      ///< "class and localisation"
  QString sentence;  ///< what it means
};

ErrorText errorText(coco::ErrorType type);

}  // namespace lockstep::widgets
