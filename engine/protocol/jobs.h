#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/protocol/split.h"

/// What a worker can be asked to do, one struct a job, and what comes of it. The supervisor's ranks
/// are told only their place where another machine leads: its rank 0 shares the work.
namespace lockstep::protocol {

/// Where a rank stands. A node is a supervisor with its ranks; the world are those of all nodes, in
/// order of node and local rank.
struct RankPlace {
  int node = 0, nodes = 1;
  int localRank = 0, localRanks = 1;
  int machineRanks = 1;         ///< that share this machine's cores
  int gpu = 0;                  ///< index of the GPU it uses, where it uses one
  std::string gpuName{};        ///< as messages call it; empty: not known
  std::string masterAddress{};  ///< where rank 0 is; empty: on this machine
  int masterPort = 0;          ///< of rank 0's store; 0: rank 0 chooses one and says it (Listening)
  bool storeIsServed = false;  ///< the launcher has a store at that port already
};

/// A figure and its name: in the order of the list that it is in.
struct Figure {
  std::string name;
  double value = 0;
};

inline std::vector<Figure> figuresOf(const auto& names, const auto& values) {
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < names.size(); ++i) figures.push_back({names[i], values[i]});
  return figures;
}

struct TrainJob {
  using Result = std::monostate;
  std::string configYaml{};        ///< resolved experiment (writeExperiment)
  std::string runFolder{};         ///< where partial files go
  std::string resumeFrom{};        ///< checkpoint folder, empty: from the start
  double checkpointPatience = 60;  ///< seconds that the last checkpoint is tried for
};

/// A model with its weights.
struct TrainedModel {
  std::string configYaml{};  ///< resolved experiment (writeExperiment)
  std::string weights{};     ///< safetensors file
  std::int64_t step = 0;     ///< of the weights, 0: unknown
};

struct EvaluateResult {
  std::int64_t step = 0;
  std::int64_t images = 0;     ///< those that could be read
  std::int64_t badImages = 0;  ///< and those that could not
  std::vector<Figure> losses{};
  std::vector<Figure> bbox{}, segm{};  ///< COCO's twelve
  std::string pastLimit{};             ///< what AP cannot count, in words; empty: nothing
};
struct EvaluateJob {
  using Result = EvaluateResult;
  TrainedModel model{};
  Split split = Split::Val;
  bool perImage = false;
  std::string out{};  ///< file for the evaluation (written atomically); empty: none
};

struct PredictResult {
  std::int64_t images = 0, detections = 0;
  std::int64_t unread = 0;  ///< images that were left out
};
struct PredictJob {
  using Result = PredictResult;
  TrainedModel model{};
  Split split = Split::Val;          ///< where no files are named
  std::vector<std::string> paths{};  ///< image files
  std::string pathsFile{};  ///< instead, when they are too many for a line: each path and a NUL
  double scoreThreshold = 0.05;
  std::string out{};          ///< file for the detections (written atomically)
  std::string overlays{};     ///< folder for pictures, empty: none
  double overlayScore = 0.5;  ///< lowest score drawn in them
};

/// Answers requests until it is told to stop.
struct InspectJob {
  using Result = std::monostate;
  TrainedModel model{};
};

struct ReplayResult {
  struct Image {
    std::int64_t imageId = 0;
    std::string fileName{};
    std::vector<Figure> losses{};
  };
  std::vector<Figure> losses{};  ///< of the whole step
  double gradientNorm = 0;
  std::string firstNotFinite{};   ///< layer, loss or gradient; empty: all is finite
  std::vector<Image> perImage{};  ///< each image alone
};
/// Runs the batch of a step again.
struct ReplayJob {
  using Result = ReplayResult;
  TrainedModel model{};                   ///< as it was before the step; `step` is the step
  std::vector<std::int64_t> badImages{};  ///< that the run had left out
};

/// Images with the same fault.
struct FaultyImages {
  std::int64_t count = 0;
  std::vector<std::int64_t> firstIds{};
  std::string first{};  ///< what is wrong with the first of them, and its file
};
/// What was found of some images of a part.
struct ImagesCheck {
  std::int64_t lookedAt = 0, all = 0;
  FaultyImages unusable{};
  FaultyImages dark{};  ///< 16-bit files that come out nearly black
};
struct WeightsFault {
  std::string text{};
  int exitStatus = 1;
};
struct CheckResult {
  std::optional<WeightsFault> weights{};  ///< why training cannot start from them
  ImagesCheck train{}, val{};
};
/// Whether training can start from model.weights, or go on from a checkpoint, and whether some
/// images of both parts can be read.
struct CheckJob {
  using Result = CheckResult;
  std::string configYaml{};
  std::string resumeFrom{};  ///< checkpoint folder whose weights stand for model.weights
  int imagesPerPart = 0;     ///< most that are looked at
};

/// Draws a data set.
struct ShapesJob {
  using Result = std::monostate;
  std::string folder{};
  int trainImages = 0, valImages = 0;
  std::int64_t seed = 1;
};

struct InfoResult {
  std::string libtorch{};
  std::string cpuCapability{};
  bool cudaKernels = false;
  std::string cudaArchitectures{};  ///< they are built for, as CMAKE_CUDA_ARCHITECTURES says it
  int usableGpus = 0;
};
/// What the worker's build and its LibTorch can do.
struct InfoJob {
  using Result = InfoResult;
};

using Work = std::variant<TrainJob, EvaluateJob, PredictJob, InspectJob, ReplayJob, CheckJob,
                          ShapesJob, InfoJob>;
/// The first line that a worker gets.
struct Job {
  RankPlace place{};
  Work work{};
};
/// What a job gives on rank 0.
using Result = std::variant<std::monostate, EvaluateResult, PredictResult, ReplayResult,
                            CheckResult, InfoResult>;

/// train | evaluate | …
const char* nameOf(const Work& work);

}  // namespace lockstep::protocol
