#pragma once

#include "engine/formats/source.h"

namespace lockstep::formats {

/// Leaves out blanks and line breaks around the names of classes, as editors and formatters of XML
/// make them. Categories of one name are one then. Says so in the faults.
void foldClassNames(Source& source);

}  // namespace lockstep::formats
