#include "app/models/explanation_file.h"

#include <QObject>
#include <QPointer>
#include <utility>

#include "engine/base/atomic_file.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

/// Blocks; does not throw.
ReadExplanation read(const std::string& file) {
  try {
    return {std::make_shared<const explanation::Explanation>(
                explanation::parseExplanation(base::readFile(file), file)),
            {}};
  } catch (const std::exception& error) {
    return {nullptr, QString::fromUtf8(error.what())};
  }
}

}  // namespace

void readExplanation(QObject* context, const RunFileAccess& files, const QString& file,
                     std::function<void(const ReadExplanation&)> done) {
  files.bring(
      file, [alive = QPointer(context), file, done = std::move(done)](const QString& error) {
        if (!alive) return;
        if (!error.isEmpty()) return done({nullptr, error});
        jobs::start(
            alive, jobs::Kind::Disk, [file = file.toStdString()] { return read(file); }, done);
      });
}

}  // namespace lockstep::app
