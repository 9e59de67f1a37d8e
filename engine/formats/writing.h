#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/formats/export.h"

/// Writers of other programs' formats. Used only in this folder.
namespace lockstep::formats {

struct ExportedImage {
  const SourceImage& image;
  std::string fileName;  ///< unique in its part, as is its stem
  const char* part;      ///< `train`

  std::string stem() const { return fs::path(fileName).stem().string(); }
};

/// Writes a dataset, an image after another.
class DatasetWriter {
 public:
  virtual ~DatasetWriter() = default;
  virtual void add(const ExportedImage& image) = 0;
  /// Where the image file goes, below the folder.
  virtual fs::path placeOf(const ExportedImage& image) const = 0;
  virtual void finish() {}
};

using Losses = std::map<std::string, std::int64_t>;

std::unique_ptr<DatasetWriter> makeWriter(ExportFormat format, const fs::path& folder,
                                          const std::vector<coco::Category>& categories,
                                          const ImageCodec& codec, Losses& losses);

std::unique_ptr<DatasetWriter> makeLabelMeWriter(const fs::path& folder, const ImageCodec& codec);
std::unique_ptr<DatasetWriter> makeYoloWriter(const fs::path& folder,
                                              const std::vector<coco::Category>& categories,
                                              Losses& losses);
std::unique_ptr<DatasetWriter> makeCvatWriter(const fs::path& folder,
                                              const std::vector<coco::Category>& categories,
                                              Losses& losses);
std::unique_ptr<DatasetWriter> makeMaskWriter(const fs::path& folder,
                                              const std::vector<coco::Category>& categories,
                                              const ImageCodec& codec, Losses& losses);

/// The object's polygons, or those along the edges of its mask's pixels, holes included.
std::vector<std::vector<double>> polygonsOf(const SourceObject& object);
/// The mask of an object that has one.
coco::Rle maskOf(const SourceObject& object, base::ImageSize size);

/// Makes the folder and writes the file.
void writeFile(const fs::path& file, const std::string& content);

}  // namespace lockstep::formats
