#include "engine/formats/reading.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "engine/base/error.h"
#include "engine/base/parallel_for.h"
#include "engine/base/utf8.h"
#include "engine/config/load.h"

namespace lockstep::formats {

std::optional<Part> Reading::partOfImage(const fs::path& image) const {
  return partOf(image.lexically_relative(folder()).parent_path());
}

SourceImage Reading::imageAt(const fs::path& file, std::optional<base::ImageSize> size) const {
  SourceImage image;
  image.file = file;
  image.size = size ? *size : images.sizeOf(file);
  image.part = partOfImage(file);
  return image;
}

std::string Reading::shown(const fs::path& file) const {
  const fs::path relative = file.lexically_relative(folder());
  return relative.empty() || *relative.begin() == ".." ? file.string() : relative.generic_string();
}

void Reading::forEachFile(const std::vector<fs::path>& files, Source& source,
                          const std::function<void(const fs::path&)>& read) const {
  std::size_t done = 0;
  for (const fs::path& file : files) {
    guarded(source, shown(file), [&] { read(file); });
    if (progress) progress("reading", ++done, files.size());
  }
}

SourceImage NamedImages::add(const fs::path& image, const fs::path& file,
                             std::optional<base::ImageSize> size) {
  const auto [other, isNew] = fileOf_.try_emplace(image, file);
  if (!isNew && other->second == file) throw Error(reading_.shown(image) + " is there twice");
  if (!isNew) {
    throw Error(reading_.shown(other->second) + " is of the same image, " + reading_.shown(image));
  }
  return reading_.imageAt(image, size);
}

std::map<Part, fs::path> imageFoldersIn(const fs::path& folder) {
  std::map<Part, fs::path> folders;
  if (!isFile(folder / "experiment.yaml")) return folders;
  const config::Experiment experiment =
      config::loadExperiment(folder / "experiment.yaml").experiment;
  for (const auto& [part, images] : {std::pair(Part::Train, experiment.dataset.train.images),
                                     {Part::Val, experiment.dataset.val.images}})
    if (!images.empty()) folders[part] = images;
  return folders;
}

namespace {

/// A message that begins with the path of the file in `where` has its line there: `/…/a.json:3: …`.
Fault faultOf(const std::string& where, const std::string& message) {
  const std::size_t at = message.find(where + ":");
  if (at == std::string::npos || message.find(": ") < at) return {where, message};
  const std::string rest = message.substr(at + where.size());
  const std::size_t colon = rest.find(": ");
  if (colon == std::string::npos) return {where, message};
  return {where + rest.substr(0, colon), rest.substr(colon + 2)};
}

}  // namespace

void guarded(Source& source, const std::string& where, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    if (error.status() == ExitStatus::Killed) throw;  // stopped
    source.faults.push_back(faultOf(where, error.what()));
  } catch (const std::bad_alloc&) {
    source.addFault(where, "needs more memory than there is");
  } catch (const std::exception& error) {  // of the standard library: a path that is too long
    source.addFault(where, error.what());
  }
}

void addImagesWithoutObjects(const Reading& reading, const std::vector<fs::path>& images,
                             const std::string& why, Source& source,
                             const std::set<std::string>& labelled) {
  if (isFile(reading.path)) return;  // only what it names
  std::set<fs::path> known;
  for (const SourceImage& image : source.images) known.insert(image.file);
  std::size_t done = 0;
  for (const fs::path& file : images) {
    if (reading.progress) reading.progress("looking for other images", ++done, images.size());
    if (known.contains(file) || labelled.contains(file.stem().string())) continue;
    guarded(source, reading.shown(file), [&] {
      source.images.push_back(reading.imageAt(file));
      if (!why.empty()) source.addFault(reading.shown(file), why + "; kept without objects");
    });
  }
}

namespace {

std::string sizeText(base::ImageSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height) + " px";
}

/// What is wrong with the file of an image; empty: nothing. Its annotations may be of the pixels
/// before the EXIF orientation.
std::string problemWithFile(const Reading& reading, const SourceImage& image) {
  if (!base::isUtf8(image.file.string())) return "has a name that is not UTF-8: rename it";
  try {
    const base::ImageSize size = reading.images.sizeOf(image.file);
    const base::ImageSize turned{size.width, size.height};
    if (image.size == size || image.size == turned) return {};
    return "is " + sizeText(size) + ", but its annotations say " + sizeText(image.size);
  } catch (const Error& error) {
    return faultOf(reading.shown(image.file), error.what()).what;
  }
}

/// What is wrong with an object; empty: nothing.
std::string problemWith(const SourceObject& object, base::ImageSize size) {
  if (const auto* mask = std::get_if<coco::Rle>(&object.segmentation)) {
    if (mask->height != size.height || mask->width != size.width)
      return "a mask is " + sizeText({mask->height, mask->width}) + ", not " + sizeText(size);
    return coco::areaPx(*mask) == 0 ? "a mask has no pixel" : "";
  }
  if (object.hasMask()) return {};
  const auto& [x, y, width, height] = object.boxXywh;
  const bool isBox = std::isfinite(x) && std::isfinite(y) && width > 0 && height > 0 &&
                     std::isfinite(width) && std::isfinite(height);
  return isBox ? "" : "a box has no area";
}

}  // namespace

void removeInvalid(const Reading& reading, Source& source) {
  std::vector<std::string> problems(source.images.size());
  constexpr std::size_t kChunk = 256;  // between two reports of progress
  for (std::size_t begin = 0; begin < problems.size(); begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, problems.size());
    base::parallelFor(end - begin, 0, [&](std::size_t i) {
      problems[begin + i] = problemWithFile(reading, source.images[begin + i]);
    });
    if (reading.progress) reading.progress("checking images", end, problems.size());
  }
  std::vector<SourceImage> kept;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    SourceImage& image = source.images[i];
    if (!problems[i].empty()) {
      source.addFault(reading.shown(image.file), problems[i]);
      continue;
    }
    std::erase_if(image.objects, [&](const SourceObject& object) {
      const std::string problem = problemWith(object, image.size);
      if (!problem.empty())
        source.addFault(reading.shown(image.file) + ": " + object.category, problem);
      return !problem.empty();
    });
    kept.push_back(std::move(image));
  }
  source.images = std::move(kept);
}

}  // namespace lockstep::formats
