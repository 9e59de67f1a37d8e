#include "engine/formats/reading.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/parallel_for.h"
#include "engine/base/utf8.h"
#include "engine/coco/masks/polygon.h"
#include "engine/config/load.h"
#include "engine/formats/outlines.h"

namespace lockstep::formats {
namespace {

std::string sizeText(base::ImageSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height) + " px";
}

}  // namespace

std::optional<Part> Reading::partOfImage(const fs::path& image) const {
  return partOf(image.lexically_relative(folder()).parent_path());
}

SourceImage Reading::imageAt(const fs::path& file, std::optional<base::ImageSize> size,
                             const fs::path& extractedTo) const {
  SourceImage image;
  image.file = file;
  image.extracted = extractedTo;
  image.hasOwnSize = size.has_value();
  if (size) {
    image.size = *size;
  } else {
    image.facts = images.factsOf(image.picture());
    image.size = exif == ExifUse::Apply ? image.facts.displayed() : image.facts.stored;
  }
  image.part = partOfImage(file);
  return image;
}

SourceImage Reading::unlabelledImage(const fs::path& file, const std::string& reason) const {
  SourceImage image =
      keepsEmpty ? imageAt(file) : SourceImage{.file = file, .part = partOfImage(file)};
  image.unlabelledReason = reason;
  return image;
}

std::string Reading::shown(const fs::path& file) const {
  const fs::path relative = file.lexically_relative(folder());
  return relative.empty() || *relative.begin() == ".." ? file.string() : relative.generic_string();
}

void Reading::requireSize(SourceImage& image) const {
  if (image.facts.stored.width == 0) image.facts = images.factsOf(image.picture());
  const base::ImageSize displayed = image.facts.displayed();
  if (image.size == displayed || image.size == image.facts.stored) return;
  throw Error(image.file.string() + ": is " + sizeText(displayed) + ", but its annotations say " +
              sizeText(image.size));
}

LabelImage Reading::labelsOf(const fs::path& file, SourceImage& image) const {
  requireSize(image);
  LabelImage labels = images.labelsOf(file, image.size.height * image.size.width);
  const base::ImageSize size{labels.height, labels.width};
  // The size tells if the label image is of the displayed or of the stored picture.
  if (!image.hasOwnSize && (size == image.facts.stored || size == image.facts.displayed())) {
    image.size = size;
    image.hasOwnSize = true;
  }
  if (size != image.size)
    throw Error(file.string() + ": is " + sizeText(size) + ", but its image is " +
                sizeText(image.size));
  return labels;
}

std::vector<fs::path> Reading::forEachFile(const std::vector<fs::path>& files, Source& source,
                                           const std::function<void(const fs::path&)>& read) const {
  std::vector<fs::path> faulty;
  std::size_t done = 0;
  for (const fs::path& file : files) {
    if (!guarded(source, shown(file), [&] { read(file); })) faulty.push_back(file);
    if (progress) progress("reading", ++done, files.size());
  }
  return faulty;
}

SourceImage NamedImages::add(const fs::path& image, const fs::path& file,
                             std::optional<base::ImageSize> size, const fs::path& extracted) {
  const auto [other, isNew] = fileOf_.try_emplace(image, file);
  if (!isNew && other->second == file) throw Error(reading_.shown(image) + " is listed twice");
  if (!isNew) {
    throw Error(reading_.shown(other->second) + " refers to the same image, " +
                reading_.shown(image));
  }
  return reading_.imageAt(image, size, extracted);
}

void NamedImages::addOthers(const ImageIndex& index, const std::vector<fs::path>& faultyFiles,
                            const std::string& why, Source& source, std::string_view ending) const {
  if (isFile(reading_.path)) return;  // only what it names
  std::set<fs::path> ofFaultyFiles;
  for (const fs::path& file : faultyFiles)
    for (fs::path& image : index.nearest(index.find(file.stem().string()), file))
      ofFaultyFiles.insert(std::move(image));
  std::size_t done = 0;
  for (const fs::path& file : index.all()) {
    if (reading_.progress) {
      reading_.progress("searching for other images", ++done, index.all().size());
    }
    if (fileOf_.contains(file) || ofFaultyFiles.contains(file)) continue;
    if (!file.filename().string().ends_with(ending)) continue;
    guarded(source, reading_.shown(file),
            [&] { source.images.push_back(reading_.unlabelledImage(file, why)); });
  }
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

bool guarded(Source& source, const std::string& where, const std::function<void()>& act) {
  try {
    act();
    return true;
  } catch (const Error& error) {
    if (error.status() == ExitStatus::Killed) throw;  // stopped
    const Fault fault = faultOf(where, error.what());
    source.addFault(fault.where, fault.what);
  } catch (const std::bad_alloc&) {
    source.addFault(where, "needs more memory than there is");
  } catch (const std::exception& error) {  // of the standard library: a path that is too long
    source.addFault(where, error.what());
  }
  return false;
}

void guarded(Source& source, const std::string& where, SourceImage& image,
             const std::function<void()>& act) {
  if (!guarded(source, where, act)) image.markLostObject();
}

void settleUnlabelledImages(const Reading& reading, Source& source) {
  const auto hasValidation = [&] {
    return std::ranges::count(source.images, std::optional(Part::Val), &SourceImage::part) > 0;
  };
  const bool hadValidation = hasValidation();
  std::erase_if(source.images, [&](const SourceImage& image) {
    if (!image.isUnlabelled()) return false;
    ++source.unlabelledImages;
    source.addFault(reading.shown(image.file),
                    image.unlabelledReason +
                        (reading.keepsEmpty ? "; imported without objects" : "; not imported"));
    return !reading.keepsEmpty;
  });
  if (hadValidation && !hasValidation())
    source.addFault("validation split", "none of its images has a usable label");
}

namespace {

/// Error of an image's file; empty: it is usable. Reads the image's facts.
std::string problemWithFile(const Reading& reading, SourceImage& image) {
  if (!base::isUtf8(image.file.string())) return "has a name that is not UTF-8: rename it";
  if (image.isUnlabelled() && !reading.keepsEmpty) return {};  // it is left out
  try {
    reading.requireSize(image);
    return {};
  } catch (const Error& error) {
    return faultOf(reading.shown(image.file), error.what()).what;
  }
}

/// True if no part of an object without an RLE is in the picture, whichever way it is turned.
bool isOutside(const SourceObject& object, base::ImageSize size, int exifOrientation) {
  const auto [left, top, right, bottom] = extentOf(object);
  auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  if (coco::swapsSides(exifOrientation)) width = height = std::max(width, height);
  return right <= 0 || bottom <= 0 || left >= width || top >= height;
}

/// Error of an object; empty: it is usable.
std::string problemWith(const SourceObject& object, const SourceImage& image) {
  const base::ImageSize size = image.size;
  if (const auto* mask = std::get_if<coco::Rle>(&object.segmentation)) {
    if (mask->height != size.height || mask->width != size.width)
      return "a mask is " + sizeText({mask->height, mask->width}) + ", not " + sizeText(size);
    return coco::areaPx(*mask) == 0 ? "a mask is empty" : "";
  }
  const auto& [x, y, width, height] = object.boxXywh;
  const bool isBox = std::isfinite(x) && std::isfinite(y) && width > 0 && height > 0 &&
                     std::isfinite(width) && std::isfinite(height);
  if (!object.hasMask() && !isBox) return "a box has no area";
  return isOutside(object, size, image.facts.exifOrientation) ? "is outside the image" : "";
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
    for (SourceObject& object : image.objects) {
      auto* const polygons = std::get_if<0>(&object.segmentation);
      const std::size_t empty = polygons == nullptr ? 0 : coco::removeEmptyPolygons(*polygons);
      if (empty > 0)
        source.addFault(reading.shown(image.file) + ": " + object.category,
                        base::counted(empty, "polygon") + " without an area");
    }
    std::erase_if(image.objects, [&](const SourceObject& object) {
      const std::string problem = problemWith(object, image);
      if (problem.empty()) return false;
      source.addFault(reading.shown(image.file) + ": " + object.category, problem);
      image.markLostObject();
      return true;
    });
    kept.push_back(std::move(image));
  }
  source.images = std::move(kept);
}

}  // namespace lockstep::formats
