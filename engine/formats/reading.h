#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

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

  fs::path folder() const { return fs::is_directory(path) ? path : path.parent_path(); }
  /// A file of the source for messages.
  std::string shown(const fs::path& file) const;
  /// Calls read(file) for each and reports progress. What it throws is a fault of that file.
  void forEachFile(const std::vector<fs::path>& files, Source& source,
                   const std::function<void(const fs::path&)>& read) const;
};

/// Calls act(). The Error that it throws becomes a fault.
void guarded(Source& source, const std::string& where, const std::function<void()>& act);

/// Adds the images that nothing names, without objects. `why`: for the fault, `has no label file`.
void addImagesWithoutObjects(const Reading& reading, const std::vector<fs::path>& images,
                             const std::string& why, Source& source);

/// The folders of images that DIR/experiment.yaml names, as `dataset import` writes it.
std::map<Part, fs::path> imageFoldersIn(const fs::path& folder);

/// Whether a folder in it holds label images.
bool hasMaskFolder(const fs::path& path);

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
