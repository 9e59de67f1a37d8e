#pragma once

#include <string>
#include <vector>

#include "engine/base/enum_text.h"
#include "engine/formats/source.h"

namespace lockstep::formats {

enum class Format {
  Coco,
  Lvis,
  LabelMe,
  Yolo,
  Voc,
  Cvat,
  Via,
  Cityscapes,
  LabelStudio,
  GeoJson,
  Masks
};
constexpr auto enumTexts(Format) {
  using enum Format;
  return std::to_array<base::EnumText<Format>>({{Coco, "coco"},
                                                {Lvis, "lvis"},
                                                {LabelMe, "labelme"},
                                                {Yolo, "yolo"},
                                                {Voc, "voc"},
                                                {Cvat, "cvat"},
                                                {Via, "via"},
                                                {Cityscapes, "cityscapes"},
                                                {LabelStudio, "labelstudio"},
                                                {GeoJson, "geojson"},
                                                {Masks, "masks"}});
}

struct FoundFormat {
  Format format = Format::Coco;
  fs::path example{};  ///< an annotation file, or a folder of them
};

/// The formats of the annotations in a folder, or of one file; the first is the one to read.
std::vector<FoundFormat> formatsIn(const fs::path& path);

/// Names an archive, or a damaged file with the place of its fault, if no format was found; empty:
/// there is none of these.
std::string formatProblem(const fs::path& path);

/// `12 .json, 3 .png`: the kinds of files in a folder, for messages.
std::string filesText(const fs::path& path);

struct Reading;
/// Reads a dataset. Errors of entries are its faults. Throws Error only if nothing can be read.
Source readSource(Format format, const Reading& reading);

}  // namespace lockstep::formats
