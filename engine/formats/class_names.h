#pragma once

#include "engine/formats/source.h"

namespace lockstep::formats {

/// Removes blanks and line breaks that editors and XML formatters add to class names. Merges
/// categories that then have one name. Reports each changed name as a fault.
void foldClassNames(Source& source);

}  // namespace lockstep::formats
