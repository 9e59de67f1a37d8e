#include "engine/formats/writing.h"

#include <fstream>

#include "engine/base/error.h"

namespace lockstep::formats {

std::vector<std::vector<double>> polygonsOf(const SourceObject& object) {
  if (const auto* polygons = std::get_if<0>(&object.segmentation)) return *polygons;
  std::vector<std::vector<double>> polygons;
  for (const auto& contour : coco::contours(std::get<coco::Rle>(object.segmentation))) {
    std::vector<double>& xy = polygons.emplace_back();
    for (const auto& [x, y] : contour) {
      xy.push_back(x);
      xy.push_back(y);
    }
  }
  return polygons;
}

coco::Rle maskOf(const SourceObject& object, base::ImageSize size) {
  coco::Annotation annotation;
  annotation.segmentation = object.segmentation;
  coco::Image image;
  image.width = static_cast<int>(size.width);
  image.height = static_cast<int>(size.height);
  return coco::annotationMask(annotation, image);
}

void writeFile(const fs::path& file, const std::string& content) {
  // The folder appears whole or not at all: its files need no care of their own.
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  std::ofstream stream(file, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (failure || !stream) throw Error(file.string() + ": cannot be written");
}

std::unique_ptr<DatasetWriter> makeWriter(ExportFormat format, const fs::path& folder,
                                          const std::vector<coco::Category>& categories,
                                          const ImageCodec& codec, Losses& losses) {
  switch (format) {
    case ExportFormat::LabelMe:
      return makeLabelMeWriter(folder, codec);
    case ExportFormat::Yolo:
      return makeYoloWriter(folder, categories, losses);
    case ExportFormat::Cvat:
      return makeCvatWriter(folder, categories, losses);
    case ExportFormat::Masks:
      return makeMaskWriter(folder, categories, codec, losses);
  }
  return nullptr;
}

}  // namespace lockstep::formats
