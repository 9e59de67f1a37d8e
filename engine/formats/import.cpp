#include "engine/formats/import.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/new_folder.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/formats/class_names.h"
#include "engine/formats/experiment_text.h"
#include "engine/formats/reading.h"
#include "engine/formats/split.h"

namespace lockstep::formats {
namespace {

using Progress = std::function<void(const std::string&, std::size_t, std::size_t)>;

std::vector<std::string> readClasses(const fs::path& file) {
  std::vector<std::string> classes;
  std::set<std::string> known;
  for (const std::string& line : nameLinesOf(file)) {
    const std::string name = base::simplified(line);
    if (name.empty()) continue;
    if (!known.insert(name).second)
      throw UserError(file.string() + ": '" + base::shortened(name) + "' is listed twice");
    classes.push_back(name);
  }
  if (classes.empty())
    throw UserError(file.string() + ": contains no class names; write one per line");
  return classes;
}

/// The first is read.
std::vector<FoundFormat> formatsOf(const ImportOptions& options) {
  if (options.format) return {{*options.format}};
  std::vector<FoundFormat> formats = formatsIn(options.source);
  if (!formats.empty()) return formats;
  if (const std::string problem = formatProblem(options.source); !problem.empty())
    throw UserError(problem);
  std::string known;
  for (const auto& one : base::kEnumTexts<Format>)
    known += (known.empty() ? "" : ", ") + std::string(one.text);
  throw UserError(options.source.string() + ": its format is unknown (found: " +
                  filesText(options.source) + "); name its format: " + known);
}

/// Leaves out objects of classes that are not in the list.
void keepClasses(const std::vector<std::string>& classes, Source& source) {
  if (classes.empty()) return;
  const std::set<std::string> known(classes.begin(), classes.end());
  std::map<std::string, std::int64_t> unknown;
  for (SourceImage& image : source.images) {
    std::erase_if(image.objects, [&](const SourceObject& object) {
      if (known.contains(object.category)) return false;
      ++unknown[object.category];
      return true;
    });
  }
  for (const auto& [name, count] : unknown)
    source.addFault("class " + name,
                    "is not listed in --classes; " +
                        base::counted(static_cast<std::uint64_t>(count), "object") +
                        " not imported");
  std::map<std::string, coco::Category> byName;
  for (const coco::Category& category : source.categories) byName.emplace(category.name, category);
  std::vector<coco::Category> kept;
  for (const std::string& name : classes) {
    const auto found = byName.find(name);
    kept.push_back(found == byName.end() ? coco::Category{kNewCategory, name} : found->second);
  }
  source.categories = std::move(kept);
}

/// Adds the categories that only objects name, and gives ids to those without.
void completeCategories(Source& source) {
  std::set<std::string> known, named;
  std::int64_t lastId = 0;
  for (const coco::Category& category : source.categories) {
    known.insert(category.name);
    if (category.id != kNewCategory) lastId = std::max(lastId, category.id.value);
  }
  for (const SourceImage& image : source.images)
    for (const SourceObject& object : image.objects) named.insert(object.category);
  for (const std::string& name : named)
    if (!known.contains(name)) source.categories.push_back({kNewCategory, name});
  if (source.categories.size() > coco::kMaxCategories)
    throw Error("the dataset " + coco::tooManyCategories(source.categories.size()));
  for (coco::Category& category : source.categories)
    if (category.id == kNewCategory) category.id.value = ++lastId;
}

bool hasPart(const Source& source, Part part) {
  return std::ranges::any_of(source.images,
                             [&](const SourceImage& image) { return image.part == part; });
}

/// Keeps the source's own parts if it has them and no split was asked for.
void chooseParts(const ImportOptions& options, const fs::path& folder, Source& source,
                 ImportReport& report) {
  const bool hasTrain = hasPart(source, Part::Train), hasVal = hasPart(source, Part::Val),
             hasTest = hasPart(source, Part::Test);
  const bool keepsParts = !options.valShare && options.groupPattern.empty();
  if (keepsParts && hasTrain && (hasVal || hasTest)) {
    report.isTestHeldOut = !hasVal;
    for (SourceImage& image : source.images) {
      if (!image.part) image.part = Part::Train;
      if (!hasVal && image.part == Part::Test) image.part = Part::Val;
    }
    return;
  }
  // A test part stays apart, unless there is nothing else.
  std::vector<SourceImage*> images;
  const bool keepsTest = hasTrain || hasVal;
  for (SourceImage& image : source.images)
    if (!keepsTest || image.part != Part::Test) images.push_back(&image);
  splitAnew(
      images, folder,
      {options.valShare.value_or(SplitOptions().valShare), options.seed, options.groupPattern});
  report.isSplitAnew = true;
}

/// The deepest folder that all files are in.
fs::path commonFolder(const std::vector<fs::path>& files) {
  fs::path common = files.front().parent_path();
  for (const fs::path& file : files) {
    const fs::path folder = file.parent_path();
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto at = common.begin(); at != end; ++at) shared /= *at;
    common = shared;
  }
  return common;
}

/// Writes one part's annotation file and images.
class PartWriter {
 public:
  PartWriter(const ImportOptions& options, const Source& source, const fs::path& out)
      : options_(options), out_(out) {
    std::vector<fs::path> files;
    for (const SourceImage& image : source.images) files.push_back(placeOf(image));
    commonFolder_ = commonFolder(files);
    for (const coco::Category& category : source.categories) {
      categories_.push_back(category);
      idOf_[category.name] = category.id;
    }
  }

  /// Takes the objects of the images. Returns the images' folder for experiment.yaml; empty: the
  /// part has no images.
  std::string write(const char* name, const std::vector<SourceImage*>& images, PartReport& report,
                    const std::function<void()>& onImage) {
    if (images.empty()) return {};
    // Images that are referred to have one folder for all parts.
    fs::path folder = commonFolder_;
    if (options_.copiesImages) {
      std::vector<fs::path> files;
      for (const SourceImage* image : images) files.push_back(placeOf(*image));
      folder = commonFolder(files);
    }
    std::vector<coco::Image> rows;
    std::vector<coco::Annotation> annotations;
    for (SourceImage* image : images) {
      const fs::path relative = placeOf(*image).lexically_relative(folder);
      rows.push_back({{nextImage_++},
                      relative.generic_string(),
                      static_cast<int>(image->size.width),
                      static_cast<int>(image->size.height),
                      idsOf(image->negativeCategories),
                      idsOf(image->notExhaustiveCategories)});
      for (SourceObject& object : std::exchange(image->objects, {}))
        annotations.push_back(annotationOf(std::move(object), rows.back().id));
      if (options_.copiesImages) copy(image->picture(), out_ / name / relative);
      if (onImage) onImage();
    }
    report = {static_cast<std::int64_t>(rows.size()),
              static_cast<std::int64_t>(annotations.size())};
    const fs::path file = out_ / "annotations" / (std::string("instances_") + name + ".json");
    fs::create_directories(file.parent_path());
    coco::saveDataset(
        coco::Dataset::fromParts(std::move(rows), categories_, std::move(annotations), name), file);
    return options_.copiesImages ? name : folder.string();
  }

 private:
  /// Final path of an image. An extracted image moves with the new folder.
  fs::path placeOf(const SourceImage& image) const {
    const bool staysExtracted = !image.extracted.empty() && !options_.copiesImages;
    const fs::path file =
        staysExtracted ? options_.out / image.extracted.lexically_relative(out_) : image.file;
    return fs::absolute(file).lexically_normal();
  }

  std::vector<CategoryId> idsOf(const std::vector<std::string>& names) const {
    std::vector<CategoryId> ids;
    for (const std::string& name : names)
      if (const auto found = idOf_.find(name); found != idOf_.end()) ids.push_back(found->second);
    return ids;
  }

  coco::Annotation annotationOf(SourceObject object, ImageId image) {
    coco::Annotation annotation;
    annotation.id = nextAnnotation_++;
    annotation.imageId = image;
    annotation.categoryId = idOf_.at(object.category);
    annotation.isCrowd = object.isCrowd;
    if (!object.hasMask()) {
      annotation.boxXywh = object.boxXywh;
      annotation.area = object.boxXywh[2] * object.boxXywh[3];
    }
    annotation.segmentation = std::move(object.segmentation);
    return annotation;
  }

  static void copy(const fs::path& from, const fs::path& to) {
    std::error_code failure;
    fs::create_directories(to.parent_path(), failure);
    if (!failure) fs::copy_file(from, to, failure);
    if (failure) throw Error(from.string() + ": cannot be copied: " + failure.message());
  }

  const ImportOptions& options_;
  fs::path out_, commonFolder_;
  std::vector<coco::Category> categories_;
  std::map<std::string, CategoryId> idOf_;
  std::int64_t nextImage_ = 1, nextAnnotation_ = 1;
};

void count(const Source& source, ImportReport& report) {
  report.minSizePx = minSizeFor(source);
  for (const coco::Category& category : source.categories) report.classes.push_back(category.name);
  for (const SourceImage& image : source.images) {
    report.emptyImages += image.objects.empty();
    report.mostObjects =
        std::max(report.mostObjects, static_cast<std::int64_t>(image.objects.size()));
    report.boxOnlyObjects += std::ranges::count_if(
        image.objects, [](const SourceObject& object) { return !object.hasMask(); });
  }
}

void writeFaults(const std::vector<Fault>& faults, const fs::path& file) {
  if (faults.empty()) return;
  std::string text;
  for (const Fault& fault : faults) text += fault.text() + "\n";
  base::writeFileAtomically(file, text);
}

void writeAll(const ImportOptions& options, Source& source, const fs::path& out,
              const Progress& onProgress, ImportReport& report) {
  std::array<std::vector<SourceImage*>, 3> parts;
  for (SourceImage& image : source.images)
    parts[static_cast<std::size_t>(*image.part)].push_back(&image);
  PartWriter writer(options, source, out);
  std::size_t done = 0;
  const auto onImage = [&] {
    if (onProgress)
      onProgress(options.copiesImages ? "copying" : "writing", ++done, source.images.size());
  };
  ExperimentFolders folders;
  folders.train = writer.write("train", parts[0], report.train, onImage);
  folders.val = writer.write("val", parts[1], report.val, onImage);
  writer.write("test", parts[2], report.test, onImage);
  base::writeFileAtomically(out / "experiment.yaml", experimentText(options, folders, report));
  writeFaults(report.faults, out / "faults.txt");
}

}  // namespace

ReadDataset readDataset(const ImportOptions& options, const fs::path& extracted,
                        const ImageCodec& images, const Progress& onProgress) {
  if (!fs::exists(options.source))
    throw UserError(options.source.string() + ": no such file or folder");
  ReadDataset read;
  read.otherFormats = formatsOf(options);
  read.format = read.otherFormats.front().format;
  read.otherFormats.erase(read.otherFormats.begin());
  Reading reading{.path = options.source,
                  .images = images,
                  .progress = onProgress,
                  .imageFolders = imageFoldersIn(options.source),
                  .extracted = extracted,
                  .exif = options.exif.value_or(usualExifUse(read.format)),
                  .keepsEmpty = options.keepsEmpty};
  if (!options.classes.empty()) reading.classes = readClasses(options.classes);
  const auto readAll = [&] {
    read.source = readSource(read.format, reading);
    foldClassNames(read.source);
    removeInvalid(reading, read.source);
    read.exif = decideExifUse(options.exif, read.format, read.source);
  };
  readAll();
  if (read.exif.hasSwappedSides && read.exif.use != reading.exif) {  // other images' sizes decide
    reading.exif = read.exif.use;
    readAll();
  }
  settleUnlabelledImages(reading, read.source);
  applyExifUse(read.exif.use, read.source);
  std::ranges::sort(read.source.images, {}, &SourceImage::file);
  keepClasses(reading.classes, read.source);
  completeCategories(read.source);
  read.folder = reading.folder();
  return read;
}

ImportReport importDataset(const ImportOptions& options, const ImageCodec& images,
                           const Progress& onProgress) {
  const base::NewFolder folder(options.out);
  const fs::path extracted = folder.path() / "images";
  ReadDataset read = readDataset(options, extracted, images, onProgress);
  Source& source = read.source;
  ImportReport report;
  report.format = read.format;
  report.faults = source.faults;
  report.losses = source.losses;
  report.unlabelledImages = source.unlabelledImages;
  report.exif = read.exif;
  report.otherFormats = read.otherFormats;
  const bool isUsable = std::ranges::any_of(
      source.images, [](const SourceImage& image) { return !image.objects.empty(); });
  if (!isUsable) {
    throw Error(options.source.string() + ": contains no usable object" +
                (report.faults.empty()
                     ? ""
                     : "; the first of " + base::counted(report.faults.size(), "error") + ": " +
                           report.faults[0].text()));
  }
  chooseParts(options, read.folder, source, report);
  count(source, report);
  writeAll(options, source, folder.path(), onProgress, report);
  if (options.copiesImages) fs::remove_all(extracted);
  folder.finish();
  return report;
}

}  // namespace lockstep::formats
