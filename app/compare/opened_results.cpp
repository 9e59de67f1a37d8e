#include "app/compare/opened_results.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "engine/base/error.h"
#include "engine/coco/evaluation/judged_by.h"
#include "engine/coco/files/image_names.h"

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("OpenedResults", text); }

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
  if (dataset->images().empty()) refuse(tr("%1: has no images").arg(annotations));
  RunDataset truth;
  truth.imagesFolder =
      imagesBeside(annotations, QString::fromStdString(dataset->images().front().fileName));
  truth.dataset = std::move(dataset);
  return truth;
}

/// Into `detections` and `images`.
void readFile(const QString& file, OpenedResults& opened) {
  try {
    const coco::ResultsByImage results(file.toStdString());
    opened.images = results.images();
    for (const ImageId image : opened.images)
      std::ranges::move(results.detectionsOf(image), std::back_inserter(opened.detections));
  } catch (const Error& error) {
    refuse(tr("%1. COCO results are a JSON list of {image_id, category_id, score, and bbox or "
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
    refuse(tr("%1: image %2 is %3, which may be any of %4 images, such as %5 and %6. Write their "
              "folders or their ids.")
               .arg(file)
               .arg(id.value)
               .arg(QString::fromStdString(path))
               .arg(namesakes.size())
               .arg(QString::fromStdString(namesakes[0]->fileName),
                    QString::fromStdString(namesakes[1]->fileName)));
  }

 private:
  static std::string lastPart(const std::string& path) {
    return std::filesystem::path(path).filename().string();
  }

  std::map<std::string, std::vector<const coco::Image*>> images_;
};

/// `predict --images` numbers its images itself, and names their files. Unknown ones get the id -1.
void takeImagesByName(const QString& file, const coco::Dataset& dataset,
                      std::vector<coco::Detection>& detections) {
  const auto names = coco::loadNamesInResults(file.toStdString());
  if (names.empty()) return;
  const ImagesByName known(dataset);
  std::map<ImageId, ImageId> meant;
  for (const auto& [id, name] : names) meant[id] = known.find(file, id, name);
  for (coco::Detection& one : detections)
    if (const auto image = meant.find(one.imageId); image != meant.end())
      one.imageId = image->second;
}

/// Of results, and not an object with them.
bool isList(const QString& file) {
  std::ifstream text(file.toStdString());
  char first = 0;
  return text >> first && first == '[';
}

/// Throws Error if some are of images that the dataset does not have.
void checkImages(const QString& file, const coco::Dataset& dataset,
                 const std::vector<coco::Detection>& detections) {
  std::size_t others = 0;
  for (const coco::Detection& one : detections) {
    const auto image = dataset.findImage(one.imageId);
    others += !image;
    if (image) coco::requireMaskSize(one, dataset.images()[*image]);
  }
  if (others == 0) return;
  refuse(tr("%1: %2 of %3 results are of images that are not among the %4 they are judged by. Are "
            "they of another dataset? Open them with their own annotations.")
             .arg(file)
             .arg(others)
             .arg(detections.size())
             .arg(dataset.images().size()));
}

/// As coco-eval does, and says so.
QString leaveUnknownClassesOut(const QString& file, const coco::Dataset& dataset,
                               std::vector<coco::Detection>& detections) {
  const std::size_t all = detections.size();
  const std::size_t unknown = std::erase_if(
      detections, [&](const coco::Detection& one) { return !dataset.hasCategory(one.categoryId); });
  if (unknown == 0) return {};
  if (unknown == all)
    refuse(tr("%1: none of its %2 results has one of the %3 classes that they are judged by. Open "
              "them with their own annotations.")
               .arg(file)
               .arg(all)
               .arg(dataset.categories().size()));
  return tr("%1 of %2 results of %3 have a class that the annotations do not list, and are left "
            "out.")
      .arg(unknown)
      .arg(all)
      .arg(QFileInfo(file).fileName());
}

void read(const ResultsSource& source, OpenedResults& opened) {
  if (!source.annotations.isEmpty()) opened.heldOut = readTruth(source.annotations);
  const coco::Dataset& dataset = *opened.heldOut.dataset;
  readFile(source.results, opened);
  takeImagesByName(source.results, dataset, opened.detections);
  checkImages(source.results, dataset, opened.detections);
  opened.note = leaveUnknownClassesOut(source.results, dataset, opened.detections);
  // A list of results has no images without any: all of the dataset are judged, as by coco-eval.
  if (isList(source.results)) {
    opened.images.clear();
    for (const coco::Image& image : dataset.images()) opened.images.push_back(image.id);
  }
  // What the results have is asked where they are judged: ComparedSide::rules().
  opened.heldOut.iouType = coco::judgedBy(dataset, true);
}

}  // namespace

OpenedResults openResults(const ResultsSource& source, const std::optional<RunDataset>& truth) {
  OpenedResults opened;
  if (truth) opened.heldOut = *truth;
  try {
    read(source, opened);
  } catch (const std::exception& error) {
    opened.failure = QString::fromUtf8(error.what());
  }
  return opened;
}

}  // namespace lockstep::app
