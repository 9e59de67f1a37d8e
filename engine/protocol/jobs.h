#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/protocol/split.h"

/// The jobs of a worker, one struct each, and their results. On machines other than that of rank 0,
/// a rank gets only its placement; rank 0 broadcasts the work.
namespace lockstep::protocol {

/// Placement of a rank in the world. A node is a supervisor with its ranks; global ranks are
/// ordered by node and local rank.
struct RankPlacement {
  int node = 0, nodes = 1;
  int localRank = 0, localRanks = 1;
  int machineRanks = 1;         ///< ranks that share this machine's cores
  int gpu = 0;                  ///< index of its GPU, if it uses one
  std::string gpuName{};        ///< for messages; empty: unknown
  std::string masterAddress{};  ///< hostname of rank 0; empty: this machine
  int masterPort = 0;  ///< of rank 0's store; 0: rank 0 chooses one and reports it (Listening)
  bool storeIsServed = false;  ///< the launcher already serves a store at that port
};

/// A named value.
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
  std::string resumeFrom{};        ///< checkpoint folder; empty: start from scratch
  double checkpointPatience = 60;  ///< seconds to retry writing the last checkpoint
  bool isRangeTest = false;  ///< sweeps the learning rate over all steps, and leaves no checkpoint
};

/// A model with its weights.
struct TrainedModel {
  std::string configYaml{};  ///< resolved experiment (writeExperiment)
  std::string weights{};     ///< safetensors file
  std::int64_t step = 0;     ///< of the weights, 0: unknown
};

struct EvaluateResult {
  std::int64_t step = 0;
  std::int64_t images = 0;     ///< readable ones
  std::int64_t badImages = 0;  ///< unreadable ones
  std::vector<Figure> losses{};
  std::vector<std::int64_t> badImageIds{};
  std::vector<Figure> bbox{}, segm{};  ///< COCO's twelve
  std::string pastLimit{};             ///< message about objects that AP ignores; empty: none
};
struct EvaluateJob {
  using Result = EvaluateResult;
  TrainedModel model{};
  Split split = Split::Val;
  bool perImage = false;
  bool pycocotoolsExact = false;  ///< coco::Params::pycocotoolsExact
  std::string out{};              ///< file for the evaluation (written atomically); empty: none
  std::string detections{};       ///< file for the detections as COCO results; empty: none
};

struct PredictResult {
  std::int64_t images = 0, detections = 0;
  std::int64_t unreadable = 0;  ///< images that were skipped
};
struct PredictJob {
  using Result = PredictResult;
  TrainedModel model{};
  Split split = Split::Val;          ///< unless paths are given
  std::vector<std::string> paths{};  ///< image files
  std::string pathsFile{};  ///< instead of paths, if too long for a line: NUL-terminated paths
  double scoreThreshold = 0.05;
  std::string out{};          ///< file for the detections (written atomically)
  std::string overlays{};     ///< folder for overlay images; empty: none
  double overlayScore = 0.5;  ///< score threshold of the overlays
};

/// Answers requests until Stop.
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
  std::string firstNotFinite{};   ///< layer, loss or gradient; empty: everything is finite
  std::vector<Image> perImage{};  ///< each image alone
};
/// Replays the batch of a step.
struct ReplayJob {
  using Result = ReplayResult;
  TrainedModel model{};                   ///< before the step; `step` is the step to replay
  std::vector<std::int64_t> badImages{};  ///< ids of images the run had skipped
};

/// Images with the same issue.
struct ImageIssues {
  std::int64_t count = 0;
  std::vector<std::int64_t> firstIds{};
  std::string first{};  ///< message about the first of them, with its file
};
/// Result of checking some images of a split.
struct ImagesCheck {
  std::int64_t checked = 0, all = 0;
  ImageIssues unusable{};
  ImageIssues dark{};  ///< 16-bit files that are decoded nearly black
};
struct WeightsError {
  std::string text{};
  int exitStatus = 1;
};
struct CheckResult {
  std::optional<WeightsError> weights{};  ///< why training cannot start from them
  ImagesCheck train{}, val{};
};
/// Checks whether training can start from model.weights or resume from a checkpoint, and whether
/// some images of both splits are readable.
struct CheckJob {
  using Result = CheckResult;
  std::string configYaml{};
  std::string resumeFrom{};  ///< checkpoint folder whose weights replace model.weights
  int imagesPerSplit = 0;    ///< maximum number to check
};

/// Generates a dataset of drawn shapes.
struct ShapesJob {
  using Result = std::monostate;
  std::string folder{};
  int trainImages = 0, valImages = 0;
  std::int64_t seed = 1;
};

/// What a job on a dataset's files tells the user.
struct DatasetReport {
  std::string text{};                   ///< for standard output
  std::vector<std::string> warnings{};  ///< a line each
  std::string failure{};                ///< why the command fails all the same; empty: it does not
};
/// Brings annotations of another format in (formats::importDataset).
struct ImportJob {
  using Result = DatasetReport;
  std::string source{}, out{};
  std::string format{};              ///< empty: detected
  std::optional<double> valShare{};  ///< none: the source's own parts
  std::int64_t seed = 1;
  std::string groupPattern{};
  std::string classes{};  ///< file; empty: those of the source
  bool copiesImages = false;
  std::string exif{};  ///< apply | ignore; empty: as the data or the format say
  bool keepsEmpty = false;
};
/// Draws the first training batches as the model gets them.
struct PreviewJob {
  using Result = DatasetReport;
  std::string configYaml{};
  std::string out{};  ///< folder to create
  int batches = 0;
};
/// The way back (formats::exportDataset).
struct ExportJob {
  using Result = DatasetReport;
  std::string source{}, out{}, format{};
};
/// Looks for faults in annotations and images (dataset_check::checkDataset).
struct CheckDatasetJob {
  using Result = DatasetReport;
  std::string configYaml{};  ///< resolved experiment (writeExperiment)
  std::string experiment{};  ///< its file, which that of cleaned annotations is based on
  std::string out{};         ///< file for all that is found (written atomically); empty: none
  std::string fixFolder{};   ///< new folder for cleaned annotations; empty: none
};

struct InfoResult {
  std::string libtorch{};
  std::string cpuCapability{};
  bool cudaKernels = false;
  std::string cudaArchitectures{};  ///< built for, as in CMAKE_CUDA_ARCHITECTURES
  int usableGpus = 0;
};
/// Capabilities of the worker's build and its LibTorch.
struct InfoJob {
  using Result = InfoResult;
};

using Work = std::variant<TrainJob, EvaluateJob, PredictJob, InspectJob, ReplayJob, CheckJob,
                          ShapesJob, ImportJob, ExportJob, CheckDatasetJob, PreviewJob, InfoJob>;
/// The first message to a worker.
struct Job {
  RankPlacement placement{};
  Work work{};
};
/// The result of a job on rank 0.
using Result = std::variant<std::monostate, EvaluateResult, PredictResult, ReplayResult,
                            CheckResult, DatasetReport, InfoResult>;

/// train | evaluate | …
const char* nameOf(const Work& work);

}  // namespace lockstep::protocol
