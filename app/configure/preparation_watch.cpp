#include "app/configure/preparation_watch.h"

#include <QFileInfo>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/file_lock.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kPreparationInterval{1};

/// Blocks: reads a file.
Preparation readPreparation(const std::string& file) {
  using Stage = Preparation::Stage;
  // Checked before reading, because the script removes the file before it releases the lock.
  const bool isAlive = base::FileLock::isHeld(file);
  try {
    const auto state = nlohmann::json::parse(base::readFile(file), nullptr, false);
    if (!isAlive) return {Stage::Ended};
    if (!state.is_object()) return {Stage::Building};
    const bool isBuilding = state.value("stage", "building") == "building";
    return {isBuilding ? Stage::Building : Stage::Making, state.value("percent", -1),
            state.value("seconds_left", -1)};
  } catch (const std::exception&) {
    return {};  // no such file
  }
}

}  // namespace

QString Preparation::title(const QString& experiment) const {
  return stage == Stage::Ended
             ? PreparationWatch::tr("The data of %1 were not prepared").arg(experiment)
             : PreparationWatch::tr("The data of %1 are being prepared").arg(experiment);
}

QString Preparation::text() const {
  switch (stage) {
    case Stage::None:
      return {};
    case Stage::Building:
      if (percent < 0)
        return PreparationWatch::tr(
            "lockstep-worker, which makes the data and trains, is being built.");
      if (secondsLeft < 0)
        return PreparationWatch::tr(
                   "lockstep-worker, which makes the data and trains, is being built: %1 %.")
            .arg(percent);
      return PreparationWatch::tr(
                 "lockstep-worker, which makes the data and trains, is being built: %1 %, about "
                 "%2 left.")
          .arg(percent)
          .arg(widgets::durationText(secondsLeft));
    case Stage::Making:
      return PreparationWatch::tr(
          "The images are being made. Train is enabled when they are ready.");
    case Stage::Ended:
      return PreparationWatch::tr(
          "packaging/quickstart.sh ended before they were ready; its terminal says why. Run it "
          "again: it continues where it stopped.");
  }
  return {};
}

PreparationWatch::PreparationWatch(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  timer_.setInterval(kPreparationInterval);
  connect(&timer_, &QTimer::timeout, this, &PreparationWatch::look);
}

void PreparationWatch::watch(const QString& experimentFile) {
  const QString file = experimentFile.isEmpty() ? QString()
                                                : QFileInfo(experimentFile).absolutePath() +
                                                      QStringLiteral("/preparing.json");
  if (file == std::exchange(file_, file)) return;
  preparation_ = {};
  isKnown_ = file.isEmpty();
  look_.cancel();
  timer_.stop();
  if (!file.isEmpty()) look();
}

void PreparationWatch::look() {
  look_ = jobs::start(
      this, jobs::Kind::Disk, [file = file_.toStdString()] { return readPreparation(file); },
      [this](const Preparation& found) {
        const bool isNew = std::exchange(preparation_, found) != found;
        const bool wasKnown = std::exchange(isKnown_, true);
        if (found.stage != Preparation::Stage::None) timer_.start();
        if (isNew || !wasKnown) Q_EMIT changed();
      });
}

}  // namespace lockstep::app
