#include "engine/serve/model_workers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace fs = std::filesystem;
namespace {

constexpr int kTries = 2;
constexpr std::chrono::seconds kLongestPause{30};
constexpr std::chrono::seconds kLeastLoading{10};
constexpr int kFirstLoads = 10;  ///< as long may others take
constexpr int kUnusualTimes = 10;
constexpr std::chrono::seconds kLeastUnusual{5};
constexpr std::size_t kLargeImage = std::size_t{1} << 20;

/// Not synced to the disk: it is gone with this process. Throws HttpError and leaves nothing where
/// it cannot be written.
void writeFile(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (file) return;
  const int error = errno;
  std::error_code ignored;
  fs::remove(path, ignored);
  throw HttpError{503,
                  std::string("the image cannot be kept for a worker: ") + std::strerror(error)};
}

/// At most, of a request with this image among others.
std::size_t bytesInLine(const protocol::DetectImage& image) {
  const protocol::Control alone{std::string(20, '0'), protocol::Detect{{image}}};
  return protocol::encode(protocol::SupervisorMessage(alone)).size();
}

}  // namespace

ServedWeights::ServedWeights(const fs::path& file, std::int64_t step)
    : name_(file.string()), file_(base::openRegularFile(file, O_RDONLY)), step_(step) {
  version_ = base::FileVersion::of(path());
}

std::string ServedWeights::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_.get());
}

std::string ServedWeights::named(std::string message) const {
  const std::string own = path();
  for (std::size_t at = 0; (at = message.find(own, at)) != std::string::npos;) {
    const std::size_t end = at + own.size();
    const bool isOther = end < message.size() && message[end] >= '0' && message[end] <= '9';
    if (!isOther) message.replace(at, own.size(), name_);
    at = isOther ? end : at + name_.size();
  }
  return message;
}

struct ModelWorkers::Task {
  DetectionTask asked;  ///< without the image, which is in a file
  Done done;            ///< empty: cancelled
  std::size_t bytes = 0;
  int tries = 0;
};

struct ModelWorkers::Slot {
  int index = 0;
  std::unique_ptr<supervisor::WorkerProcess> worker;
  std::shared_ptr<const ServedWeights> weights;  ///< that it has loaded, or loads at its start
  std::shared_ptr<const ServedWeights> next;     ///< that it loads in their place; null: none
  std::shared_ptr<const ServedWeights> fatal;    ///< on which one has ended; null: none
  bool isLoaded = false;
  std::string control;        ///< that it has not answered; empty: it is free
  std::vector<TaskId> batch;  ///< of that control
  Clock::time_point since;    ///< when it got it
  std::string failure;        ///< its last words
  ExitStatus status = ExitStatus::Failed;
  bool waitsForAnother = false;   ///< to be ready, after which it is started again
  std::chrono::seconds pause{0};  ///< before it is started again

  bool isFree() const { return isLoaded && control.empty(); }
  /// Of what it has or loads.
  const ServedWeights& newest() const { return next ? *next : *weights; }
};

void BatchTimes::add(Duration took) { slowest_ = std::max(slowest_, took); }

bool BatchTimes::isUnusual(Duration takes, Duration limit) const {
  const Duration most = limit / 2;
  if (slowest_ == Duration(0)) return takes > most;
  return takes > std::min(most, std::max<Duration>(kUnusualTimes * slowest_, kLeastUnusual));
}

ModelWorkers::ModelWorkers(supervisor::PollLoop& loop, supervisor::RunLog& log, Setup setup,
                           std::function<void()> onReady,
                           std::function<void(const Error&)> onFailure)
    : loop_(loop),
      log_(log),
      setup_(std::move(setup)),
      asked_(setup_.weights),
      loadable_(setup_.weights),
      onReady_(std::move(onReady)),
      onFailure_(std::move(onFailure)),
      folder_("lockstep-serve-"),
      loading_(setup_.loading),
      files_(loop) {
  for (int i = 0; i < setup_.ranks.count; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->index = i;
    start(*slots_.back());
  }
  timer_ = loop_.every(std::chrono::seconds(1), [this] { endSilent(); });
  // What came in together becomes one batch.
  loop_.eachTurn([this] {
    dispatch();
    return false;
  });
}

ModelWorkers::~ModelWorkers() { loop_.cancel(timer_); }

void ModelWorkers::start(Slot& slot) {
  slot.worker = std::make_unique<supervisor::WorkerProcess>(
      loop_, supervisor::WorkerProcess::Handlers{
                 [this, &slot](const protocol::WorkerMessage& message) { handle(slot, message); },
                 [this, &slot](const std::string& line) {
                   log_.forwardWarning(slot.newest().named(line));
                 },
                 [this, &slot](const supervisor::WorkerExit& exit) { exited(slot, exit); }});
  slot.weights = loadable_;
  slot.failure.clear();
  slot.since = Clock::now();
  protocol::Job job;
  job.placement.localRank = slot.index;
  job.placement.machineRanks = static_cast<int>(slots_.size());
  setup_.ranks.setGpu(slot.index, job.placement);
  job.work = protocol::InspectJob{{setup_.configYaml, slot.weights->path(), slot.weights->step()}};
  slot.worker->start(setup_.program, job);
}

void ModelWorkers::handle(Slot& slot, const protocol::WorkerMessage& message) {
  if (const auto* detected = std::get_if<protocol::Detected>(&message)) {
    handle(slot, *detected);
  } else if (const auto* answer = std::get_if<protocol::Answer>(&message)) {
    handle(slot, *answer);
  } else if (std::holds_alternative<protocol::State>(message)) {
    becomeReady(slot);
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    slot.failure = slot.newest().named(failed->message);
    slot.status = static_cast<ExitStatus>(failed->exitStatus);
  } else if (const auto* log = std::get_if<protocol::Log>(&message)) {
    log_.write("worker", *log);
  }
}

/// The weights that it began with are loaded.
void ModelWorkers::becomeReady(Slot& slot) {
  slot.isLoaded = true;
  slot.pause = {};
  if (std::exchange(wasReady_, true)) return;
  const auto took =
      std::chrono::ceil<std::chrono::seconds>(kFirstLoads * (Clock::now() - slot.since));
  loading_ = std::min(std::max(took, kLeastLoading), setup_.loading);
  for (const auto& each : slots_) {
    if (!each->waitsForAnother) continue;
    ++statistics_.restarts;
    restart(*each);
  }
  onReady_();
}

/// The images of its batch are answered.
void ModelWorkers::handle(Slot& slot, const protocol::Detected& detected) {
  if (detected.id != slot.control) return;
  slot.control.clear();
  batchTimes_.add(Clock::now() - slot.since);
  const std::vector<TaskId> batch = std::exchange(slot.batch, {});
  for (std::size_t i = 0; i < batch.size() && i < detected.images.size(); ++i) {
    const protocol::DetectedImage& image = detected.images[i];
    DetectionAnswer answer{.width = image.width, .height = image.height, .weights = slot.weights};
    answer.error = image.error;
    answer.status = image.error.empty() ? 200 : image.isUndecodable ? 400 : 500;
    finish(batch[i], std::move(answer));
  }
}

/// The weights that it had to load in the place of others, which it still has if it cannot.
void ModelWorkers::handle(Slot& slot, const protocol::Answer& loaded) {
  if (loaded.id != slot.control) return;
  slot.control.clear();
  const auto next = std::exchange(slot.next, nullptr);
  const auto has = [&](const auto& each) { return each->isLoaded && each->weights == next; };
  if (!loaded.error.empty() && std::ranges::any_of(slots_, has)) {  // this worker is at fault
    slot.isLoaded = false;
    slot.failure = next->named(loaded.error);
    return slot.worker->kill();
  }
  if (!loaded.error.empty())
    return giveUp(next, next == loadable_ ? slot.weights : loadable_, next->named(loaded.error));
  slot.weights = next;
  takeOver(next);
}

/// No effect of those that others have overtaken. Newer ones may wait already.
void ModelWorkers::takeOver(const std::shared_ptr<const ServedWeights>& loaded) {
  const auto isIt = [&](const auto& each) { return each.lock() == loaded; };
  const auto found = std::ranges::find_if(offered_, isIt);
  if (found == offered_.end()) return;
  offered_.erase(offered_.begin(), std::next(found));
  loadable_ = loaded;
  log_.write("serve", "step " + std::to_string(loaded->step()) + " is loaded and takes over");
}

/// Serves what a worker has instead.
void ModelWorkers::giveUp(const std::shared_ptr<const ServedWeights>& bad,
                          std::shared_ptr<const ServedWeights> instead, const std::string& why) {
  for (auto& [id, task] : tasks_)
    if (task.asked.weights == bad) task.asked.weights = instead;
  std::erase_if(offered_, [&](const auto& each) { return each.lock() == bad; });
  const auto stepOf = [](const auto& weights) { return std::to_string(weights->step()); };
  const bool isSameStep = instead->step() == bad->step();  // whose file is another now
  if (givenUp_.insert(bad).second)
    log_.warn("serve", "the weights of step " + stepOf(bad) + " cannot be loaded, those " +
                           (isSameStep ? "before them" : "of step " + stepOf(instead)) +
                           " are still served: " + why);
  if (asked_ == bad) asked_ = instead;
  if (loadable_ == bad) loadable_ = instead;
  if (setup_.weights == bad) setup_.weights = instead;
}

void ModelWorkers::exited(Slot& slot, const supervisor::WorkerExit& exit) {
  const std::string why =
      slot.failure.empty() ? "the worker exited (" + exit.describe() + ")" : slot.failure;
  slot.isLoaded = false;
  slot.control.clear();
  // One that ends on new weights may have been killed; the next one says.
  const auto next = std::exchange(slot.next, nullptr);
  const auto hasEnded = [&](const auto& each) { return each->fatal == next; };
  if (next && next != loadable_ && std::ranges::any_of(slots_, hasEnded))
    giveUp(next, loadable_, why);
  if (next) slot.fatal = next;
  retryBatch(slot);
  if (!wasReady_) {
    slot.waitsForAnother = true;
    const auto waits = [](const auto& each) { return each->waitsForAnother; };
    if (std::ranges::all_of(slots_, waits)) return onFailure_(Error(why, slot.status));
    return log_.warn("serve", why + "; it is replaced once another is ready");
  }
  log_.warn("serve", why + "; it is replaced");
  ++statistics_.restarts;
  restart(slot);
}

/// At once; if that was in vain, after longer and longer.
void ModelWorkers::restart(Slot& slot) {
  loop_.after(slot.pause, [this, &slot] {
    try {
      start(slot);
    } catch (const Error& error) {
      log_.warn("serve", error.what());
      restart(slot);
    }
  });
  slot.pause = std::min(std::max(2 * slot.pause, std::chrono::seconds(1)), kLongestPause);
}

/// Its images go to the front of the queue, in their order.
void ModelWorkers::retryBatch(Slot& slot) {
  const std::vector<TaskId> batch = std::exchange(slot.batch, {});
  for (auto id = batch.rbegin(); id != batch.rend(); ++id) {
    Task& task = tasks_.at(*id);
    if (task.done && ++task.tries < kTries) {
      waiting_.push_front(*id);
    } else {
      finish(*id, {.status = 500, .error = "two workers in a row exited on this image"});
    }
  }
}

void ModelWorkers::use(std::shared_ptr<const ServedWeights> weights) {
  offered_.push_back(weights);
  setup_.weights = std::move(weights);
}

bool ModelWorkers::hasRoom(std::size_t images, std::size_t bytes) const {
  return tasks_.size() + images <= setup_.mostImages && bytes_ + bytes <= setup_.mostBytes;
}

ModelWorkers::TaskId ModelWorkers::submit(DetectionTask asked, Done done) {
  const TaskId id = nextTask_++;
  if (givenUp_.contains(asked.weights)) asked.weights = asked_;
  std::string image = std::exchange(asked.image, {});
  const bool isLarge = image.size() > kLargeImage;
  if (!isLarge) writeFile(fileOf(id, ".image"), image);
  bytes_ += image.size();
  tasks_.emplace(id, Task{std::move(asked), std::move(done), image.size()});
  if (isLarge)
    keepInBackground(id, std::move(image));
  else
    waiting_.push_back(id);
  return id;
}

/// Others would wait for the disk.
void ModelWorkers::keepInBackground(TaskId id, std::string image) {
  const auto content = std::make_shared<const std::string>(std::move(image));
  files_.post([this, id, content, file = fileOf(id, ".image")]() -> std::function<void()> {
    try {
      writeFile(file, *content);
    } catch (const HttpError& error) {
      return [this, id, error] { finish(id, {.status = error.status, .error = error.message}); };
    }
    return [this, id] {
      if (!tasks_.at(id).done) return finish(id, {});
      waiting_.push_back(id);
    };
  });
}

void ModelWorkers::cancel(TaskId id) {
  const auto task = tasks_.find(id);
  if (task == tasks_.end()) return;
  task->second.done = {};
  const auto waits = std::ranges::find(waiting_, id);
  if (waits == waiting_.end()) return;  // a worker has it, or it is being kept for one
  waiting_.erase(waits);
  finish(id, {});
}

void ModelWorkers::dispatch() {
  askForNewest();
  for (const auto& slot : slots_) {
    if (!slot->isFree()) continue;
    const auto front = waiting_.empty() ? nullptr : tasks_.at(waiting_.front()).asked.weights;
    if (front && !isHeld(front)) {
      load(*slot, front);
    } else if (isToLoadNewest(*slot)) {
      load(*slot, setup_.weights);
    } else if (hasTask(*slot)) {
      sendBatch(*slot);
    }
  }
}

/// Once half of the workers have loaded them; at once where no other would answer meanwhile, unless
/// one that ended on them comes back soon, which is then the one to try them again.
void ModelWorkers::askForNewest() {
  const auto triesAgain = [this](const auto& slot) {
    return slot->fatal == setup_.weights && slot->pause < kLongestPause;
  };
  const bool isAlone =
      loadedSlots() <= 1 && (slots_.size() == 1 || std::ranges::none_of(slots_, triesAgain));
  if (isAlone || slotsWith(setup_.weights) >= halfOfLoaded()) asked_ = setup_.weights;
}

/// Half of the workers do before images ask for them, but for the last one that has what images ask
/// for; then each once no image waits for what it has.
bool ModelWorkers::isToLoadNewest(const Slot& slot) const {
  if (slot.weights == setup_.weights) return false;
  if (asked_ == setup_.weights) return !hasTask(slot);
  const bool isLast = slot.weights == asked_ && slotsWith(asked_) == 1;
  const auto takes = [this](const auto& each) {
    return each->isLoaded && &each->newest() == setup_.weights.get();
  };
  return !isLast && std::ranges::count_if(slots_, takes) < halfOfLoaded();
}

/// Whether an image waits for the weights that it has.
bool ModelWorkers::hasTask(const Slot& slot) const {
  return std::ranges::any_of(
      waiting_, [&](TaskId id) { return tasks_.at(id).asked.weights == slot.weights; });
}

/// Whether a worker has these weights, or loads them.
bool ModelWorkers::isHeld(const std::shared_ptr<const ServedWeights>& weights) const {
  return std::ranges::any_of(
      slots_, [&](const auto& slot) { return slot->isLoaded && &slot->newest() == weights.get(); });
}

/// That have loaded these weights, and load no others.
std::ptrdiff_t ModelWorkers::slotsWith(const std::shared_ptr<const ServedWeights>& weights) const {
  return std::ranges::count_if(slots_, [&](const auto& slot) {
    return slot->isLoaded && !slot->next && slot->weights == weights;
  });
}

std::ptrdiff_t ModelWorkers::loadedSlots() const {
  return std::ranges::count_if(slots_, [](const auto& slot) { return slot->isLoaded; });
}

std::ptrdiff_t ModelWorkers::halfOfLoaded() const {
  return std::max<std::ptrdiff_t>(loadedSlots() / 2, 1);
}

void ModelWorkers::load(Slot& slot, std::shared_ptr<const ServedWeights> weights) {
  slot.next = std::move(weights);
  slot.control = std::to_string(nextControl_++);
  slot.since = Clock::now();
  slot.worker->send({slot.control, protocol::Load{slot.next->path()}});
}

void ModelWorkers::sendBatch(Slot& slot) {
  protocol::Detect detect;
  std::size_t lineBytes = 0;
  for (auto each = waiting_.begin();
       each != waiting_.end() && slot.batch.size() < setup_.maxBatch;) {
    const TaskId id = *each;
    const Task& task = tasks_.at(id);
    if (task.asked.weights != slot.weights) {
      ++each;
      continue;
    }
    const bool isAlone = task.tries > 0;
    protocol::DetectImage image = imageOf(id, task);
    lineBytes += bytesInLine(image);
    const bool fits = slot.batch.empty() || (!isAlone && lineBytes <= protocol::kMaxLineBytes);
    if (!fits) break;
    each = waiting_.erase(each);
    slot.batch.push_back(id);
    detect.images.push_back(std::move(image));
    if (isAlone) break;
  }
  statistics_.images += std::ssize(slot.batch);
  ++statistics_.batches;
  slot.control = std::to_string(nextControl_++);
  slot.since = Clock::now();
  slot.worker->send({slot.control, std::move(detect)});
}

protocol::DetectImage ModelWorkers::imageOf(TaskId id, const Task& task) const {
  return {.file = fileOf(id, ".image").string(),
          .imageId = task.asked.imageId,
          .scoreThreshold = task.asked.scoreThreshold,
          .categoryIds = task.asked.categoryIds,
          .form = task.asked.form,
          .out = fileOf(id, ".answer").string()};
}

void ModelWorkers::finish(TaskId id, DetectionAnswer answer) {
  const auto task = tasks_.extract(id);
  const Done done = std::move(task.mapped().done);
  bytes_ -= task.mapped().bytes;
  std::error_code ignored;
  fs::remove(fileOf(id, ".image"), ignored);
  try {
    if (done && answer.error.empty()) answer.content = base::readFile(fileOf(id, ".answer"));
  } catch (const Error& error) {
    answer.status = 500;
    answer.error = error.what();
  }
  fs::remove(fileOf(id, ".answer"), ignored);
  if (done) done(std::move(answer));
}

/// A worker that answers nothing is replaced, as one that has died.
void ModelWorkers::endSilent() {
  for (const auto& slot : slots_) {
    const bool isLoading = slot->batch.empty();
    const auto most = isLoading ? loading_ : setup_.detecting;
    const bool isLate = !slot->isFree() && Clock::now() - slot->since > most;
    if (!isLate || !slot->worker->isRunning()) continue;
    slot->failure = std::string("a worker has not ") +
                    (isLoading ? "loaded the weights" : "answered a batch") + " for " +
                    std::to_string(most.count()) + " s" + (isLoading ? "" : " (--batch-timeout)");
    slot->worker->kill();
    // The machine may have become slower.
    if (isLoading) loading_ = std::min(2 * loading_, setup_.loading);
  }
}

/// With images, or with weights that it loads in the place of others, of which batches say nothing.
bool ModelWorkers::isStuck(const Slot& slot) const {
  const auto takes = Clock::now() - slot.since;
  return !slot.control.empty() &&
         (slot.batch.empty() ? takes > setup_.loading / 2
                             : batchTimes_.isUnusual(takes, setup_.detecting));
}

std::string ModelWorkers::whyNotReady() const {
  const auto isLoaded = [](const auto& slot) { return slot->isLoaded; };
  if (std::ranges::none_of(slots_, isLoaded)) return "the model is being loaded";
  const auto isWell = [this](const auto& slot) { return slot->isLoaded && !isStuck(*slot); };
  return std::ranges::any_of(slots_, isWell) ? "" : "no worker has responded for too long";
}

void ModelWorkers::reap() {
  for (const auto& slot : slots_) slot->worker->reap();
}

fs::path ModelWorkers::fileOf(TaskId id, const char* suffix) const {
  return folder_.path() / (std::to_string(id) + suffix);
}

}  // namespace lockstep::serve
