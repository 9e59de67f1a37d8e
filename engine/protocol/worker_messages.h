#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/protocol/messages.h"

/// The messages between the supervisor and one rank, JSON Lines over an inherited socket pair. The
/// first line the supervisor sends is the Job.
namespace lockstep::protocol {

// ---- supervisor -> worker
struct Job {
  std::string kind;        ///< train | evaluate | predict | inspect | shapes | info | check (do
                           ///< model.weights, or those of resumeFrom, fit the model?) | replay
  std::string configYaml;  ///< resolved experiment (writeExperiment), empty for shapes and info
  std::string runFolder;   ///< train: where partial files go
  int rank = 0, worldSize = 1, localRank = 0;
  std::string resumeFrom;  ///< train: checkpoint folder, empty: from the start
  // evaluate, predict, inspect
  std::string weights;      ///< safetensors file
  std::string weightsName;  ///< how messages call them: "step-00000400" or the file
  std::int64_t step = 0;    ///< step of the weights, 0: unknown
  std::string split = "val";
  bool perImage = false;
  std::vector<std::string> paths;
  std::string pathsFile;  ///< instead, when they are too many for a line: each path and a NUL
  double scoreThreshold = 0.05;
  std::string out;       ///< file the answer is written to (atomically)
  std::string overlays;  ///< folder for pictures, empty: none
  // shapes
  std::string folder;
  int trainImages = 0, valImages = 0;
  std::int64_t seed = 1;
};
/// pause | resume | stop | checkpoint | evaluate | predict, acted on at the next step boundary.
struct Control {
  std::string name;
  std::string id;
  PredictRequest predict;  ///< of predict: weights already resolved to a file, or empty; its id is
                           ///< the control's
  std::string out;         ///< of predict: file for the answer
};
using SupervisorMessage = std::variant<Job, Control>;

// ---- worker -> supervisor
struct Heartbeat {
  std::int64_t step = 0;
  std::string phase;  ///< loading | data | forward | backward | optimizer | evaluating | predicting
                      ///< | checkpoint | paused | diverged
  std::string collective;  ///< the last one entered, empty: none
};
struct StepScalars {
  std::int64_t step = 0;
  double time = 0;
  std::vector<std::pair<std::string, float>> values;
};
/// Every step since the last one, in order. A line holds kMaxLineBytes at most: send many values in
/// several batches (splitBatch).
struct ScalarBatch {
  std::vector<StepScalars> records;
};
struct WorkerState {
  std::string state;  ///< running | evaluating | paused | stopping
  std::int64_t step = 0;
};
struct WorkerLog {
  std::string level;
  std::string text;
  std::int64_t step = 0;
};
/// A whole checkpoint at `partial` (synced), to be renamed to its place.
struct CheckpointReady {
  std::int64_t step = 0;
  std::string partial;
  bool best = false;
  bool last = false;  ///< the run ends with it: failing to keep it fails the run
  std::string error;  ///< it could not be written, and why
};
struct EvaluationReady {
  std::int64_t step = 0;
  std::string partial;              ///< file, to be renamed
  std::string bestMetric;           ///< name, e.g. segm/AP
  std::optional<double> bestValue;  ///< when this evaluation is the best so far
};
struct PredictionsReady {
  std::int64_t step = 0;
  std::string partial;
};
/// What is needed to run a step again that was not finite, at `partial` (synced).
struct DivergenceReady {
  std::int64_t step = 0;
  std::string partial;  ///< folder, to be renamed
};
struct Answer {
  std::string id;
  std::string path;   ///< file with the answer
  std::string error;  ///< or why there is none
};
struct Progress {
  std::int64_t done = 0, total = 0;
  std::string text;
};
/// The last message: the job is done, or stopped on request. `result` is JSON for info,
/// evaluate and predict.
struct Finished {
  std::int64_t step = 0;
  bool stopped = false;
  std::string result;
};
/// The last message of a failed rank.
struct Failed {
  std::string message;
  int exitStatus = 1;
  std::int64_t step = 0;
  std::string phase;
  std::string collective;
  std::string cause;
};
using WorkerMessage =
    std::variant<Heartbeat, ScalarBatch, WorkerState, WorkerLog, CheckpointReady, EvaluationReady,
                 PredictionsReady, DivergenceReady, Answer, Progress, Finished, Failed>;

std::string encode(const SupervisorMessage& message);
std::string encode(const WorkerMessage& message);
/// Throw Error, as decodeClientMessage.
SupervisorMessage decodeSupervisorMessage(std::string_view line);
WorkerMessage decodeWorkerMessage(std::string_view line);

/// The batch in parts whose lines all stay under kMaxLineBytes, in order.
std::vector<ScalarBatch> splitBatch(ScalarBatch batch);

}  // namespace lockstep::protocol
