// PredictionsPage's opened images: files, folders and pictures that are dropped, pasted or chosen.
#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QImage>
#include <QMimeData>
#include <QTemporaryDir>
#include <QUrl>

#include "app/predictions_page/predictions_page.h"
#include "widgets/drop_hint.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/jobs/awaited.h"
#include "widgets/named_action.h"

namespace lockstep::app {
namespace {

QStringList localFilesIn(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) files.append(url.toLocalFile());
  return files;
}

}  // namespace

void PredictionsPage::addOpeningActions() {
  const auto add = [this](const char* id, const QString& text, const QList<QKeySequence>& keys,
                          void (PredictionsPage::*act)()) {
    widgets::addNamedAction(this, widgets::ActionPlace::Predictions, id, text, keys,
                            [this, act] { (this->*act)(); });
  };
  add("predictions.open_images", tr("Open images…"), {Qt::Key_I}, &PredictionsPage::openDialog);
  add("predictions.open_image_folder", tr("Open a folder of images…"), {Qt::SHIFT | Qt::Key_I},
      &PredictionsPage::openFolderDialog);
  add("predictions.paste_images", tr("Paste images"), {QKeySequence::Paste},
      &PredictionsPage::paste);
  add("predictions.open_checkpoint", tr("Open a checkpoint…"), {},
      &PredictionsPage::openCheckpointDialog);
  add("predictions.open_results", tr("Open results of another program…"), {Qt::SHIFT | Qt::Key_O},
      &PredictionsPage::openResultsDialog);
  add("predictions.judge_results", tr("Choose ground truth…"), {},
      &PredictionsPage::judgeResultsBy);
  add("predictions.close_images", tr("Close the opened images"), {}, &PredictionsPage::closeImages);
  widgets::addNamedAction(this, widgets::ActionPlace::Predictions, "predictions.opened_images",
                          tr("Show the opened images"), {},
                          [this] { showPart(ImagePart::Opened); });
}

/// Start folder of the dialogs: of the images opened last, else of the run's images.
QString PredictionsPage::imagesFolder() const {
  const QString last = opened_.images.empty()
                           ? (truth_ ? truth_->imagesFolder : QString())
                           : QString::fromStdString(opened_.images.back().fileName);
  return jobs::folderToBeginWith(last);
}

void PredictionsPage::openDialog() {
  openImages(QFileDialog::getOpenFileNames(
      this, tr("Open images"), imagesFolder(),
      tr("Images (*.jpg *.jpeg *.png *.bmp *.tif *.tiff *.webp);;All files (*)")));
}

void PredictionsPage::openFolderDialog() {
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Open a folder of images"), imagesFolder());
  if (!folder.isEmpty()) openImages({folder});
}

void PredictionsPage::openCheckpointDialog() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a checkpoint"),
                                                    jobs::folderToBeginWith(runFolder()),
                                                    tr("Weights (*.safetensors)"));
  if (!file.isEmpty()) openCheckpoint(file);
}

void PredictionsPage::openCheckpoint(const QString& path) {
  jobs::start(
      this, jobs::Kind::Disk, [path] { return findCheckpoint(path); },
      [this](const OpenedCheckpoint& found) {
        if (!found.failure.isEmpty()) return view_->setMessage(found.failure);
        if (run_ && run_->folder() == found.runFolder) return showStep(found.step);
        openedCheckpoint_ = found;
        Q_EMIT runRequested(found.runFolder);
      });
}

void PredictionsPage::openImages(const QStringList& paths) {
  waitingPaths_ += paths;
  if (waitingPaths_.isEmpty() || search_.isRunning()) return;
  view_->setMessage(tr("Looking for images…"));
  search_ = jobs::start(
      this, jobs::Kind::Disk,
      [paths = std::exchange(waitingPaths_, {}), known = opened_] {
        return findImages(paths, known);
      },
      [this](const OpenedImages& found) { addOpened(found); });
}

void PredictionsPage::addOpened(const OpenedImages& found) {
  keepOpened(found);
  if (!found.images.empty()) {
    predictsOpened_ = true;
    showOpened(found.images.front());
  } else {
    if (found.again) showOpened(*found.again);
    showOpenedMessage();
  }
  openImages({});  // those that were opened meanwhile
  announceReady();
}

void PredictionsPage::keepOpened(const OpenedImages& found) {
  opened_.images.insert(opened_.images.end(), found.images.begin(), found.images.end());
  opened_.leftOut = found.leftOut;
  opened_.lastId = found.lastId;
}

/// One of those that are kept.
void PredictionsPage::showOpened(const coco::Image& image) {
  if (part_ == ImagePart::Opened && hasDataset_ && view_->showSameImage(image)) return;
  areResultsShown_ = false;
  keepPlace();
  lastImage_ = image;
  part_ = ImagePart::Opened;
  reload();
}

void PredictionsPage::closeImages() {
  if (search_.isRunning()) {
    view_->setMessage({});
  } else if (opened_.images.empty()) {
    view_->setMessage(tr("No images are opened: drop some here, or paste them."));
  }
  search_.cancel();
  waitingPaths_.clear();
  searchedPaths_.clear();
  if (std::exchange(showsSearched_, false) && isVisible()) load();
  if (opened_.images.empty()) return announceReady();
  forgetPasted();
  opened_ = {{}, {}, opened_.lastId};  // a late answer must not be taken for that of another image
  for (ViewState& memory : viewStates_) {
    memory.answers.erase(ImagePart::Opened);
    memory.keptFiles.erase(ImagePart::Opened);
    memory.predicted.clear();
  }
  if (areResultsShown_ || part_ != ImagePart::Opened) {
    if (part_ == ImagePart::Opened) part_ = ImagePart::HeldOut;
    return showParts();
  }
  keepPlace();
  part_ = ImagePart::HeldOut;
  reload();
  if (!run_) showEmptyText();
}

/// What is not among the images, and what is missing to predict them.
void PredictionsPage::showOpenedMessage() {
  const QStringList& lines = opened_.leftOut;
  if (lines.size() == 1) return view_->setMessage(lines.first());
  if (!lines.isEmpty())
    return view_->setMessage(
        tr("%n file(s) or folder(s) were not opened", "", static_cast<int>(lines.size())),
        lines.join(u'\n'));
  const bool hasCheckpoints = run_ && !run_->program();
  if (hasCheckpoints || opened_.images.empty()) return view_->setMessage({});
  showMessage(tr("Select a run on the left, or open a checkpoint, to predict these images."),
              tr("Open a checkpoint…"), [this] { openCheckpointDialog(); });
}

void PredictionsPage::take(const QMimeData& dropped) {
  QStringList files = localFilesIn(dropped);
  if (files.isEmpty() && dropped.hasImage()) {
    const QString file = savePasted(qvariant_cast<QImage>(dropped.imageData()));
    if (!file.isEmpty()) files.append(file);
  }
  for (const QString& file : QStringList(files)) {
    const bool areResults = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
    if (!areResults && !looksLikeCheckpoint(file)) continue;
    files.removeOne(file);
    if (areResults)
      openResults({file});
    else
      openCheckpoint(file);
  }
  openImages(files);
}

void PredictionsPage::paste() {
  const QMimeData* copied = QApplication::clipboard()->mimeData();
  if (copied && (copied->hasImage() || !localFilesIn(*copied).isEmpty())) return take(*copied);
  view_->setMessage(tr("The clipboard holds neither a picture nor files."));
}

/// Into a file for the engine, which stays until the images are closed. Empty: failed, which was
/// said.
QString PredictionsPage::savePasted(const QImage& picture) {
  QString file = kept_.newPicturePath();
  if (file.isEmpty()) {
    if (!pasted_) pasted_ = std::make_unique<QTemporaryDir>();
    file = pasted_->filePath(QStringLiteral("pasted-%1.png").arg(++pastedCount_));
  }
  if (picture.save(file)) return file;
  view_->setMessage(tr("The pasted image cannot be saved in %1: check the free space.").arg(file));
  return {};
}

void PredictionsPage::dragEnterEvent(QDragEnterEvent* event) {
  const QMimeData& dragged = *event->mimeData();
  if (!dragged.hasImage() && localFilesIn(dragged).isEmpty()) return;
  event->acceptProposedAction();
  dropHint_->showText(
      tr("Drop images or folders to predict them with this checkpoint, another checkpoint, or the "
         "results of another program"));
}

void PredictionsPage::dragLeaveEvent(QDragLeaveEvent*) { dropHint_->hide(); }

void PredictionsPage::dropEvent(QDropEvent* event) {
  dropHint_->hide();
  event->acceptProposedAction();
  take(*event->mimeData());
}

/// Of a part of the run's data.
AskedPrediction PredictionsPage::allImagesAt(qint64 step) const {
  return {std::nullopt, step, part_};
}

void PredictionsPage::predictAllImages(qint64 step) {
  endBatches();
  if (part_ == ImagePart::Opened) {
    QStringList files;
    for (const coco::Image& image : view_->unpredictedImages(step))
      files.append(QString::fromStdString(image.fileName));
    batches_.start(step, files);
    return requestBatch();
  }
  requests_.predict(allImagesAt(step));
}

void PredictionsPage::cancelAllImages(qint64 step) {
  if (batches_.isRunning()) return endBatches();
  requests_.cancel(allImagesAt(step));
  view_->endAllImages(step);
}

void PredictionsPage::requestBatch() {
  const qint64 step = batches_.step();
  if (!batches_.isRunning()) return view_->endAllImages(step);
  view_->setAllImagesProgress(step, batches_.done(), batches_.of());
  lookAtBatch();
  requests_.predict(batches_.current());
}

void PredictionsPage::takeBatch(const AskedPrediction& asked, const QString& file) {
  if (!batches_.isRunning() || batches_.current() != asked) return;
  store_.readAnswer(asked.step, file, opened_.idsOf(asked.files));
  batches_.advance();
  requestBatch();
}

/// Files that the engine could not read, a line each.
void PredictionsPage::showUnreadable(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  for (const std::string& each : lines)
    if (const QString line = QString::fromStdString(each); !opened_.leftOut.contains(line))
      opened_.leftOut.append(line);
  showOpenedMessage();
}

void PredictionsPage::failBatch(const AskedPrediction& asked, const QString& why) {
  if (!batches_.isRunning() || batches_.current() != asked) return;
  batches_.clear();
  view_->endAllImages(asked.step);
  view_->setMessage(why);
}

/// On request, or as other images, another run or another checkpoint are wanted.
void PredictionsPage::endBatches() {
  if (!batches_.isRunning()) return;
  requests_.cancel(batches_.current());
  const qint64 step = batches_.step();
  batches_.clear();
  view_->endAllImages(step);
}

}  // namespace lockstep::app
