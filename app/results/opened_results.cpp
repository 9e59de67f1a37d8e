#include "app/results/opened_results.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/results/mask_sizes.h"
#include "engine/base/error.h"
#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/judged_by.h"
#include "engine/coco/files/image_names.h"

namespace lockstep::app {
namespace {

struct OpenedResultsText {
  Q_DECLARE_TR_FUNCTIONS(OpenedResults)
};

[[noreturn]] void refuse(const QString& text) { throw Error(text.toStdString()); }

/// The folder near the annotations that has the image; empty: none.
QString imagesBeside(const QString& annotations, const QString& image) {
  const QDir own = QFileInfo(annotations).dir();
  QDir parent = own;
  parent.cdUp();
  QStringList folders{own.path(), parent.path()};
  for (const QDir& dir : {own, parent})
    for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
      folders << dir.filePath(name);
  const auto found = std::ranges::find_if(folders, [&](const QString& folder) {
    return QFileInfo::exists(QDir(folder).filePath(image));
  });
  return found == folders.end() ? QString() : *found;
}

RunDataset readTruth(const QString& annotations) {
  auto dataset =
      std::make_shared<const coco::Dataset>(coco::Dataset::load(annotations.toStdString()));
  if (dataset->images().empty())
    refuse(OpenedResultsText::tr("%1: has no images").arg(annotations));
  RunDataset truth;
  truth.imagesFolder =
      imagesBeside(annotations, QString::fromStdString(dataset->images().front().fileName));
  truth.dataset = std::move(dataset);
  return truth;
}

std::shared_ptr<coco::ResultsByImage> openFile(const QString& file) {
  try {
    return std::make_shared<coco::ResultsByImage>(file.toStdString());
  } catch (const Error& error) {
    refuse(OpenedResultsText::tr(
               "%1. COCO results are a JSON list of {image_id, category_id, score, and bbox or "
               "segmentation}.")
               .arg(QString::fromUtf8(error.what())));
  }
}

/// Whether `path` is `name`, in any folder.
bool endsWith(const std::string& path, const std::string& name) {
  return path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

/// The images of a dataset by the last part of their names.
class ImagesByName {
 public:
  explicit ImagesByName(const coco::Dataset& dataset) {
    for (const coco::Image& image : dataset.images())
      images_[lastPart(image.fileName)].push_back(&image);
  }

  /// What is written as `id` and has the name `path`; -1: none. Of several with that last part it
  /// is the one that the path names, else the one with the id. Throws Error if neither tells.
  ImageId find(const QString& file, ImageId id, const std::string& path) const {
    const auto found = images_.find(lastPart(path));
    if (found == images_.end()) return ImageId{-1};
    const std::vector<const coco::Image*>& namesakes = found->second;
    if (namesakes.size() == 1) return namesakes.front()->id;
    const auto lengthIfNamed = [&](const coco::Image* image) {
      return endsWith(path, image->fileName) ? image->fileName.size() : 0;
    };
    const auto named = std::ranges::max_element(namesakes, {}, lengthIfNamed);
    if (lengthIfNamed(*named) > 0) return (*named)->id;
    if (std::ranges::find(namesakes, id, &coco::Image::id) != namesakes.end()) return id;
    refuse(OpenedResultsText::tr(
               "%1: image %2 is named %3, which matches %n image(s), such as %4 and %5. Write the "
               "folder into the name, or use the image ids.",
               "", static_cast<int>(namesakes.size()))
               .arg(file)
               .arg(id.value)
               .arg(QString::fromStdString(path))
               .arg(QString::fromStdString(namesakes[0]->fileName),
                    QString::fromStdString(namesakes[1]->fileName)));
  }

 private:
  static std::string lastPart(const std::string& path) {
    return std::filesystem::path(path).filename().string();
  }

  std::map<std::string, std::vector<const coco::Image*>> images_;
};

/// Which images are meant by the ids of the file; those that are not named mean themselves.
using MeantImages = std::map<ImageId, ImageId>;

using Names = std::map<ImageId, std::string>;

/// `predict --images` numbers its images itself, and names their files. Unknown ones get the id -1.
MeantImages imagesByName(const QString& file, const Names& names, const coco::Dataset& dataset) {
  MeantImages meant;
  const ImagesByName known(dataset);
  for (const auto& [id, name] : names) meant[id] = known.find(file, id, name);
  return meant;
}

/// Of results, and not an object with them.
bool isList(const QString& file) {
  std::ifstream text(file.toStdString());
  char first = 0;
  return text >> first && first == '[';
}

/// What a file has, of an image or of all.
struct Survey {
  std::size_t results = 0, ofOtherImages = 0, ofUnknownClasses = 0;
  QString maskFault{};  ///< of the first image that has one

  void add(const Survey& other) {
    results += other.results;
    ofOtherImages += other.ofOtherImages;
    ofUnknownClasses += other.ofUnknownClasses;
    if (maskFault.isEmpty()) maskFault = other.maskFault;
  }
};

Survey surveyOf(const coco::ResultsByImage& file, ImageId id, const coco::Dataset& dataset) {
  const auto image = dataset.findImage(id);
  const std::vector<coco::Detection> detections = file.detectionsOf(id);
  Survey found{.results = detections.size()};
  if (!image) found.ofOtherImages = detections.size();
  for (const coco::Detection& one : detections) {
    found.ofUnknownClasses += !dataset.hasCategory(one.categoryId);
    if (image && found.maskFault.isEmpty())
      found.maskFault = maskSizeFault(one, dataset.images()[*image]);
  }
  return found;
}

/// On all processors; little of the file is in memory at a time.
Survey surveyOf(const coco::ResultsByImage& file, const coco::Dataset& dataset,
                ReadingProgress& progress) {
  const std::vector<ImageId>& images = file.images();
  progress.all = images.size();
  std::vector<Survey> ofImages(images.size());
  base::parallelFor(images.size(), 0, [&](std::size_t i) {
    if (progress.isCancelled) return;
    ofImages[i] = surveyOf(file, images[i], dataset);
    ++progress.done;
  });
  Survey all;
  for (const Survey& one : ofImages) all.add(one);
  return all;
}

/// Read from the file when they are asked for; classes that the dataset does not list are left out
/// where they are judged.
widgets::PredictionStore::ByImage predictionsOf(
    const std::shared_ptr<const coco::ResultsByImage>& file) {
  widgets::PredictionStore::ByImage byImage;
  const auto cache = std::make_shared<widgets::DetectionCache>();
  for (const ImageId image : file->images())
    byImage[image] = widgets::ImageDetections(file, image, cache);
  return byImage;
}

void requireThatItFits(const QString& file, const Survey& found) {
  if (found.ofOtherImages > 0)
    refuse(OpenedResultsText::tr("%1: %L2 of %Ln result(s) belong to images that the ground truth "
                                 "does not have. If they are of another dataset, choose its "
                                 "ground truth.",
                                 "", static_cast<int>(found.results))
               .arg(file)
               .arg(found.ofOtherImages));
  if (!found.maskFault.isEmpty())
    refuse(OpenedResultsText::tr("%1: has %2. Write the masks in the size of their image.")
               .arg(file, found.maskFault));
  if (found.results == 0 || found.ofUnknownClasses < found.results) return;
  refuse(OpenedResultsText::tr(
             "%1: no result has a class of the ground truth. Choose the ground truth of their "
             "dataset.")
             .arg(file));
}

/// A list of results has no images without any: all of the dataset are judged, as by coco-eval.
void addImagesWithoutResults(const coco::Dataset& dataset, OpenedResults& opened) {
  const auto none = std::make_shared<const std::vector<coco::Detection>>();
  for (const coco::Image& image : dataset.images())
    opened.predictions.try_emplace(image.id, widgets::ImageDetections(none));
}

/// As it is written.
std::shared_ptr<coco::ResultsByImage> parsedOnce(const QString& file,
                                                 const base::FileVersion& version,
                                                 ParsedResults& parsed) {
  const std::lock_guard lock(parsed.mutex);
  if (!parsed.content || parsed.version != version) {
    parsed.content = openFile(file);
    parsed.version = version;
  }
  return parsed.content;
}

/// For a reader who renames its images: `parsed` has it no more. If another reader has taken it,
/// the file is parsed anew.
std::shared_ptr<coco::ResultsByImage> takeFrom(ParsedResults& parsed,
                                               const std::shared_ptr<coco::ResultsByImage>& results,
                                               const QString& file) {
  const std::lock_guard lock(parsed.mutex);
  if (parsed.content != results) return openFile(file);
  return std::exchange(parsed.content, nullptr);
}

void read(const ResultsSource& source, ReadingProgress& progress, OpenedResults& opened,
          ParsedResults& parsed) {
  opened.isUnreadable = true;  // until it is read
  auto results = parsedOnce(source.results, opened.files[source.results], parsed);
  opened.isUnreadable = false;
  opened.oddScores = results->oddScoreCount();
  if (!source.annotations.isEmpty()) opened.heldOut = readTruth(source.annotations);
  if (!opened.heldOut.dataset || progress.isCancelled) return;
  const coco::Dataset& dataset = *opened.heldOut.dataset;
  if (const Names names = coco::loadNamesInResults(source.results.toStdString()); !names.empty()) {
    results = takeFrom(parsed, results, source.results);
    results->renameImages(imagesByName(source.results, names, dataset));
  }
  const Survey found = surveyOf(*results, dataset, progress);
  if (progress.isCancelled) return;
  requireThatItFits(source.results, found);
  opened.predictions = predictionsOf(results);
  if (isList(source.results)) addImagesWithoutResults(dataset, opened);
  opened.heldOut.iouType = coco::judgedBy(dataset, results->haveMasks());
}

}  // namespace

OpenedResults openResults(const ResultsSource& source, const std::optional<RunDataset>& truth,
                          ReadingProgress& progress, ParsedResults& parsed) {
  OpenedResults opened;
  if (truth) opened.heldOut = *truth;
  for (const QString& file : {source.results, source.annotations})
    if (!file.isEmpty()) opened.files[file] = base::FileVersion::of(file.toStdString());
  try {
    read(source, progress, opened, parsed);
  } catch (const std::exception& error) {
    opened.failure = QString::fromUtf8(error.what());
  }
  return opened;
}

}  // namespace lockstep::app
