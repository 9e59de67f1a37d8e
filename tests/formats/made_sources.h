#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/formats/import.h"
#include "engine/worker/dataset_images.h"

namespace lockstep::tests {

namespace fs = std::filesystem;

/// An object as it should come out of an import.
struct Expected {
  std::string image;  ///< stem
  std::string category;
  coco::Rle mask{};  ///< height 0: none
  std::array<double, 4> boxXywh{};
  bool isCrowd = false;
  bool operator==(const Expected&) const = default;
  std::string text() const;
};

/// A folder in which a test writes a source and imports it.
class SourceFolder {
 public:
  fs::path path() const { return fs::path(folder_.path().toStdString()) / "source"; }
  fs::path out() const { return fs::path(folder_.path().toStdString()) / "out"; }
  void write(const std::string& name, const std::string& text) const;
  /// A PNG of one grey value.
  void writeImage(const std::string& name, int width = kWidth, int height = kHeight) const;
  void writeLabels(const std::string& name, const formats::LabelImage& labels) const;
  /// A PNG with an EXIF orientation.
  void writeOriented(const std::string& name, const formats::LabelImage& stored,
                     int orientation) const;

  /// Imports into out(), which is emptied first.
  formats::ImportReport import(formats::ImportOptions options = {}) const;
  /// The annotation file of a part, `train` or `val`, after import().
  fs::path annotationsOf(const std::string& part) const;
  /// All objects of both parts after import(), ordered.
  std::vector<Expected> imported() const;
  /// Stems of a part's images, in order.
  std::vector<std::string> imagesOf(const char* part) const;

  static constexpr int kWidth = 40, kHeight = 30;

 private:
  QTemporaryDir folder_;
};

/// A line for each fault.
std::string faultsOf(const formats::ImportReport& report);

/// The objects that all made sources have: two in image a, one in b, none in c.
struct MadeObject {
  const char* image;
  const char* category;
  std::vector<double> polygon;
};
const std::vector<MadeObject>& madeObjects();
std::vector<Expected> expectedObjects();
/// Pixels of an image's objects: 1, 2, …
formats::LabelImage madeLabels(const std::string& image);

/// Writes the objects in a format (as its own documentation describes it).
using WriteSource = std::function<void(const SourceFolder&)>;
struct MadeSource {
  const char* name;
  formats::Format format;
  WriteSource write;
};
const std::vector<MadeSource>& madeSources();

/// One uncompressed strip of unsigned 32 bits.
std::string tiff32(const formats::LabelImage& labels);

/// An indexed PNG; `palette`: 3 bytes an entry.
std::string palettePng(const formats::LabelImage& indices, const std::string& palette);

}  // namespace lockstep::tests
