#include "engine/formats/export.h"

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/base/new_folder.h"
#include "engine/formats/import.h"
#include "engine/formats/writing.h"

namespace lockstep::formats {
namespace {

constexpr const char* kPartNames[] = {"train", "val", "test"};

/// Names of the images in their part, without folders; unique there.
class ImageNames {
 public:
  std::string nameOf(const SourceImage& image, Part part) {
    const std::string stem = image.file.stem().string(),
                      extension = image.file.extension().string();
    std::string name = stem;
    for (int number = 2; !taken_.insert({part, name}).second; ++number)
      name = stem + "-" + std::to_string(number);
    return name + extension;
  }

 private:
  std::set<std::pair<Part, std::string>> taken_;  ///< stems: label files are named by them
};

/// No format has a mask without a pixel.
void leaveOutEmpty(SourceImage& image, Losses& losses) {
  std::erase_if(image.objects, [&](const SourceObject& object) {
    const bool isEmpty = object.hasMask() && coco::areaPx(maskOf(object, image.size)) == 0;
    if (isEmpty) ++losses["objects with an empty mask: left out"];
    return isEmpty;
  });
}

Format formatOf(ExportFormat format) {
  switch (format) {
    case ExportFormat::LabelMe:
      return Format::LabelMe;
    case ExportFormat::Yolo:
      return Format::Yolo;
    case ExportFormat::Cvat:
      return Format::Cvat;
    case ExportFormat::Masks:
      return Format::Masks;
  }
  return Format::Masks;
}

}  // namespace

ExportReport exportDataset(
    const ExportOptions& options, const ImageCodec& images,
    const std::function<void(const std::string&, std::size_t, std::size_t)>& onProgress) {
  const base::NewFolder folder(options.out);
  const fs::path extracted = folder.path() / ".extracted";
  ReadDataset read =
      readDataset({.source = options.source, .out = options.out}, extracted, images, onProgress);
  Source& source = read.source;
  if (source.images.empty()) {
    throw Error(options.source.string() + ": has no images" +
                (source.faults.empty() ? "" : "; " + source.faults[0].text()));
  }
  ExportReport report;
  report.format = read.format;
  report.faults = source.faults;
  report.exif = read.exif;
  report.otherFormats = read.otherFormats;
  const ExifUse exif = usualExifUse(formatOf(options.format));
  const std::unique_ptr<DatasetWriter> writer =
      makeWriter(options.format, folder.path(), source.categories, images, report.losses);
  ImageNames names;
  for (SourceImage& image : source.images) {
    leaveOutEmpty(image, report.losses);
    turnFor(exif, image);
    const Part part = image.part.value_or(Part::Train);
    const ExportedImage exported{image, names.nameOf(image, part),
                                 kPartNames[static_cast<std::size_t>(part)]};
    writer->add(exported);
    const fs::path copy = folder.path() / writer->placeOf(exported);
    std::error_code failure;
    fs::create_directories(copy.parent_path(), failure);
    if (!failure) fs::copy_file(image.picture(), copy, failure);
    if (failure) throw Error(image.file.string() + ": cannot be copied: " + failure.message());
    ++report.images;
    report.objects += static_cast<std::int64_t>(image.objects.size());
    if (onProgress)
      onProgress("exporting", static_cast<std::size_t>(report.images), source.images.size());
  }
  writer->finish();
  fs::remove_all(extracted);
  folder.finish();
  return report;
}

}  // namespace lockstep::formats
