// What PredictionsPage keeps: predictions that were asked for, opened images, and what is shown.
#include <QTemporaryDir>
#include <algorithm>
#include <utility>

#include "app/predictions/predictions_page.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {
namespace {

const QString kPart = QStringLiteral("part"), kOpened = QStringLiteral("opened"),
              kView = QStringLiteral("view"), kRun = QStringLiteral("run"),
              kStep = QStringLiteral("step"), kImage = QStringLiteral("image"),
              kImageName = QStringLiteral("imageName");

}  // namespace

QVariantMap PredictionsPage::viewState() const {
  const ImagePart part = showsSearched_ ? ImagePart::Opened : part_;
  QVariantMap state{
      {kPart, static_cast<int>(part)}, {kOpened, openedFiles()}, {kView, view_->viewState()}};
  const std::optional<coco::Image> shown = view_->shownImage();
  if (const auto& image = shown ? shown : lastImage_) {
    state[kImage] = QVariant::fromValue<qint64>(image->id.value);
    state[kImageName] = QString::fromStdString(image->fileName);
  }
  if (!run_) return state;
  state[kRun] = run_->folder();
  const std::optional<qint64> step = !hasDataset_     ? viewStates_.value(run_->folder()).step
                                     : followsNewest_ ? std::nullopt
                                                      : std::optional(view_->currentCheckpoint());
  if (step) state[kStep] = *step;
  return state;
}

void PredictionsPage::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  view_->restoreViewState(state.value(kView).toMap());
  if (state.contains(kImage))
    lastImage_ = coco::Image{ImageId{state.value(kImage).toLongLong()},
                             state.value(kImageName).toString().toStdString()};
  if (state.contains(kStep))
    viewStates_[state.value(kRun).toString()].step = state.value(kStep).toLongLong();
  const int part = state.value(kPart).toInt();
  if (part == static_cast<int>(ImagePart::Training)) showPart(ImagePart::Training);
  restoreOpened(state.value(kOpened).toStringList(), part == static_cast<int>(ImagePart::Opened));
}

/// Without those that go with the window.
QStringList PredictionsPage::openedFiles() const {
  QStringList files = searchedPaths_;
  for (const coco::Image& image : opened_.images) {
    const QString file = QString::fromStdString(image.fileName);
    if (!pasted_ || !file.startsWith(pasted_->path())) files.append(file);
  }
  return files;
}

/// They are not predicted anew: what was predicted of them is kept.
void PredictionsPage::restoreOpened(const QStringList& files, bool isShown) {
  if (files.isEmpty() || search_.isRunning()) return;
  searchedPaths_ = files;
  showsSearched_ = isShown;
  search_ = jobs::start(
      this, jobs::Kind::Disk, [files, known = opened_] { return findImages(files, known); },
      [this](const OpenedImages& found) {
        searchedPaths_.clear();
        keepOpened(found);
        if (std::exchange(showsSearched_, false) && !opened_.images.empty()) {
          part_ = ImagePart::Opened;
          reload();
        } else {
          showParts();
          if (isVisible()) load();
        }
        openImages({});  // those that were opened meanwhile
        announceReady();
      });
}

/// Files of pictures that were pasted.
void PredictionsPage::forgetPasted() {
  jobs::start(
      this, jobs::Kind::Disk,
      [kept = kept_, files = openedFiles()] {
        kept.removePictures(files);
        return true;
      },
      [](bool) {});
  pasted_.reset();
}

KeptAnswers::Attempt PredictionsPage::attempt() const {
  const run_folder::RunInfo& info = run_->info();
  return {run_->folder(), info.created, info.attempt};
}

/// What a run folder does not keep. Of a run on another machine it is only shown.
void PredictionsPage::keepAnswer(const AskedPrediction& asked, const QString& file) {
  if (kept_.isNone() || !run_ || run_->place() || asked.isExplanation || asked.isOfPart()) return;
  const KeptAnswer answer{asked.part, asked.step, asked.image, asked.files};
  if (asked.part == part_ && !areResultsShown_)  // it is read anyway
    viewStates_[run_->folder()].keptFiles[part_].insert(kept_.pathOf(attempt(), answer));
  jobs::start(
      this, jobs::Kind::Disk,
      [kept = kept_, run = attempt(), answer, file] {
        kept.keep(run, answer, file);
        return true;
      },
      [](bool) {});
}

void PredictionsPage::readKeptAnswers() {
  if (kept_.isNone() || run_->place()) return;
  keptSearch_.cancel();
  keptSearch_ = jobs::start(
      this, jobs::Kind::Disk, [kept = kept_, run = attempt()] { return kept.find(run); },
      [this, run = run_, part = part_](const std::vector<KeptAnswer>& found) {
        if (run == run_ && part == part_ && hasDataset_)
          for (const KeptAnswer& answer : found) readKept(answer);
        announceReady();
      });
}

void PredictionsPage::readKept(const KeptAnswer& answer) {
  if (answer.part != part_) return;
  const std::vector<ImageId> images =
      answer.image ? std::vector{ImageId{*answer.image}} : opened_.idsOf(answer.files);
  const bool areThere = answer.image || std::ranges::find(images, ImageId()) == images.end();
  if (!areThere) return;  // not all of them are opened, or still exist
  if (!viewStates_[run_->folder()].keptFiles[part_].insert(answer.path).second) return;
  store_.readAnswer(answer.step, answer.path, images);
}

}  // namespace lockstep::app
