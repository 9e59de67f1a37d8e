#include "engine/supervisor/run_recorder.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/config/due.h"
#include "engine/events/image_summary.h"
#include "engine/events/tags.h"
#include "engine/run_folder/bad_images.h"
#include "engine/supervisor/move_into_place.h"
#include "engine/supervisor/run_hyper_parameters.h"
#include "engine/supervisor/run_log.h"

namespace lockstep::supervisor {
namespace fs = std::filesystem;
namespace {

/// run.json follows the step this often; every change of state is written at once.
constexpr double kStepWriteSeconds = 5;

std::string relativeTo(const run_folder::Layout& layout, const fs::path& path) {
  return path.lexically_relative(layout.folder()).string();
}

/// A folder disappears at once for readers, and only then file by file.
void removeCheckpoint(const fs::path& folder) {
  const fs::path hidden = folder.parent_path() / ("." + folder.filename().string() + ".removed");
  fs::rename(folder, hidden);
  fs::remove_all(hidden);
}

/// The step of `step-00000500.json`, if the name is one.
std::optional<std::int64_t> stepOfFile(const fs::path& file) {
  const std::string stem = file.stem().string();
  if (!stem.starts_with("step-")) return std::nullopt;
  try {
    return std::stoll(stem.substr(5));
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

/// Unfinished files, and those of steps after `lastStep`.
void removeFiles(const fs::path& folder, std::optional<std::int64_t> lastStep) {
  try {
    if (!fs::exists(folder)) return;
    const std::vector<fs::directory_entry> entries(fs::directory_iterator(folder), {});
    for (const auto& entry : entries) {
      const auto step = stepOfFile(entry.path());
      const bool isPartial = entry.path().filename().string().starts_with(".step-");
      if (isPartial || (lastStep && step && *step > *lastStep)) fs::remove_all(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(error.path1().string() +
                ": leftovers cannot be removed: " + error.code().message());
  }
}

}  // namespace

void warn(RunLog& log, RunRecorder& recorder, const std::string& text) {
  log.warn("engine", text);
  recorder.recordLog(base::LogLevel::Warning, text);
}

std::string badImageText(const protocol::BadImage& image) {
  return image.file + ": " + image.reason + ": the " +
         (image.split == protocol::Split::Val ? "validation" : "training") + " image is skipped";
}

RunRecorder::RunRecorder(run_folder::Layout layout, run_folder::RunInfo info,
                         config::CheckpointConfig checkpoints,
                         const std::optional<run_folder::ResumePoint>& resume, Handlers handlers)
    : layout_(std::move(layout)),
      folder_(layout_.folder()),
      info_(std::move(info)),
      checkpoints_(checkpoints),
      onBest_(std::move(handlers.best)),
      isNeeded_(std::move(handlers.isNeeded)),
      eventLog_(layout_.folder(), resume ? std::optional(resume->step) : std::nullopt,
                std::move(handlers.alert)) {
  writtenStep_ = info_.step;
  resume ? resumeFrom(*resume) : removeLeftovers(std::nullopt);
}

void RunRecorder::requireFolder() const {
  if (isInPlace()) return;
  throw Error(layout_.folder().string() +
              ": the run folder was removed or renamed during the run: stopped at step " +
              std::to_string(info_.step) + ", and nothing more is saved");
}

void RunRecorder::restartFrom(const run_folder::ResumePoint& resume) {
  requireFolder();
  eventLog_.truncateAfterStep(resume.step);
  ++info_.attempt;
  info_.step = resume.step;
  bestEvaluation_.reset();
  resumeFrom(resume);
}

/// The folder, and what is best so far, are those of the resume point.
void RunRecorder::resumeFrom(const run_folder::ResumePoint& resume) {
  removeLeftovers(resume.step);
  run_folder::removeBadImagesAfter(layout_, resume.step);
  badImages_.clear();
  if (!resume.isDataChanged) {  // images of other data are read, and recorded, again
    for (const protocol::BadImage& image : run_folder::readBadImages(layout_))
      badImages_.insert({image.split.text(), image.file});
  }
  setDamagedAside(resume);
  eventLog_.keepCheckpoints(run_folder::checkpointSteps(layout_));
  // A best that was damaged, or pruned for one that was, is none: a later one takes its place.
  const bool isKept =
      !checkpoints_.keepBest || !resume.best || fs::exists(layout_.checkpoint(resume.best->step));
  info_.best = isKept ? resume.best : std::nullopt;
  const bool isWanted = config::isCheckpointDue(checkpoints_, resume.step) || resume.isAsked ||
                        (info_.best && info_.best->step == resume.step);
  interruption_ = isWanted ? std::nullopt : std::optional(resume.step);
}

void RunRecorder::removeLeftovers(std::optional<std::int64_t> resumeStep) {
  for (const fs::path& folder :
       {layout_.folder(), layout_.checkpoints(), layout_.evaluation(0).parent_path(),
        layout_.predictions(0).parent_path(), layout_.source()})
    base::removeTemporaryFiles(folder);
  removeFiles(layout_.checkpoints(), std::nullopt);
  removeFiles(layout_.evaluation(0).parent_path(), resumeStep);
  removeFiles(layout_.predictions(0).parent_path(), resumeStep);
  removeFiles(layout_.divergence(0).parent_path(), std::nullopt);
}

void RunRecorder::setDamagedAside(const run_folder::ResumePoint& resume) {
  for (const auto& [step, error] : resume.damaged) {
    const fs::path place = layout_.checkpoint(step);
    const fs::path aside = place.parent_path() / ("damaged-" + place.filename().string());
    std::error_code failure;
    fs::remove_all(aside, failure);
    fs::rename(place, aside, failure);
    if (failure) throw Error(place.string() + ": cannot be renamed: " + failure.message());
    recordLog(base::LogLevel::Warning,
              "checkpoint of step " + std::to_string(step) + " is damaged (" + error +
                  "): it is now " + aside.filename().string() +
                  ", and training resumes from step " + std::to_string(resume.step),
              protocol::LogKind::CheckpointFailed);
  }
}

void RunRecorder::recordScalars(const protocol::Scalars& scalars) {
  info_.step = std::max(info_.step, scalars.step);
  eventLog_.appendEvent(scalars, scalars.step, scalars.time);
}

void RunRecorder::append(protocol::Event event, std::int64_t step) {
  eventLog_.appendEvent(std::move(event), step, base::wallTimeSeconds());
}

void RunRecorder::recordLog(base::LogLevel level, const std::string& text,
                            base::OpenEnum<protocol::LogKind> kind) {
  record(protocol::Log{.level = level, .text = text, .kind = kind});
}

void RunRecorder::setState(protocol::RunState state, std::optional<protocol::RunError> error) {
  const double now = base::wallTimeSeconds();
  info_.state = state;
  info_.error = error;
  if (state != protocol::RunState::Queued) info_.queuePosition.reset();
  if (state == protocol::RunState::Running && info_.started == 0) info_.started = now;
  if (protocol::hasEnded(state)) info_.finished = now;
  writeInfo();
  record(protocol::State{.state = state, .error = std::move(error)});
}

void RunRecorder::setQueuePosition(int position) {
  if (std::exchange(info_.queuePosition, position) != position) writeInfo();
}

void RunRecorder::recordHyperParameters(const config::Experiment& experiment) {
  if (eventLog_.hasHyperParameters()) return;
  try {
    eventLog_.appendSummary(events::hyperParametersRecord(
        hyperParametersOf(experiment), comparedMetrics(), info_.step, base::wallTimeSeconds()));
  } catch (const Error& error) {
    recordLog(base::LogLevel::Warning,
              std::string("TensorBoard will not show the hyper-parameters: ") + error.what());
  }
}

/// At a step after all others, so that a resume cuts it: TensorBoard keeps the first end of a run.
void RunRecorder::recordSessionEnd() {
  if (!info_.state.value() || !eventLog_.hasHyperParameters()) return;
  try {
    eventLog_.appendSummary(events::sessionEndRecord(sessionStatusOf(*info_.state.value()),
                                                     info_.step + 1, base::wallTimeSeconds()));
  } catch (const Error&) {  // the run is complete without it
  }
}

void RunRecorder::recordUnexpectedExit(const protocol::RunError& error) {
  record(protocol::Alert{.kind = protocol::AlertKind::RunFailed,
                         .severity = protocol::Severity::Error,
                         .text = error.message,
                         .from = error.step,
                         .to = error.step});
}

bool RunRecorder::commitCheckpoint(const protocol::CheckpointReady& ready) {
  requireFolder();
  try {
    if (!ready.error.empty()) throw Error(ready.error);
    commitOrThrow(ready);
    return true;
  } catch (const Error& error) {
    std::error_code ignored;
    if (!ready.partial.empty()) fs::remove_all(ready.partial, ignored);
    recordLostCheckpoint(ready.step, error.what());
    return false;
  }
}

void RunRecorder::recordLostCheckpoint(std::int64_t step, const std::string& reason) {
  recordLog(base::LogLevel::Error,
            "checkpoint of step " + std::to_string(step) + " could not be saved: " + reason,
            protocol::LogKind::CheckpointFailed);
}

void RunRecorder::commitOrThrow(const protocol::CheckpointReady& ready, bool withLog) {
  requireFolder();
  const fs::path place = layout_.checkpoint(ready.step);
  if (withLog) eventLog_.sync();
  // At a later try it may be there already, and only what follows is left to do.
  if (fs::exists(ready.partial) || !fs::exists(place)) moveIntoPlace(ready.partial, place);
  // The best is one that there is an evaluation to show for.
  const bool isBest = ready.best && bestEvaluation_ && bestEvaluation_->step == ready.step;
  if (isBest) info_.best = bestEvaluation_;
  prune();
  writeInfo();
  append(protocol::Checkpoint{.path = relativeTo(layout_, place), .best = isBest}, ready.step);
  if (isBest && checkpoints_.keepBest) onBest_(*bestEvaluation_, place);
}

void RunRecorder::recordBadImage(const protocol::BadImage& image) {
  if (!badImages_.insert({image.split.text(), image.file}).second) return;
  requireFolder();
  try {
    run_folder::appendBadImage(layout_, image);
  } catch (const Error& error) {
    recordLog(base::LogLevel::Warning, error.what(), protocol::LogKind::WriteFailed);
  }
  // A resume from before that step meets it again.
  append(protocol::Log{.level = base::LogLevel::Warning, .text = badImageText(image)}, image.step);
}

void RunRecorder::prune() {
  auto steps = run_folder::checkpointSteps(layout_);
  if (interruption_ && !steps.empty() && steps.back() > *interruption_) {
    if (std::erase(steps, *interruption_) > 0) prune(*interruption_);
    interruption_.reset();
  }
  const auto keep = static_cast<std::size_t>(std::max(checkpoints_.keep, 1));
  for (std::size_t i = 0; i + keep < steps.size(); ++i) {
    if (checkpoints_.keepBest && info_.best && info_.best->step == steps[i]) continue;
    if (isNeeded_(steps[i])) continue;
    prune(steps[i]);
  }
  eventLog_.keepCheckpoints(run_folder::checkpointSteps(layout_));
}

void RunRecorder::prune(std::int64_t step) {
  const fs::path folder = layout_.checkpoint(step);
  try {
    removeCheckpoint(folder);
  } catch (const fs::filesystem_error& error) {
    recordLog(base::LogLevel::Warning,
              folder.string() + ": cannot be removed: " + error.code().message(),
              protocol::LogKind::WriteFailed);
  }
}

bool RunRecorder::moveOrLog(const std::string& partial, const fs::path& place,
                            const std::string& what) {
  requireFolder();
  try {
    moveIntoPlace(partial, place);
    return true;
  } catch (const Error& error) {
    recordLog(base::LogLevel::Error, what + " could not be saved: " + error.what(),
              protocol::LogKind::WriteFailed);
    return false;
  }
}

void RunRecorder::commit(const protocol::EvaluationReady& ready) {
  const fs::path place = layout_.evaluation(ready.step);
  if (!moveOrLog(ready.partial, place, "evaluation of step " + std::to_string(ready.step))) return;
  if (ready.bestValue)
    bestEvaluation_ = run_folder::Best{ready.bestMetric, *ready.bestValue, ready.step};
  append(protocol::Evaluation{.path = relativeTo(layout_, place)}, ready.step);
  if (ready.bestValue && !checkpoints_.keepBest) onBest_(*bestEvaluation_, {});
}

void RunRecorder::commit(const protocol::PredictionsReady& ready) {
  const fs::path place = layout_.predictions(ready.step);
  if (moveOrLog(ready.partial, place, "predictions of step " + std::to_string(ready.step)))
    append(protocol::Predictions{.path = relativeTo(layout_, place)}, ready.step);
}

void RunRecorder::commit(const protocol::PicturesReady& ready) {
  requireFolder();
  try {
    if (fs::exists(layout_.predictions(ready.step))) recordPictures(ready);
  } catch (const Error& error) {
    if (!std::exchange(isWarnedOfPictures_, true)) {
      recordLog(base::LogLevel::Warning,
                "pictures of the predictions of step " + std::to_string(ready.step) +
                    " could not be logged: " + error.what() + "; training continues",
                protocol::LogKind::WriteFailed);
    }
  }
  std::error_code ignored;  // the next start removes what is left
  fs::remove_all(ready.partial, ignored);
}

void RunRecorder::recordPictures(const protocol::PicturesReady& ready) {
  for (const protocol::PredictionPicture& picture : ready.pictures) {
    const std::string png = base::readFile(fs::path(ready.partial) / picture.file);
    eventLog_.appendSummary(
        events::recordOf(events::ImageSummary{.tag = events::tags::evalPredictions(picture.imageId),
                                              .step = ready.step,
                                              .wallTime = base::wallTimeSeconds(),
                                              .width = picture.width,
                                              .height = picture.height,
                                              .png = png}));
  }
}

void RunRecorder::commit(const protocol::DivergenceReady& ready) {
  moveOrLog(ready.partial, layout_.divergence(ready.step),
            "replay files of step " + std::to_string(ready.step));
}

bool RunRecorder::writeInfo() {
  requireFolder();
  info_.updated = lastWrite_ = base::wallTimeSeconds();
  try {
    run_folder::writeRunInfo(layout_, info_);
  } catch (const Error& error) {
    if (!infoIsStale_)
      recordLog(base::LogLevel::Warning, error.what(), protocol::LogKind::WriteFailed);
    infoIsStale_ = true;
    return false;
  }
  infoIsStale_ = false;
  writtenStep_ = info_.step;
  return true;
}

void RunRecorder::refresh() {
  requireFolder();
  eventLog_.retry();
  const bool stepWentOn =
      info_.step != writtenStep_ && base::wallTimeSeconds() - lastWrite_ >= kStepWriteSeconds;
  if (infoIsStale_ || stepWentOn) writeInfo();
}

void RunRecorder::finish() {
  requireFolder();
  eventLog_.sync();
  recordSessionEnd();
  eventLog_.sync();
  info_.updated = base::wallTimeSeconds();
  run_folder::writeRunInfo(layout_, info_);
}

}  // namespace lockstep::supervisor
