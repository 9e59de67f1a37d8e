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
                           ///< model.weights, or those of resumeFrom, fit; can images be read?) |
                           ///< replay
  std::string configYaml;  ///< resolved experiment (writeExperiment), empty for shapes and info
  std::string runFolder;   ///< train: where partial files go
  std::string resumeFrom;  ///< train: checkpoint folder, empty: from the start
  double checkpointPatience = 60;  ///< train: seconds that the last checkpoint is tried for
  // Its place among the ranks. A node is a supervisor with its ranks; the world are those of all
  // nodes, in order of node and local rank. Only node 0 is told configYaml and resumeFrom: its
  // rank 0 shares them.
  int node = 0, nodes = 1;
  int localRank = 0, localRanks = 1;
  int machineRanks = 1;        ///< that share this machine's cores
  int gpu = 0;                 ///< index of the GPU it uses, where it uses one
  std::string gpuName;         ///< as messages call it; empty: not known
  std::string masterAddress;   ///< where rank 0 is; empty: on this machine
  int masterPort = 0;          ///< of rank 0's store; 0: rank 0 chooses one and says it (Listening)
  bool storeIsServed = false;  ///< the launcher has a store at that port already
  // evaluate, predict, inspect
  std::string weights;      ///< safetensors file
  std::string weightsName;  ///< how messages call them: "step-00000400" or the file
  std::int64_t step = 0;    ///< step of the weights, 0: unknown
  std::string split = "val";
  bool perImage = false;
  std::vector<std::string> paths;
  std::string pathsFile;  ///< instead, when they are too many for a line: each path and a NUL
  double scoreThreshold = 0.05;
  std::string out;                      ///< file the answer is written to (atomically)
  std::string overlays;                 ///< folder for pictures, empty: none
  double overlayScore = 0.5;            ///< lowest score drawn in them
  std::vector<std::int64_t> badImages;  ///< replay: those that the run had left out
  int trainImages = 0, valImages = 0;   ///< shapes: to draw; check: of each part to be looked at
  // shapes
  std::string folder;
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
  int rank = 0;  ///< in the world
  std::int64_t step = 0;
  std::string phase;  ///< loading | data | forward | backward | optimizer | evaluating | predicting
                      ///< | checkpoint | paused | diverged
  std::string collective;   ///< the last one entered, empty: none
  bool waiting = false;     ///< in that collective now
  std::int64_t images = 0;  ///< that the evaluation or prediction is through with
};
/// Rank 0's store answers at this port: the other ranks can be started.
struct Listening {
  int port = 0;
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
  bool last = false;      ///< the run ends with it: failing to keep it fails the run
  std::string error;      ///< it could not be written, and why
  std::string elsewhere;  ///< where the last one is whole instead; empty: nowhere
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
/// An image that cannot be read and is left out.
struct BadImage {
  std::int64_t step = 0;
  std::string part;  ///< train | val
  std::int64_t imageId = 0;
  std::string file;
  std::string reason;
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
/// The last message of a failed rank; or what a rank knows of one on another machine.
struct Failed {
  int rank = -1;     ///< whose failure it is; -1: the sender's
  std::string host;  ///< of that rank; empty: the sender's
  std::string message;
  int exitStatus = 1;
  std::int64_t step = 0;
  std::string phase;
  std::string collective;
  std::string cause;  ///< error | system (a call of the operating system) | bad image | exception |
                      ///< out of memory | gpu | lost peer (a collective broke, so that it is likely
                      ///< another rank's failure) | silence | protocol
};
using WorkerMessage = std::variant<Heartbeat, Listening, ScalarBatch, WorkerState, WorkerLog,
                                   CheckpointReady, EvaluationReady, PredictionsReady,
                                   DivergenceReady, BadImage, Answer, Progress, Finished, Failed>;

std::string encode(const SupervisorMessage& message);
std::string encode(const WorkerMessage& message);
/// Throw Error, as decodeClientMessage.
SupervisorMessage decodeSupervisorMessage(std::string_view line);
WorkerMessage decodeWorkerMessage(std::string_view line);

/// The batch in parts whose lines all stay under kMaxLineBytes, in order.
std::vector<ScalarBatch> splitBatch(ScalarBatch batch);

}  // namespace lockstep::protocol
