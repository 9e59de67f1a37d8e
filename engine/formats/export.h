#pragma once

#include <functional>

#include "engine/base/enum_text.h"
#include "engine/formats/exif_rule.h"
#include "engine/formats/source.h"

namespace lockstep::formats {

enum class ExportFormat { LabelMe, Yolo, Cvat, Masks };
constexpr auto enumTexts(ExportFormat) {
  using enum ExportFormat;
  return std::to_array<base::EnumText<ExportFormat>>(
      {{LabelMe, "labelme"}, {Yolo, "yolo"}, {Cvat, "cvat"}, {Masks, "masks"}});
}

struct ExportOptions {
  fs::path source{};  ///< a dataset of any format that can be imported
  fs::path out{};     ///< a new folder
  ExportFormat format = ExportFormat::LabelMe;
};

struct ExportReport {
  Format format = Format::Coco;  ///< of the source
  std::int64_t images = 0, objects = 0;
  ExifDecision exif{};
  std::vector<FoundFormat> otherFormats{};
  std::vector<Fault> faults{};  ///< of reading the source
  std::map<std::string, std::int64_t> losses{};
};

/// `dataset export`: the images are copied. OUT appears whole or not at all. Throws UserError for
/// an unknown source, Error if it has no images.
ExportReport exportDataset(const ExportOptions& options, const ImageCodec& images,
                           const std::function<void(const std::string& what, std::size_t done,
                                                    std::size_t all)>& onProgress = {});

}  // namespace lockstep::formats
