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
    if (isEmpty) ++losses["objects whose mask has no pixel: left out"];
    return isEmpty;
  });
}

}  // namespace

ExportReport exportDataset(
    const ExportOptions& options, const ImageCodec& images,
    const std::function<void(const std::string&, std::size_t, std::size_t)>& onProgress) {
  const base::NewFolder folder(options.out);
  Source source =
      readDataset({.source = options.source, .out = options.out}, images, onProgress).source;
  if (source.images.empty()) {
    throw Error(options.source.string() + ": has no images" +
                (source.faults.empty() ? "" : "; " + source.faults[0].text()));
  }
  ExportReport report;
  report.faults = source.faults;
  const std::unique_ptr<DatasetWriter> writer =
      makeWriter(options.format, folder.path(), source.categories, images, report.losses);
  ImageNames names;
  for (SourceImage& image : source.images) {
    leaveOutEmpty(image, report.losses);
    const Part part = image.part.value_or(Part::Train);
    const ExportedImage exported{image, names.nameOf(image, part),
                                 kPartNames[static_cast<std::size_t>(part)]};
    writer->add(exported);
    const fs::path copy = folder.path() / writer->placeOf(exported);
    std::error_code failure;
    fs::create_directories(copy.parent_path(), failure);
    if (!failure) fs::copy_file(image.file, copy, failure);
    if (failure) throw Error(image.file.string() + ": cannot be copied: " + failure.message());
    ++report.images;
    report.objects += static_cast<std::int64_t>(image.objects.size());
    if (onProgress)
      onProgress("exporting", static_cast<std::size_t>(report.images), source.images.size());
  }
  writer->finish();
  folder.finish();
  return report;
}

}  // namespace lockstep::formats
