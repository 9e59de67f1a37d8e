#pragma once

#include <string>
#include <vector>

#include "engine/formats/export.h"
#include "engine/formats/import.h"

namespace lockstep::formats {

/// What was imported, for people: parts, classes, what was lost.
std::string summaryOf(const ImportReport& report, const ImportOptions& options);

/// What was exported.
std::string summaryOf(const ExportReport& report);

/// Warnings about the source: further formats, and EXIF orientations decided by habit alone.
std::vector<std::string> warningsOf(const ExifDecision& exif, Format format,
                                    const std::vector<FoundFormat>& otherFormats);

/// The first faults, each a line, and how many there are.
std::vector<std::string> faultLines(const std::vector<Fault>& faults, const std::string& remedy);

}  // namespace lockstep::formats
