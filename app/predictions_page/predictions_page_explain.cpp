// Explanations of single images, from the engine that predicts.
#include <QPointer>
#include <utility>

#include "app/files/run_file_access.h"
#include "app/predictions_page/predictions_page.h"
#include "engine/base/atomic_file.h"
#include "engine/explanation/explanation.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

/// Of an engine that knows no explanations, as its own version says it.
const QString kUnknownRequest = QStringLiteral("type 'explain' is not known");

/// An explanation, or why it cannot be read.
struct ReadExplanation {
  std::shared_ptr<const explanation::Explanation> value{};
  QString error{};
};

/// Blocks; does not throw.
ReadExplanation parsedExplanation(const std::string& file) {
  try {
    return {std::make_shared<const explanation::Explanation>(
                explanation::parseExplanation(base::readFile(file), file)),
            {}};
  } catch (const std::exception& error) {
    return {nullptr, QString::fromUtf8(error.what())};
  }
}

/// Reads the answer to an explain request in the background and calls `done` in the thread of
/// `context`, unless that is destroyed before.
void readExplanation(QObject* context, const RunFileAccess& files, const QString& file,
                     std::function<void(const ReadExplanation&)> done) {
  files.bring(file,
              [alive = QPointer(context), file, done = std::move(done)](const QString& error) {
                if (!alive) return;
                if (!error.isEmpty()) return done({nullptr, error});
                jobs::start(
                    alive, jobs::Kind::Disk,
                    [file = file.toStdString()] { return parsedExplanation(file); }, done);
              });
}

}  // namespace

void PredictionsPage::connectExplanations() {
  connect(view_, &widgets::PredictionsView::explanationRequested, this,
          [this](ImageId image, qint64 step) {
            // Of training images the engine knows the ids too.
            const QStringList files = part_ == ImagePart::Opened ? filesOf(image) : QStringList();
            explained_ = {image.value, step, part_, files, /*isExplanation=*/true};
            requests_.predict(*explained_);
          });
  connect(view_, &widgets::PredictionsView::explanationCanceled, this, [this] {
    if (explained_) requests_.cancel(*explained_);
  });
}

void PredictionsPage::readExplanationOf(const AskedPrediction& asked, const QString& file) {
  if (!run_) return;
  readExplanation(this, run_->files(), file,
                  [this, asked, run = run_](const ReadExplanation& read) {
                    if (run != run_ || asked.part != part_) return;
                    if (!read.value) return showExplanationFailed(asked, read.error);
                    view_->setExplanation(ImageId{*asked.image}, asked.step, read.value);
                  });
}

void PredictionsPage::showExplanationFailed(const AskedPrediction& asked, const QString& why) {
  const bool isOlder = why.contains(kUnknownRequest);
  view_->setExplanationFailed(
      ImageId{*asked.image}, asked.step,
      isOlder ? tr("The engine of this run is of an older version, which cannot explain images. "
                   "Try again when the run has ended, or resume it with this version.")
              : why);
}

}  // namespace lockstep::app
