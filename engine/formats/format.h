#pragma once

#include <optional>
#include <string>

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

/// By the files in a folder, or by one file; nullopt: unknown.
std::optional<Format> detectFormat(const fs::path& path);

/// `12 .json, 3 .png`: the kinds of files in a folder, for messages.
std::string filesText(const fs::path& path);

struct Reading;
/// Reads a dataset. Errors of entries are its faults. Throws Error only if nothing can be read.
Source readSource(Format format, const Reading& reading);

}  // namespace lockstep::formats
