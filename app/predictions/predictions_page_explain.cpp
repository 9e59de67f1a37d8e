// Explanations of single images, from the engine that predicts.
#include "app/models/explanation_file.h"
#include "app/predictions/predictions_page.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {
namespace {

/// Of an engine that knows no explanations, as its own version says it.
const QString kUnknownRequest = QStringLiteral("type 'explain' is not known");

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
