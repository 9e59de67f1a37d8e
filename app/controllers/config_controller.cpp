#include "app/controllers/config_controller.h"

#include <QDir>
#include <QFileInfo>

#include "app/models/background.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/edit.h"

namespace lockstep::app {
namespace {

struct Counts {
  qint64 train = 0, val = 0;
};

Counts countIn(const std::string& train, const std::string& val) {
  Counts counts;
  // A file that cannot be read is told where the experiment is checked; here it only means: not
  // known.
  try {
    if (!train.empty())
      counts.train = static_cast<qint64>(coco::Dataset::load(train).usableImageCount());
  } catch (const std::exception&) {
    counts.train = 0;
  }
  try {
    if (!val.empty()) counts.val = static_cast<qint64>(coco::Dataset::load(val).images().size());
  } catch (const std::exception&) {
    counts.val = 0;
  }
  return counts;
}

}  // namespace

ConfigController::ConfigController(QObject* parent) : QObject(parent) {}

bool ConfigController::open(const QString& path) {
  const QString file = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
  try {
    const QString text = QString::fromStdString(base::readFile(file.toStdString()));
    filePath_ = file;
    setName(text);
    Q_EMIT opened(text, file);
    return true;
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The experiment file cannot be opened"), QString::fromUtf8(error.what()));
    return false;
  }
}

bool ConfigController::save(const QString& path, const QString& text) {
  const QString file = QDir::cleanPath(QFileInfo(path).absoluteFilePath());
  try {
    base::writeFileAtomically(file.toStdString(), text.toStdString());
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The experiment was not saved"), QString::fromUtf8(error.what()));
    return false;
  }
  filePath_ = file;
  setName(text);
  Q_EMIT saved(file);
  return true;
}

void ConfigController::setName(const QString& text) {
  name_ = QFileInfo(filePath_).completeBaseName();
  const std::string yaml = text.toStdString();
  const auto span = config::findValue(yaml, "name");
  if (!span) return;
  const QString value =
      QString::fromStdString(yaml.substr(span->begin, span->end - span->begin)).trimmed();
  if (!value.isEmpty()) name_ = value;
}

void ConfigController::countImages(const QString& trainAnnotations, const QString& valAnnotations) {
  if (trainAnnotations == countedTrain_ && valAnnotations == countedVal_) return;
  countedTrain_ = trainAnnotations;
  countedVal_ = valAnnotations;
  const int number = ++counting_;
  runInBackground(
      this,
      [train = trainAnnotations.toStdString(), val = valAnnotations.toStdString()] {
        return countIn(train, val);
      },
      [this, number](const Counts& counts) {
        if (number != counting_) return;
        counted_ = number;
        Q_EMIT imagesCounted(counts.train, counts.val);
      });
}

}  // namespace lockstep::app
