#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/protocol/jobs.h"
#include "engine/protocol/messages.h"

/// The messages between the supervisor and one rank, JSON Lines over an inherited socket pair: both
/// are of one build.
namespace lockstep::protocol {

// ---- supervisor -> worker
struct Pause {};
struct Resume {};
/// With a checkpoint.
struct Stop {};
struct SaveCheckpoint {};
struct Evaluate {
  std::string out{};  ///< file for the answer of an inspection; a training has its own place for it
};
struct Predict {
  PredictRequest request{};  ///< weights already resolved to a file, or empty
  std::string out{};         ///< file for the answer
};
using Action = std::variant<Pause, Resume, Stop, SaveCheckpoint, Evaluate, Predict>;
/// Acted on at the next step boundary.
struct Control {
  std::string id{};  ///< given back in the Answer; empty: nobody waits for one
  Action action{};
};
using SupervisorMessage = std::variant<Job, Control>;

// ---- worker -> supervisor
struct Heartbeat {
  int rank = 0;  ///< in the world
  std::int64_t step = 0;
  base::OpenEnum<Phase> phase{};  ///< empty: it has not said it yet
  std::string collective{};       ///< the last one entered, empty: none
  bool waiting = false;           ///< in that collective now
  std::int64_t images = 0;        ///< that the evaluation or prediction is through with
};
/// Rank 0's store answers at this port: the other ranks can be started.
struct Listening {
  int port = 0;
};
/// Every step since the last one, in order. A line holds kMaxLineBytes at most: send many values in
/// several batches (splitBatch).
struct ScalarBatch {
  std::vector<Scalars> records{};
};
/// A whole checkpoint at `partial` (synced), to be renamed to its place.
struct CheckpointReady {
  std::int64_t step = 0;
  std::string partial{};
  bool best = false;
  bool last = false;        ///< the run ends with it: failing to keep it fails the run
  std::string error{};      ///< it could not be written, and why
  std::string elsewhere{};  ///< where the last one is whole instead; empty: nowhere
};
struct EvaluationReady {
  std::int64_t step = 0;
  std::string partial{};              ///< file, to be renamed
  std::string bestMetric{};           ///< name, e.g. segm/AP
  std::optional<double> bestValue{};  ///< when this evaluation is the best so far
};
struct PredictionsReady {
  std::int64_t step = 0;
  std::string partial{};
};
/// What is needed to run a step again that was not finite, at `partial` (synced).
struct DivergenceReady {
  std::int64_t step = 0;
  std::string partial{};  ///< folder, to be renamed
};
/// An image that cannot be read and is left out.
struct BadImage {
  std::int64_t step = 0;
  base::OpenEnum<Split> part = Split::Train;
  std::int64_t imageId = 0;
  std::string file{};
  std::string reason{};
};
struct Answer {
  std::string id{};
  std::string path{};   ///< file with the answer
  std::string error{};  ///< or why there is none
};
struct Progress {
  std::int64_t done = 0, total = 0;
  std::string text{};
};
/// The last message: the job is done, or stopped on request.
struct Finished {
  std::int64_t step = 0;  ///< of a training
  bool stopped = false;
  Result result{};
};
/// The last message of a failed rank; or what a rank knows of one on another machine.
struct Failed {
  int rank = -1;       ///< whose failure it is; -1: the sender's
  std::string host{};  ///< of that rank; empty: the sender's
  std::string message{};
  int exitStatus = 1;
  std::int64_t step = 0;
  base::OpenEnum<Phase> phase{};
  std::string collective{};
  base::OpenEnum<FailureCause> cause{};
};
/// State and Log are events of the log, where they get the supervisor's time.
using WorkerMessage =
    std::variant<Heartbeat, Listening, ScalarBatch, State, Log, CheckpointReady, EvaluationReady,
                 PredictionsReady, DivergenceReady, BadImage, Answer, Progress, Finished, Failed>;

std::string encode(const SupervisorMessage& message);
std::string encode(const WorkerMessage& message);
/// Throw Error, as decodeClientMessage.
SupervisorMessage decodeSupervisorMessage(std::string_view line);
WorkerMessage decodeWorkerMessage(std::string_view line);

/// The batch in parts whose lines all stay under kMaxLineBytes, in order.
std::vector<ScalarBatch> splitBatch(ScalarBatch batch);

}  // namespace lockstep::protocol
