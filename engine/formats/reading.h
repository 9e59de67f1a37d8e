#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/exif_rule.h"
#include "engine/formats/image_index.h"
#include "engine/formats/source.h"

/// What the readers of all formats share. Used only in this folder.
namespace lockstep::formats {

/// What is read.
struct Reading {
  fs::path path;  ///< a folder or a file
  const ImageCodec& images;
  std::vector<std::string> classes{};  ///< `--classes`; empty: not given
  std::function<void(const std::string& what, std::size_t done, std::size_t all)> progress{};
  /// Where an experiment.yaml in the folder says that the images are.
  std::map<Part, fs::path> imageFolders{};
  fs::path extracted{};           ///< folder for pictures that annotation files hold
  ExifUse exif = ExifUse::Apply;  ///< of sizes that are the file's
  bool keepsEmpty = false;        ///< takes images without a label as images without objects

  fs::path folder() const { return fs::is_directory(path) ? path : path.parent_path(); }
  /// The part that the folders of an image name.
  std::optional<Part> partOfImage(const fs::path& image) const;
  /// An image without objects; `size`: else it is read. `extractedTo`: where its picture is.
  SourceImage imageAt(const fs::path& file, std::optional<base::ImageSize> size = {},
                      const fs::path& extractedTo = {}) const;
  /// An image with this unlabelledReason. Its file is read only if it is to be kept.
  SourceImage unlabelledImage(const fs::path& file, const std::string& reason) const;
  /// Throws Error unless the file has the image's size before or after its EXIF orientation. Call
  /// it before allocating pixels.
  void requireSize(SourceImage& image) const;
  /// A label image of an image, which takes its size if the source says none. Throws Error for
  /// another size.
  LabelImage labelsOf(const fs::path& file, SourceImage& image) const;
  /// A file of the source for messages.
  std::string shown(const fs::path& file) const;
  /// Calls read(file) for each and reports progress. What it throws is a fault of that file.
  /// Returns the files with a fault.
  std::vector<fs::path> forEachFile(const std::vector<fs::path>& files, Source& source,
                                    const std::function<void(const fs::path&)>& read) const;
};

/// The images that the entries of annotation files are of: each has one entry.
class NamedImages {
 public:
  explicit NamedImages(const Reading& reading) : reading_(reading) {}
  /// The image of an entry in `file`, as of Reading::imageAt(). Throws Error if it has an entry.
  SourceImage add(const fs::path& image, const fs::path& file,
                  std::optional<base::ImageSize> size = {}, const fs::path& extracted = {});
  /// Adds the images without an entry, if the source is a folder. `why`: their unlabelledReason,
  /// `has no label file`. Images of the faulty files, which have their names, are not added.
  /// `ending`: of the names of the format's images.
  void addOthers(const ImageIndex& index, const std::vector<fs::path>& faultyFiles,
                 const std::string& why, Source& source, std::string_view ending = {}) const;

 private:
  const Reading& reading_;
  std::map<fs::path, fs::path> fileOf_;  ///< by image
};

/// Calls act(). An exception becomes a fault, unless it was stopped. Returns false for a fault.
bool guarded(Source& source, const std::string& where, const std::function<void()>& act);
/// Also marks the image as having lost an object.
void guarded(Source& source, const std::string& where, SourceImage& image,
             const std::function<void()>& act);

/// Reports unlabelled images as faults, and removes them unless Reading::keepsEmpty.
void settleUnlabelledImages(const Reading& reading, Source& source);

/// Leaves out, as faults, what no dataset can have: images whose file cannot be read or has another
/// size, masks of another size or without a pixel, polygons and boxes without an area. Reads the
/// images' headers into SourceImage::facts.
void removeInvalid(const Reading& reading, Source& source);

/// The folders of images that DIR/experiment.yaml names, as `dataset import` writes it.
std::map<Part, fs::path> imageFoldersIn(const fs::path& folder);

/// A label image in a mask folder below `path`; `images`: those of `path`.
std::optional<fs::path> labelImageIn(const fs::path& path, const ImageIndex& images);

Source readCoco(const Reading& reading);
Source readLabelMe(const Reading& reading);
Source readYolo(const Reading& reading);
Source readVoc(const Reading& reading);
Source readCvat(const Reading& reading);
Source readVia(const Reading& reading);
Source readCityscapes(const Reading& reading);
Source readLabelStudio(const Reading& reading);
Source readGeoJson(const Reading& reading);
Source readMaskFolder(const Reading& reading);

}  // namespace lockstep::formats
