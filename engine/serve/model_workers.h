#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/base/file_version.h"
#include "engine/base/temporary_folder.h"
#include "engine/protocol/worker_messages.h"
#include "engine/serve/background_thread.h"
#include "engine/supervisor/local_ranks.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::serve {

/// Weights that are served. They stay readable when a training that goes on removes their file.
class ServedWeights {
 public:
  /// Throws Error where the file cannot be opened. `step`: 0: unknown.
  ServedWeights(const std::filesystem::path& file, std::int64_t step);
  /// For workers of this process.
  std::string path() const;
  /// A worker's message, with the file that was opened in the place of path().
  std::string named(std::string message) const;
  std::int64_t step() const { return step_; }
  /// Of the file that was opened.
  const base::FileVersion& version() const { return version_; }

 private:
  std::string name_;
  base::FileDescriptor file_;
  base::FileVersion version_;
  std::int64_t step_;
};

/// What is asked about an image. `image`: the content of its file.
struct DetectionTask {
  std::string image;
  protocol::AnswerForm form = protocol::AnswerForm::Results;
  std::int64_t imageId = 1;
  double scoreThreshold = 0;
  std::vector<std::int64_t> categoryIds{};  ///< empty: all
  std::shared_ptr<const ServedWeights> weights{};
};

struct DetectionAnswer {
  int status = 200;     ///< of HTTP; 400: the image cannot be decoded
  std::string error{};  ///< one line
  std::string content{};
  int width = 0, height = 0;                       ///< px, as displayed
  std::shared_ptr<const ServedWeights> weights{};  ///< null: none answered it
};

/// How long batches take, to tell early that a worker hangs.
class BatchTimes {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// Of a batch that was answered.
  void add(Duration took);
  /// Whether a batch takes so long that its worker probably hangs: ten times as long as the slowest
  /// that was answered, and 5 s at least; in any case half of `limit`, after which it is given up.
  bool isUnusual(Duration takes, Duration limit) const;

 private:
  Duration slowest_{0};  ///< 0: none was answered
};

/// Workers that hold the model, and the queue of images before them. A worker that is free takes
/// what waits, up to the largest batch. One that dies is replaced, and its images are tried once
/// more, each alone, so that one that kills does not take others with it.
class ModelWorkers {
 public:
  struct Setup {
    std::filesystem::path program;
    supervisor::LocalRanks ranks;  ///< one for each worker
    std::string configYaml;
    std::shared_ptr<const ServedWeights> weights;
    std::size_t maxBatch = 8;
    std::size_t mostImages = 256;                    ///< that are not answered yet
    std::size_t mostBytes = std::size_t{512} << 20;  ///< of these images
    // Timeouts after which an unresponsive worker is replaced: `loading` for weights.
    std::chrono::seconds loading{120}, detecting{30};
  };
  struct Statistics {
    std::int64_t batches = 0, images = 0, restarts = 0;
  };
  using TaskId = std::uint64_t;
  using Done = std::function<void(DetectionAnswer)>;

  /// `onReady`: once, when the first has loaded the model; `onFailure`: if none can. Those that
  /// cannot before are tried again then.
  ModelWorkers(supervisor::PollLoop& loop, supervisor::RunLog& log, Setup setup,
               std::function<void()> onReady, std::function<void(const Error&)> onFailure);
  ModelWorkers(const ModelWorkers&) = delete;
  ModelWorkers& operator=(const ModelWorkers&) = delete;
  ~ModelWorkers();

  /// Whether that many images of so many bytes can wait besides those that do.
  bool hasRoom(std::size_t images, std::size_t bytes) const;
  /// Of the images that wait together: a request that has more never has room.
  std::size_t mostBytes() const { return setup_.mostBytes; }
  /// `done` is called from the loop. 503 where the image cannot be kept for a worker, which is
  /// thrown as HttpError or, of a large one, the answer.
  TaskId submit(DetectionTask asked, Done done);
  /// Nobody waits for it any more.
  void cancel(TaskId task);
  /// Half of the workers load them as soon as they are free, then images ask for them, and the
  /// others load them too. Those that cannot be loaded are given up.
  void use(std::shared_ptr<const ServedWeights> weights);
  /// For images that are submitted now.
  std::shared_ptr<const ServedWeights> newest() const { return asked_; }
  /// The newest that a worker has loaded.
  const std::shared_ptr<const ServedWeights>& weights() const { return loadable_; }
  /// Whether a worker has ever been: from then on images may wait, also for its replacement.
  bool wasReady() const { return wasReady_; }
  /// Why images would wait for long; empty: they would not.
  std::string whyNotReady() const;
  std::size_t waiting() const { return waiting_.size(); }
  const Statistics& statistics() const { return statistics_; }
  /// To be called after SIGCHLD.
  void reap();

 private:
  struct Task;
  struct Slot;
  using Clock = supervisor::PollLoop::Clock;

  void start(Slot& slot);
  void becomeReady(Slot& slot);
  void restart(Slot& slot);
  void handle(Slot& slot, const protocol::WorkerMessage& message);
  void handle(Slot& slot, const protocol::Detected& detected);
  void handle(Slot& slot, const protocol::Answer& loaded);
  void takeOver(const std::shared_ptr<const ServedWeights>& loaded);
  void giveUp(const std::shared_ptr<const ServedWeights>& bad,
              std::shared_ptr<const ServedWeights> instead, const std::string& why);
  void exited(Slot& slot, const supervisor::WorkerExit& exit);
  void keepInBackground(TaskId id, std::string image);
  void retryBatch(Slot& slot);
  void dispatch();
  void askForNewest();
  bool hasTask(const Slot& slot) const;
  bool isToLoadNewest(const Slot& slot) const;
  bool isHeld(const std::shared_ptr<const ServedWeights>& weights) const;
  std::ptrdiff_t slotsWith(const std::shared_ptr<const ServedWeights>& weights) const;
  std::ptrdiff_t loadedSlots() const;
  std::ptrdiff_t halfOfLoaded() const;
  void load(Slot& slot, std::shared_ptr<const ServedWeights> weights);
  void sendBatch(Slot& slot);
  void finish(TaskId id, DetectionAnswer answer);
  bool isStuck(const Slot& slot) const;
  void endSilent();
  protocol::DetectImage imageOf(TaskId id, const Task& task) const;
  std::filesystem::path fileOf(TaskId id, const char* suffix) const;

  supervisor::PollLoop& loop_;
  supervisor::RunLog& log_;
  Setup setup_;
  std::shared_ptr<const ServedWeights> asked_;              ///< by images that are submitted now
  std::shared_ptr<const ServedWeights> loadable_;           ///< what a worker begins with
  std::deque<std::weak_ptr<const ServedWeights>> offered_;  ///< newer than that, in their order
  /// What could not be loaded, of which that is said.
  std::set<std::weak_ptr<const ServedWeights>, std::owner_less<>> givenUp_;
  BatchTimes batchTimes_;
  std::function<void()> onReady_;
  std::function<void(const Error&)> onFailure_;
  base::TemporaryFolder folder_;  ///< images and answers
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<TaskId, Task> tasks_;
  std::deque<TaskId> waiting_;
  std::size_t bytes_ = 0;  ///< of all tasks' images
  TaskId nextTask_ = 1;
  std::int64_t nextControl_ = 1;
  Statistics statistics_;
  bool wasReady_ = false;
  std::chrono::seconds loading_;  ///< timeout of a worker that loads weights
  supervisor::PollLoop::TimerId timer_ = 0;
  BackgroundThread files_;  ///< last, as it writes into the folder
};

}  // namespace lockstep::serve
