// What PredictionsPage keeps: predictions that were asked for, opened images, and what is shown.
#include <QDir>
#include <QTemporaryDir>
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "app/predictions_page/predictions_page.h"
#include "engine/coco/files/results_by_image.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {
namespace {

const QString kPart = QStringLiteral("part"), kOpened = QStringLiteral("opened"),
              kView = QStringLiteral("view"), kRun = QStringLiteral("run"),
              kStep = QStringLiteral("step"), kImage = QStringLiteral("image"),
              kImageName = QStringLiteral("imageName"), kResults = QStringLiteral("results"),
              kAnnotations = QStringLiteral("annotations");
constexpr ImageId kUnwanted = coco::ResultsByImage::kUnwanted;

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
  if (const ResultsSource results = resultsToKeep(); !results.results.isEmpty()) {
    state[kResults] = results.results;
    state[kAnnotations] = results.annotations;
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
  restoredResults_ = {{state.value(kResults).toString(), state.value(kAnnotations).toString()},
                      state.value(kRun).toString()};
  openRestoredResults();
}

/// Those that are shown, or will be.
ResultsSource PredictionsPage::resultsToKeep() const {
  if (areResultsShown_) return results_.source;
  if (resultsReading_.isRunning()) return askedResults_;
  return waitingResults_.results.isEmpty() ? restoredResults_.source : waitingResults_;
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
          areResultsShown_ = false;
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

/// Without a version where it is not known.
std::vector<SeenFile> PredictionsPage::filesWhenAsked(const AskedPrediction& asked) {
  if (asked.image) return {askedFiles_[{asked.part, *asked.image}]};
  if (std::ranges::equal(batchFiles_, asked.files, {}, &SeenFile::file)) return batchFiles_;
  std::vector<SeenFile> files;
  for (const QString& file : asked.files) files.push_back({file});
  return files;
}

/// Before the engine reads its files.
void PredictionsPage::lookAtBatch() {
  batchFiles_.clear();
  batchLook_.cancel();
  batchLook_ = jobs::start(
      this, jobs::Kind::Disk, [files = batches_.current().files] { return seenNow(files); },
      [this](const std::vector<SeenFile>& seen) { batchFiles_ = seen; });
}

/// What a run folder does not keep. Of a run on another machine it is only shown.
void PredictionsPage::keepAnswer(const AskedPrediction& asked, const QString& file) {
  if (!run_ || run_->place() || asked.isExplanation || asked.isOfPart()) return;
  KeptAnswer answer{asked.part, asked.step, asked.image, asked.files};
  answer.seen = filesWhenAsked(asked);
  ViewState& memory = viewStates_[run_->folder()];
  for (const SeenFile& each : answer.seen) memory.predicted.erase({each.file, asked.step});
  if (asked.part == part_ && !areResultsShown_ && !kept_.isNone())  // it is read anyway
    memory.keptFiles[part_].insert(kept_.pathOf(attempt(), answer));
  jobs::start(
      this, jobs::Kind::Disk,
      [kept = kept_, run = attempt(), answer, file] {
        KeptAnswer whole = answer;
        for (SeenFile& each : whole.seen)
          if (!each.version.exists()) each.version = base::FileVersion::of(each.file.toStdString());
        kept.keep(run, whole, file);
        return whole.seen;
      },
      [this, folder = run_->folder(), step = asked.step](const std::vector<SeenFile>& seen) {
        for (const auto& [each, version] : seen)
          viewStates_[folder].predicted[{each, step}] = version;
        dropOutdated();
      });
}

/// Of the shown image, where the engine is; empty: there is none.
QString PredictionsPage::shownFile() const {
  const auto shown = view_->shownImage();
  return shown ? QDir(engineFolder_).filePath(QString::fromStdString(shown->fileName)) : QString();
}

/// Predictions of an opened image whose file is another one now.
void PredictionsPage::dropOutdated() {
  const auto version = view_->shownVersion();
  if (!run_ || part_ != ImagePart::Opened || areResultsShown_ || !version) return;
  const QString file = shownFile();
  const auto& predicted = viewStates_[run_->folder()].predicted;
  std::vector<qint64> steps;
  for (auto each = predicted.lower_bound({file, std::numeric_limits<qint64>::min()});
       each != predicted.end() && each->first.first == file; ++each)
    if (each->second != *version) steps.push_back(each->first.second);
  const ImageId image = view_->currentImage();
  for (const qint64 step : steps) view_->forgetPredictions(step, image);
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
  QStringList files = answer.files;
  for (QString& file : files)  // without those that are others now
    if (std::ranges::find(answer.seen, file, &SeenFile::file) == answer.seen.end()) file.clear();
  std::vector<ImageId> images = opened_.idsOf(files);
  if (answer.image && answer.part != ImagePart::Opened)  // whose ids are those of this window
    images = {answer.seen.empty() ? kUnwanted : ImageId{*answer.image}};
  if (std::ranges::count(images, kUnwanted) == std::ssize(images)) return;
  ViewState& memory = viewStates_[run_->folder()];
  if (!memory.keptFiles[part_].insert(answer.path).second) return;
  for (const auto& [file, version] : answer.seen) memory.predicted[{file, answer.step}] = version;
  store_.readAnswer(answer.step, answer.path, images);
}

}  // namespace lockstep::app
