#include "engine/supervisor/rank_messages.h"

#include <filesystem>
#include <string>
#include <type_traits>
#include <variant>

#include "engine/supervisor/checkpoint_keeper.h"
#include "engine/supervisor/device_monitor.h"
#include "engine/supervisor/run_control.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/run_recorder.h"
#include "engine/supervisor/training_progress.h"
#include "engine/supervisor/worker_requests.h"

namespace lockstep::supervisor {
namespace {

template <typename Message, typename... Others>
constexpr bool kIsOneOf = (std::is_same_v<Message, Others> || ...);

}  // namespace

void RankMessages::handle(int rank, const protocol::WorkerMessage& message) {
  if (rank == 0) return handleOfRank0(message);
  if (const auto* log = std::get_if<protocol::Log>(&message)) {
    const std::string name = "rank " + std::to_string(rank);
    to_.recorder.record(protocol::Log{.level = log->level, .text = name + ": " + log->text});
    to_.log.write(name, *log);
  }
}

/// A message without a handler of its own is a partial file for the recorder, the
/// RankGroup's, or of no run.
void RankMessages::handleOfRank0(const protocol::WorkerMessage& message) {
  std::visit(
      [this]<typename Message>(const Message& held) {
        if constexpr (requires { handle(held); }) {
          handle(held);
        } else if constexpr (requires { to_.recorder.commit(held); }) {
          to_.recorder.commit(held);
        } else {
          using namespace protocol;
          static_assert(kIsOneOf<Message, Heartbeat, Listening, Detected, Finished, Failed>);
        }
      },
      message);
}

void RankMessages::handle(const protocol::ScalarBatch& batch) {
  protocol::ScalarBatch withDevices = batch;
  to_.devices.addTo(withDevices);
  for (const protocol::Scalars& scalars : withDevices.records) {
    to_.progress.add(scalars);
    if (const std::string line = evaluationLine(scalars); !line.empty()) {
      to_.log.write("train", line);
    } else if (const auto due = to_.progress.dueLine()) {
      to_.log.isTerminal() ? to_.log.writeToFile(*due) : to_.log.writeLine(*due);
    }
    to_.recorder.recordScalars(scalars);  // may log alerts, which follow what raised them
  }
  to_.log.showStatus(to_.progress.statusText());
}

/// A run that was asked to stop is stopping until it has stopped, whatever the worker completes
/// before.
void RankMessages::handle(const protocol::State& state) {
  const auto& known = state.state.value();
  if (to_.control.stopRequested || !known || *known == to_.recorder.info().state) return;
  to_.recorder.setState(*known);
}

void RankMessages::handle(const protocol::Log& log) {
  to_.recorder.record(log);
  to_.log.write("train", log);
}

void RankMessages::handle(const protocol::CheckpointReady& ready) { to_.checkpoints.keep(ready); }

void RankMessages::handle(const protocol::BadImage& image) {
  to_.recorder.recordBadImage(image);
  to_.log.warn("train", badImageText(image));
}

void RankMessages::handle(const protocol::Answer& answer) {
  protocol::Answer checked = answer;
  std::error_code ignored;
  if (answer.error.empty() && !answer.path.empty() &&
      !std::filesystem::exists(answer.path, ignored))
    checked.error = answer.path + ": could not be saved";
  to_.requests.answer(checked);
}

void RankMessages::handle(const protocol::Progress& progress) {
  if (!progress.id.empty()) return to_.requests.tell(progress);
  to_.log.showStatus(progress.text + " " + std::to_string(progress.done) + "/" +
                     std::to_string(progress.total));
}

}  // namespace lockstep::supervisor
