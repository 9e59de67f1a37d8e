#include "app/predictions_page/opened_images.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <exception>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/image_files.h"
#include "engine/coco/files/results_by_image.h"
#include "engine/run_folder/run_folder.h"
#include "widgets/image_view/decoded_image.h"

namespace lockstep::app {
namespace {

struct OpenedImagesText {
  Q_DECLARE_TR_FUNCTIONS(OpenedImages)
};

class Search {
 public:
  explicit Search(const OpenedImages& known) {
    for (const coco::Image& image : known.images) known_[image.fileName] = image;
    found.lastId = known.lastId;
  }

  void add(const QString& path) {
    const QString absolute = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
    if (QFileInfo(absolute).isDir()) return addFolder(absolute);
    addFile(absolute);
  }

  OpenedImages found;

 private:
  void addFolder(const QString& folder) {
    try {
      const base::ImageFiles inside = base::imagesBelow(folder.toStdString());
      for (const std::string& error : inside.errors)
        found.leftOut.append(QString::fromStdString(error));
      if (inside.files.empty())
        found.leftOut.append(
            OpenedImagesText::tr("%1: has no images (jpg, png, bmp, tif, webp)").arg(folder));
      for (const auto& file : inside.files) addFile(QString::fromStdString(file.string()));
    } catch (const std::exception& error) {
      found.leftOut.append(QString::fromUtf8(error.what()));
    }
  }

  void addFile(const QString& file) {
    const std::string name = file.toStdString();
    if (const auto known = known_.find(name); known != known_.end()) {
      if (!found.again) found.again = known->second;
      return;
    }
    if (!names_.insert(name).second) return;
    const widgets::ImageFileFacts facts = widgets::readImageFacts(file);
    if (!facts.failure.isEmpty())
      return found.leftOut.append(file % QStringLiteral(": ") % facts.failure);
    found.images.push_back(
        {ImageId{++found.lastId}, name, facts.size.width(), facts.size.height()});
  }

  std::unordered_map<std::string, coco::Image> known_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<ImageId> OpenedImages::idsOf(const QStringList& files) const {
  std::unordered_map<std::string_view, ImageId> byName;
  for (const coco::Image& image : images) byName[image.fileName] = image.id;
  std::vector<ImageId> ids;
  for (const QString& file : files) {
    const auto found = byName.find(file.toStdString());
    ids.push_back(found == byName.end() ? coco::ResultsByImage::kUnwanted : found->second);
  }
  return ids;
}

OpenedImages findImages(const QStringList& paths, const OpenedImages& known) {
  Search search(known);
  for (const QString& path : paths) search.add(path);
  return search.found;
}

OpenedCheckpoint findCheckpoint(const QString& path) {
  const std::filesystem::path file = QFileInfo(path).absoluteFilePath().toStdString();
  const bool isFolder = QFileInfo(path).isDir();
  const auto place = run_folder::pathInRun(file);
  const std::filesystem::path folder = isFolder ? file : file.parent_path();
  const auto step = run_folder::stepOf(folder.filename().string());
  if (!QFileInfo::exists(path))
    return {{}, 0, OpenedImagesText::tr("%1: no such checkpoint").arg(path)};
  if (!place || !step || !run_folder::isRunFolder(place->folder))
    return {{},
            0,
            OpenedImagesText::tr(
                "%1: not a checkpoint of a run. Open RUN/checkpoints/step-…, or the "
                "model.safetensors there. To start a run from other weights, set model.weights in "
                "Configure.")
                .arg(path)};
  return {QString::fromStdString(place->folder.string()), *step};
}

bool looksLikeCheckpoint(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  return name.endsWith(QLatin1String(".safetensors")) ||
         run_folder::stepOf(name.toStdString()).has_value();
}

}  // namespace lockstep::app
