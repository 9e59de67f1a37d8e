#include "engine/supervisor/event_commands.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/number_text.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::supervisor {
namespace {

/// Alerts beyond this many are dropped: what handles them is stuck.
constexpr std::size_t kMostWaiting = 100;
constexpr std::size_t kOutputBytes = 4 << 10;
constexpr int kMostPieces = 16 + 1;  ///< of these bytes in a pipe

/// `{"event":…,"run":…,"name":…,"time":…` and what `write` adds.
template <typename Write>
std::string eventJson(const char* kind, const run_folder::Layout& layout, const std::string& name,
                      double time, Write write) {
  std::string json;
  base::JsonWriter writer(json);
  writer.beginObject();
  writer.member("event", kind);
  writer.member("run", std::filesystem::absolute(layout.folder()).string());
  writer.member("name", name);
  writer.member("time", time);
  write(writer);
  writer.endObject();
  return json + "\n";
}

void writeBest(base::JsonWriter& writer, const run_folder::Best& best) {
  writer.member("metric", best.metric);
  writer.member("value", best.value);
  writer.member("step", best.step);
}

/// A file in memory: a pipe would block, or break when the command does not read it.
base::FileDescriptor fileOf(const std::string& text) {
  base::FileDescriptor file(::memfd_create("event", MFD_CLOEXEC));
  if (file.get() < 0 ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0)
    throw Error(std::string("the event cannot be passed on: ") + std::strerror(errno));
  return file;
}

class SpawnSetup {
 public:
  SpawnSetup(int input, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  /// Throws Error.
  pid_t shell(std::string command) {
    std::array<char*, 4> words{const_cast<char*>("sh"), const_cast<char*>("-c"), command.data(),
                               nullptr};
    pid_t pid = -1;
    if (const int fault =
            ::posix_spawn(&pid, "/bin/sh", &actions_, &attributes_, words.data(), environ))
      throw Error(std::string("/bin/sh cannot be started: ") + std::strerror(fault));
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// The last line with text; empty: none.
std::string lastLine(std::string text) {
  while (!text.empty() && std::strchr(" \t\r\n", text.back()) != nullptr) text.pop_back();
  return text.substr(text.find_last_of("\r\n") + 1);
}

}  // namespace

EventCommands::EventCommands(PollLoop& loop, RunLog& log, config::EventCommands commands,
                             run_folder::Layout layout, std::string runName,
                             PollLoop::Clock::duration patience)
    : loop_(loop),
      log_(log),
      commands_(std::move(commands)),
      layout_(std::move(layout)),
      runName_(std::move(runName)),
      patience_(patience),
      reaper_(loop.every(std::chrono::seconds(1), [this] { reap(); })) {}

EventCommands::~EventCommands() {
  loop_.cancel(reaper_);
  abandon();
}

void EventCommands::best(const run_folder::Best& best, const std::filesystem::path& checkpoint) {
  if (commands_.best.empty()) return;
  std::erase_if(waiting_, [](const Task& task) { return task.kind == "best"; });
  enqueue({"best", commands_.best,
           eventJson("best", layout_, runName_, base::wallTimeSeconds(),
                     [&](auto& writer) {
                       writeBest(writer, best);
                       writer.key("checkpoint");
                       if (checkpoint.empty()) {
                         writer.null();
                       } else {
                         writer.value(std::filesystem::absolute(checkpoint).string());
                       }
                     }),
           checkpoint.empty() ? std::nullopt : std::optional(best.step)});
}

bool EventCommands::needsCheckpoint(std::int64_t step) const {
  const auto isOfIt = [&](const Task& task) { return task.checkpointStep == step; };
  return (pid_ > 0 && isOfIt(running_)) || std::ranges::any_of(waiting_, isOfIt);
}

void EventCommands::alert(const protocol::Alert& alert) {
  if (commands_.alert.empty() || waiting_.size() >= kMostWaiting) return;
  enqueue({"alert", commands_.alert,
           eventJson("alert", layout_, runName_, alert.time, [&](auto& writer) {
             writer.member("step", alert.step);
             writer.member("kind", alert.kind.text());
             writer.member("severity", alert.severity.text());
             writer.member("text", alert.text);
             writer.key("tags");
             writer.values(alert.tags);
             writer.member("from", alert.from);
             writer.member("to", alert.to);
             writer.member("key", alert.key);
             writer.member("value", alert.value);
           })});
}

void EventCommands::end(const run_folder::RunInfo& info) {
  if (commands_.end.empty()) return;
  enqueue(
      {"end", commands_.end, eventJson("end", layout_, runName_, info.finished, [&](auto& writer) {
         writer.member("step", info.step);
         writer.member("state", info.state.text());
         writer.key("error");
         if (info.error) {
           writer.value(info.error->message);
         } else {
           writer.null();
         }
         writer.key("best");
         if (!info.best) return writer.null();
         writer.beginObject();
         writeBest(writer, *info.best);
         writer.endObject();
       })});
}

void EventCommands::enqueue(Task task) {
  waiting_.push_back(std::move(task));
  // From the loop: whoever reports an event goes on first.
  if (pid_ <= 0) loop_.after(std::chrono::milliseconds(0), [this] { startNext(); });
}

void EventCommands::startNext() {
  if (pid_ > 0 || waiting_.empty()) return;
  running_ = std::move(waiting_.front());
  waiting_.pop_front();
  try {
    start();
  } catch (const Error& error) {
    fail(error.what());
    startNext();
  }
}

void EventCommands::start() {
  const base::FileDescriptor input = fileOf(running_.json);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(std::string("pipe: ") + std::strerror(errno));
  base::FileDescriptor output(ends[0]);
  const base::FileDescriptor childOutput(ends[1]);
  ::fcntl(childOutput.get(), F_SETFL, 0);  // the command's end waits as any pipe does
  pid_ = SpawnSetup(input.get(), childOutput.get()).shell(running_.command);
  output_ = std::move(output);
  lastLines_.clear();
  isLate_ = false;
  loop_.watch(
      output_.get(), [] { return short{POLLIN}; }, [this](short) { readOutput(); });
  deadline_ = loop_.after(std::chrono::ceil<std::chrono::milliseconds>(patience_), [this] {
    deadline_.reset();
    isLate_ = true;
    kill();
  });
}

/// A process that it has left behind may keep the pipe open: only its own end counts.
void EventCommands::readOutput() {
  const ssize_t count = readPiece();
  if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) return;
  loop_.unwatch(output_.get());
  reap();
}

/// Returns what read() does.
ssize_t EventCommands::readPiece() {
  std::array<char, kOutputBytes> bytes;
  const ssize_t count = ::read(output_.get(), bytes.data(), bytes.size());
  if (count > 0) lastLines_.append(bytes.data(), static_cast<std::size_t>(count));
  if (lastLines_.size() > kOutputBytes) lastLines_.erase(0, lastLines_.size() - kOutputBytes);
  return count;
}

void EventCommands::reap() {
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) conclude(status);
}

void EventCommands::conclude(int status) {
  pid_ = -1;
  // What the pipe holds, and no more: others may go on writing.
  for (int piece = 0; piece < kMostPieces && readPiece() > 0; ++piece) {
  }
  loop_.unwatch(output_.get());
  output_.reset();
  if (deadline_) loop_.cancel(*std::exchange(deadline_, std::nullopt));
  if (isLate_) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_).count();
    fail("killed after " + base::counted(static_cast<std::uint64_t>(seconds), "second"));
    // The others of its kind would take as long, and the end of the run waits for them.
    std::erase_if(waiting_, [this](const Task& task) { return task.kind == running_.kind; });
  } else if (status != 0) {
    const bool bySignal = WIFSIGNALED(status);
    const std::string said = lastLine(lastLines_);
    fail(WorkerExit{bySignal, bySignal ? WTERMSIG(status) : WEXITSTATUS(status)}.describe() +
         (said.empty() ? "" : ": " + said));
  }
  loop_.after(std::chrono::milliseconds(0), [this] { startNext(); });
}

void EventCommands::fail(const std::string& reason) {
  if (!failed_.insert(running_.kind).second) return;
  log_.warn("engine", "monitor.on_event." + running_.kind + ": `" + running_.command +
                          "`: " + reason +
                          " (training is not affected; its later failures are not reported)");
}

void EventCommands::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

void EventCommands::abandon() {
  waiting_.clear();
  if (pid_ <= 0) return;
  kill();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  loop_.unwatch(output_.get());
  output_.reset();
  if (deadline_) loop_.cancel(*std::exchange(deadline_, std::nullopt));
}

}  // namespace lockstep::supervisor
