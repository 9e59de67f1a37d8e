#include "app/frame/opening.h"

#include <QDir>
#include <QFileInfo>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

Opening openingOf(const QStringList& paths, std::optional<Page> page) {
  Opening opening;
  for (const QString& path : paths) {
    if (const auto place = RemotePlace::parse(path)) {
      opening.remotes.append(*place);
    } else if (QFileInfo(path).isFile()) {
      opening.experiments.append(path);
    } else if (run_folder::isRunFolder(path.toStdString())) {
      opening.runs.append(path);
    } else {
      opening.runsFolders.append(path);
    }
  }
  if (opening.runsFolders.isEmpty()) {
    const QString usual = QString::fromStdString(run_folder::runsFolder().string());
    opening.runsFolders = {QDir::cleanPath(QFileInfo(usual).absoluteFilePath())};
  }
  const bool isOfExperiment =
      !opening.experiments.isEmpty() && opening.runs.isEmpty() && opening.remotes.isEmpty();
  opening.page = page.value_or(isOfExperiment ? Page::Configure : Page::Monitor);
  if (opening.page == Page::Configure && opening.experiments.isEmpty())
    opening.copiedRun = opening.runs.value(0);
  opening.isPlainStart = paths.isEmpty() && !page;
  return opening;
}

}  // namespace lockstep::app
