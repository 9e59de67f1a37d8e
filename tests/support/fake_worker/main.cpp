// A child process that implements the worker's side of the protocol according to a script beside
// it, so that tests of the supervisor control what a rank does. It replaces lockstep-worker under
// that name.
//
//   THIS_FILE.KIND.script       the script for jobs of that kind, one command a line, see
//                               commands(). A line `again` ends what is done at the first start,
//                               what comes then is done at the second, and so on
//   THIS_FILE.KIND.R.script     that of local rank R where it has one of its own
//   below THIS_FILE.received    every line the supervisor sent, and `pid N` first; of the other
//                               ranks THIS_FILE.received.R
//
// As the real one does, it sends heartbeats all the time, also while its script waits or hangs; one
// whose script begins with `mute` has none at the start.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "tests/support/fake_worker/arguments.h"
#include "tests/support/fake_worker/hold_device.h"
#include "tests/support/fake_worker/made_detections.h"
#include "tests/support/fake_worker/made_scalars.h"

namespace base = lockstep::base;
namespace fs = std::filesystem;
namespace protocol = lockstep::protocol;
namespace run_folder = lockstep::run_folder;
using namespace lockstep::tests;

namespace {

class FakeWorker {
 public:
  FakeWorker(int fd, const std::string& rank, fs::path self) : fd_(fd), self_(std::move(self)) {
    received_.open(self_.string() + ".received" + (rank == "0" ? "" : "." + rank), std::ios::app);
    received_ << "pid " << ::getpid() << std::endl;
  }

  int run() {
    job_ = std::get<protocol::Job>(*receive(-1));
    if (const auto* train = std::get_if<protocol::TrainJob>(&job_.work)) {
      runFolder_ = train->runFolder;
      if (!train->resumeFrom.empty()) best_ = run_folder::readTrainingState(train->resumeFrom).best;
    }
    if (const auto* inspect = std::get_if<protocol::InspectJob>(&job_.work);
        inspect != nullptr && fs::exists(inspect->model.weights))
      loaded_ = base::readFile(inspect->model.weights);
    last_.rank = job_.placement.node * job_.placement.localRanks + job_.placement.localRank;
    last_.phase = protocol::Phase::Loading;
    const std::string text = scriptText();
    if (!text.starts_with("mute\n")) beat();
    std::istringstream script(text);
    const auto known = commands();
    for (std::string line; std::getline(script, line);) {
      if (line.empty()) continue;
      Arguments arguments(line);
      const auto command = known.find(arguments.word());
      if (command == known.end()) throw lockstep::Error("fake worker: unknown command: " + line);
      command->second(arguments);
      if (exit_) return *exit_;
    }
    return 0;
  }

 private:
  using Command = std::function<void(Arguments&)>;

  /// A check without a script finds no issues.
  std::string scriptText() const {
    const std::string name = self_.string() + "." + protocol::nameOf(job_.work) + ".";
    const std::string rank = std::to_string(job_.placement.localRank);
    const fs::path own = name + rank + ".script", file = name + "script";
    const bool isCheck = std::holds_alternative<protocol::CheckJob>(job_.work);
    if (isCheck && !fs::exists(file)) return "finish 0\n";
    const std::string text = base::readFile(fs::exists(own) ? own : file);
    if (text.find(kAgain) == std::string::npos) return text;
    return section(text, countStart(name + rank + ".starts"));
  }

  /// Number of starts before this one.
  static int countStart(const fs::path& file) {
    const int starts = fs::exists(file) ? static_cast<int>(fs::file_size(file)) : 0;
    std::ofstream(file, std::ios::app) << 'x';
    return starts;
  }

  static constexpr std::string_view kAgain = "\nagain\n";

  /// That of the number, or the last one.
  static std::string section(const std::string& text, int number) {
    std::size_t begin = 0, end = text.find(kAgain);
    for (; number > 0 && end != std::string::npos; --number) {
      begin = end + kAgain.size();
      end = text.find(kAgain, begin);
    }
    return text.substr(begin, end == std::string::npos ? end : end - begin);
  }

  std::map<std::string, Command> commands() {
    return {
        {"mute", [](Arguments&) {}},
        {"heartbeat",
         [this](Arguments& a) {
           last_.step = a.number();
           last_.phase = base::parseEnum<protocol::Phase>(a.word()).value();
           last_.collective = a.word();
           last_.waiting = a.word() == "waiting";
           beat();
         }},
        {"rank", [this](Arguments& a) { last_.rank = static_cast<int>(a.number()); }},
        {"listening",
         [this](Arguments& a) { send(protocol::Listening{static_cast<int>(a.number())}); }},
        {"touch",
         [this](Arguments& a) { std::ofstream(self_.parent_path() / a.word()) << "here"; }},
        {"hold", [this](Arguments& a) { hold(a.word()); }},
        {"mkdir", [this](Arguments& a) { fs::create_directories(layout().folder() / a.word()); }},
        {"await",
         [this](Arguments& a) {
           const fs::path file = self_.parent_path() / a.word();
           while (!fs::exists(file)) {
             receive(10);
             beat();
           }
         }},
        {"state",
         [this](Arguments& a) {
           const auto name = a.word();
           send(protocol::State{.step = a.number(),
                                .state = base::OpenEnum<protocol::RunState>(name)});
         }},
        {"scalars",
         [this](Arguments& a) {
           const auto from = a.number();
           sendScalars(from, a.number());
         }},
        {"range-test", [this](Arguments& a) { send(madeRangeTest(a.number())); }},
        {"eval", [this](Arguments& a) { sendEvaluation(a); }},
        {"checkpoint", [this](Arguments& a) { sendCheckpoint(a); }},
        {"broken-checkpoint", [this](Arguments& a) { sendBrokenCheckpoint(a); }},
        {"bad-image",
         [this](Arguments& a) {
           const auto step = a.number();
           const auto part = base::parseEnum<protocol::Split>(a.word()).value();
           const auto file = a.word();
           send(protocol::BadImage{step, part, 1, file, a.rest()});
         }},
        {"predictions", [this](Arguments& a) { sendPredictions(a); }},
        {"pictures", [this](Arguments& a) { sendPictures(a.number()); }},
        {"log",
         [this](Arguments& a) {
           const auto level = a.word();
           send(protocol::Log{.level = base::OpenEnum<base::LogLevel>(level), .text = a.rest()});
         }},
        {"progress",
         [this](Arguments& a) {
           const auto done = a.number();
           send(protocol::Progress{done, a.number(), "working"});
         }},
        {"stderr",
         [](Arguments& a) {
           const auto text = a.rest() + "\n";
           (void)!::write(2, text.data(), text.size());
         }},
        {"raw", [this](Arguments& a) { sendLine(a.rest()); }},
        {"long-line",
         [this](Arguments& a) {
           sendLine(std::string(static_cast<std::size_t>(a.number()), 'x'));
         }},
        {"wait",
         [this](Arguments& a) {
           const auto name = a.word();
           while (nameOf(nextControl().action) != name) {
           }
         }},
        {"serve",
         [this](Arguments&) {
           while (serve(nextControl())) {
           }
         }},
        {"train-until-stop", [this](Arguments& a) { trainUntilStop(a.number()); }},
        {"out", [this](Arguments& a) { base::writeFileAtomically(outFile(), a.rest()); }},
        {"out-paths",
         [this](Arguments&) {
           const auto& job = std::get<protocol::PredictJob>(job_.work);
           base::writeFileAtomically(job.out, base::readFile(job.pathsFile));
         }},
        {"finish", [this](Arguments& a) { finish(a); }},
        {"fail", [this](Arguments& a) { fail(a); }},
        {"failed", [this](Arguments& a) { sendFailed(a); }},
        {"failed-rank", [this](Arguments& a) { sendFailedOf(a); }},
        {"kill",
         [](Arguments& a) {
           ::kill(::getpid(), static_cast<int>(a.number()));
           ::pause();
         }},
        {"exit", [this](Arguments& a) { exit_ = static_cast<int>(a.number()); }},
        {"hang",
         [this](Arguments&) {
           while (true) beatAfter(100);
         }},
    };
  }

  /// hold PREFIX: only of runs with such a name; a rank that does not know its run counts.
  void hold(const std::string& prefix) const {
    const std::string run = fs::path(runFolder_).filename().string(), gpu = job_.placement.gpuName;
    if (!run.empty() && !run.starts_with(prefix)) return;
    holdDevice(self_.parent_path(), run, gpu.empty() ? "cpu" : std::to_string(job_.placement.gpu));
  }

  void sendLine(const std::string& line) {
    const std::string text = line + "\n";
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count < 0) std::_Exit(99);  // the supervisor is gone
      sent += static_cast<std::size_t>(count);
    }
  }
  void send(const protocol::WorkerMessage& message) { sendLine(protocol::encode(message)); }

  /// Does not exit when the supervisor is gone: the system kills this process then.
  void beat() {
    const std::string text = protocol::encode(protocol::WorkerMessage(last_)) + "\n";
    (void)!::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  void beatAfter(int milliseconds) {
    ::poll(nullptr, 0, milliseconds);
    beat();
  }

  std::optional<protocol::SupervisorMessage> receive(int timeoutMs) {
    std::string line;
    while (lines_.next(line) != protocol::LineBuffer::Result::Line) {
      pollfd waited{fd_, POLLIN, 0};
      if (::poll(&waited, 1, timeoutMs < 0 ? 100 : timeoutMs) == 0) {
        if (timeoutMs >= 0) return std::nullopt;
        if (!last_.phase.isEmpty()) beat();
        continue;
      }
      char bytes[4096];
      const ssize_t count = ::read(fd_, bytes, sizeof bytes);
      if (count <= 0) std::_Exit(98);  // the supervisor is gone
      lines_.append({bytes, static_cast<std::size_t>(count)});
    }
    received_ << line << std::endl;
    return protocol::decodeSupervisorMessage(line);
  }
  protocol::Control nextControl() { return std::get<protocol::Control>(*receive(-1)); }

  /// A hundred steps in a message.
  void sendScalars(std::int64_t from, std::int64_t to) {
    for (std::int64_t step = from; step <= to; step += 100)
      send(madeScalars(step, std::min(step + 99, to)));
  }

  /// eval STEP LOSS AP [best]
  void sendEvaluation(Arguments& a) {
    const auto step = a.number();
    const double loss = a.real(), ap = a.real();
    sendState(protocol::RunState::Evaluating, step);
    send(madeEvaluation(step, loss, ap));
    const fs::path partial = layout().partialEvaluation(step);
    std::ostringstream json;
    json << R"({"step":)" << step << R"(,"losses":{"loss_total":)" << loss << R"(},"segm":{"AP":)"
         << ap << R"(},"bbox":{"AP":)" << ap << "}}";
    base::writeFileAtomically(partial, json.str());
    protocol::EvaluationReady ready{step, partial.string(), "segm/AP", std::nullopt};
    if (a.has("best")) {
      ready.bestValue = ap;
      best_ = run_folder::Best{ready.bestMetric, ap, step};
    }
    send(ready);
    sendState(protocol::RunState::Running, step);
  }

  /// checkpoint STEP [best] [last]
  void sendCheckpoint(Arguments& a) {
    const auto step = a.number();
    const fs::path partial = layout().partialCheckpoint(step);
    fs::create_directories(partial);
    const std::string content = std::to_string(step);
    run_folder::TrainingState state;
    state.step = step;
    state.best = best_;
    state.device = "cpu";
    state.workers = job_.placement.nodes * job_.placement.localRanks;
    state.cpuThreads = 1;
    for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
      std::ofstream(partial / name) << content;
      state.files.push_back(
          {name, static_cast<std::int64_t>(content.size()), base::crc32c(content)});
    }
    run_folder::writeTrainingState(partial, state);
    send(protocol::CheckpointReady{step, partial.string(), a.has("best"), a.has("last"), "", ""});
  }

  void sendBrokenCheckpoint(Arguments& a) {
    const auto step = a.number();
    send(protocol::CheckpointReady{step, "", false, a.has("last"), "No space left on device", ""});
  }

  /// A box in each of the images, as COCO results.
  static std::string boxesIn(const std::vector<std::int64_t>& imageIds) {
    std::string boxes;
    for (const std::int64_t id : imageIds)
      boxes += (boxes.empty() ? "" : ",") + (R"({"image_id":)" + std::to_string(id)) +
               R"(,"category_id":1,"bbox":[5,5,10,10],"score":0.9})";
    return boxes;
  }

  /// predictions STEP [IMAGE_IDS], as in `7,8`: a box in each of the images.
  void sendPredictions(Arguments& a) {
    const auto step = a.number();
    const std::string images = a.word();
    std::vector<std::int64_t> imageIds;
    std::istringstream ids(images);
    for (std::string id; std::getline(ids, id, ',');) imageIds.push_back(std::stoll(id));
    const fs::path partial = layout().partialPredictions(step);
    base::writeFileAtomically(partial, R"({"image_ids":[)" + images +
                                           R"(],"score_threshold":0.05,"detections":[)" +
                                           boxesIn(imageIds) + "]}");
    send(protocol::PredictionsReady{step, partial.string()});
  }

  /// Of image 7; nothing decodes it.
  void sendPictures(std::int64_t step) {
    const fs::path folder = layout().partialPictures(step);
    fs::create_directories(folder);
    base::writeFileAtomically(folder / "7.png", "a picture of step " + std::to_string(step));
    send(protocol::PicturesReady{step, folder.string(), {{7, "7.png", 4, 3}}});
  }

  void sendState(protocol::RunState state, std::int64_t step) {
    send(protocol::State{.step = step, .state = state});
  }

  static std::string nameOf(const protocol::Action& action) {
    constexpr const char* kNames[] = {"pause",   "resume",  "stop",   "checkpoint", "evaluate",
                                      "predict", "explain", "cancel", "load",       "detect"};
    return kNames[action.index()];
  }

  /// Answers; false after `stop`.
  bool serve(const protocol::Control& control) {
    const std::string name = nameOf(control.action);
    const auto* evaluate = std::get_if<protocol::Evaluate>(&control.action);
    if (const auto* predict = std::get_if<protocol::Predict>(&control.action)) {
      if (predict->request.split) send(protocol::Progress{1, 3, "predicting", control.id});
      answerWith(control.id, predict->out, predict->request.weights, predict->request.imageIds);
    } else if (const auto* explain = std::get_if<protocol::Explain>(&control.action)) {
      answerWith(control.id, explain->out, explain->request.weights,
                 {explain->request.imageId.value_or(0)});
    } else if (const auto* load = std::get_if<protocol::Load>(&control.action)) {
      loadWeights(control.id, load->weights);
    } else if (const auto* detect = std::get_if<protocol::Detect>(&control.action)) {
      const auto await = [this](Arguments& a) { commands().at("await")(a); };
      protocol::Detected detected = madeDetections(*detect, loaded_, await);
      detected.id = control.id;
      send(detected);
    } else if (name == "cancel") {
      send(protocol::Answer{.id = control.id, .error = "cancelled"});
    } else if (evaluate && std::holds_alternative<protocol::InspectJob>(job_.work)) {
      answerWith(control.id, evaluate->out, "", {});
    } else if (evaluate) {
      Arguments due("7 0.5 0.25");
      sendEvaluation(due);
      send(protocol::Answer{control.id, layout().evaluation(7).string(), ""});
    } else if (name == "checkpoint") {
      Arguments due("7");
      sendCheckpoint(due);
      send(protocol::Answer{control.id, layout().checkpoint(7).string(), ""});
    } else if (name == "pause" || name == "resume") {
      sendState(name == "pause" ? protocol::RunState::Paused : protocol::RunState::Running, 7);
    }
    return name != "stop";
  }

  /// Weights whose content is no number are refused; `die` ends the worker.
  void loadWeights(const std::string& id, const std::string& file) {
    const std::string content =
        madeWeights(file, [this](Arguments& a) { commands().at("await")(a); });
    const bool isNumber = std::ranges::all_of(content, [](char c) { return c >= '0' && c <= '9'; });
    if (isNumber) loaded_ = content;
    send(protocol::Answer{.id = id, .error = isNumber ? "" : "they are damaged"});
  }

  void answerWith(const std::string& id, const std::string& out, const std::string& weights,
                  const std::vector<std::int64_t>& imageIds) {
    base::writeFileAtomically(
        out, R"({"weights":")" + weights + R"(","detections":[)" + boxesIn(imageIds) + "]}");
    send(protocol::Answer{.id = id, .path = out, .step = 7});
  }

  void trainUntilStop(std::int64_t step) {
    for (;; ++step) {
      sendScalars(step, step);
      const auto message = receive(1);
      const auto* control = message ? std::get_if<protocol::Control>(&*message) : nullptr;
      if (control == nullptr || !std::holds_alternative<protocol::Stop>(control->action)) continue;
      sendState(protocol::RunState::Stopping, step);
      Arguments checkpoint(std::to_string(step) + " last"),
          finished(std::to_string(step) + " stopped");
      sendCheckpoint(checkpoint);
      return finish(finished);
    }
  }

  /// finish STEP [stopped] [result JSON]: what the JSON does not say of the job's result is as it
  /// is by default.
  void finish(Arguments& a) {
    const auto noResult = []<typename Job>(const Job&) -> protocol::Result {
      return typename Job::Result();
    };
    protocol::Finished finished{a.number(), a.has("stopped"), std::visit(noResult, job_.work)};
    exit_ = finished.stopped ? 75 : 0;
    auto line = nlohmann::json::parse(protocol::encode(protocol::WorkerMessage(finished)));
    const std::string rest = a.rest();
    if (const auto result = rest.find("result "); result != std::string::npos)
      line["result"].merge_patch(nlohmann::json::parse(rest.substr(result + 7)));
    sendLine(line.dump());
  }

  /// Of a job that has one.
  std::string outFile() const {
    const auto* evaluate = std::get_if<protocol::EvaluateJob>(&job_.work);
    return evaluate ? evaluate->out : std::get<protocol::PredictJob>(job_.work).out;
  }

  void fail(Arguments& a) {
    const int status = static_cast<int>(a.number());
    protocol::Failed failed{.message = a.rest(), .exitStatus = status, .step = 3};
    failed.phase = protocol::Phase::Forward;
    failed.cause = protocol::FailureCause::Error;
    send(failed);
    exit_ = status;
  }

  /// failed CAUSE STATUS MESSAGE, with '-' for the blanks of the cause; goes on.
  void sendFailed(Arguments& a) {
    protocol::Failed failed;
    std::string cause = a.word();
    std::replace(cause.begin(), cause.end(), '-', ' ');
    failed.cause = base::OpenEnum<protocol::FailureCause>(cause);
    failed.exitStatus = static_cast<int>(a.number());
    failed.message = a.rest();
    send(failed);
  }

  /// failed-rank RANK HOST CAUSE MESSAGE: what it knows of another; goes on.
  void sendFailedOf(Arguments& a) {
    protocol::Failed failed;
    failed.rank = static_cast<int>(a.number());
    failed.host = a.word();
    failed.cause = base::OpenEnum<protocol::FailureCause>(a.word());
    failed.message = a.rest();
    failed.step = 5;
    failed.phase = protocol::Phase::Backward;
    failed.collective = "gradients";
    send(failed);
  }

  lockstep::run_folder::Layout layout() const { return lockstep::run_folder::Layout(runFolder_); }

  int fd_;
  fs::path self_;
  std::ofstream received_;
  protocol::LineBuffer lines_;
  protocol::Job job_;
  std::string runFolder_, loaded_;  ///< the content of an inspection's weights
  protocol::Heartbeat last_;
  std::optional<run_folder::Best> best_;
  std::optional<int> exit_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "--fd" || std::string(argv[3]) != "--rank") return 97;
  try {
    return FakeWorker(std::atoi(argv[2]), argv[4], fs::read_symlink("/proc/self/exe")).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 96;
  }
}
