#include "app/frame/opening.h"

#include <QDir>
#include <QFileInfo>

#include "engine/config/load.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {
namespace {

/// Nothing comes of it, but that its disk answers now.
void readOnce(const std::string& file) {
  try {
    config::readExperimentFile(file);
  } catch (const std::exception&) {  // reported by who opens it
  }
}

bool isPackedRun(const QString& path) {
  return path.endsWith(QLatin1String(".lockstep")) && QFileInfo(path).isFile();
}

}  // namespace

PathKind kindOf(const QString& path) {
  if (RemotePlace::isRemote(path)) return PathKind::Remote;
  const std::string place = path.toStdString();
  if (isPackedRun(path)) return PathKind::Packed;
  if (QFileInfo(path).isFile()) {
    readOnce(place);
    return PathKind::Experiment;
  }
  if (!run_folder::isRunFolder(place)) return PathKind::RunsFolder;
  readOnce(run_folder::Layout(place).config().string());
  return PathKind::Run;
}

PathKind kindOfKept(const QString& path) {
  const bool isThere = RemotePlace::isRemote(path) || QFileInfo::exists(path);
  return isThere ? kindOf(path) : PathKind::Gone;
}

QString usualRunsFolder() {
  const QString usual = QString::fromStdString(run_folder::runsFolder().string());
  return QDir::cleanPath(QFileInfo(usual).absoluteFilePath());
}

Opening openingOf(const std::vector<GivenPath>& paths, std::optional<Page> page) {
  Opening opening;
  for (const auto& [path, kind] : paths) {
    if (!kind) {
      opening.waiting.append(path);
    } else if (kind == PathKind::Gone) {
      opening.gone.append(path);
    } else if (kind == PathKind::Remote) {
      if (const auto place = RemotePlace::parse(path)) opening.remotes.append(*place);
    } else if (kind == PathKind::Packed) {
      opening.remotes.append(RemotePlace::packedRun(path));
    } else if (kind == PathKind::Experiment) {
      opening.experiments.append(path);
    } else if (kind == PathKind::Run) {
      opening.runs.append(path);
    } else {
      opening.runsFolders.append(path);
    }
  }
  opening.hasRunsFolder = !opening.runsFolders.isEmpty();
  if (opening.runsFolders.isEmpty()) opening.runsFolders = {usualRunsFolder()};
  const bool isOfExperiment =
      !opening.experiments.isEmpty() && opening.runs.isEmpty() && opening.remotes.isEmpty();
  opening.page = page.value_or(isOfExperiment ? Page::Configure : Page::Monitor);
  if (opening.page == Page::Configure && opening.experiments.isEmpty())
    opening.copiedRun = opening.runs.value(0);
  opening.isPlainStart = paths.empty() && !page;
  return opening;
}

}  // namespace lockstep::app
