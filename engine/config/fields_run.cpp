#include <iterator>
#include <tuple>

#include "engine/coco/evaluation/stat_names.h"
#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

/// Figures that an evaluation can be judged by.
std::vector<std::string> metricNames() {
  std::vector<std::string> names;
  for (const char* type : {"segm", "bbox"}) {
    for (const char* stat : coco::kStatNames) names.push_back(std::string(type) + "/" + stat);
  }
  names.emplace_back(kTotalLoss);
  for (const LossFacts& loss : kLosses) names.emplace_back(loss.name);
  return names;
}

void addEvaluationFields(FieldTable& table) {
  SectionRows evaluation(
      table, "evaluation", "What is measured on the held-out part, and when.",
      [](auto& e) -> auto& { return e.evaluation; });
  evaluation.duration("loss_every", &EvaluationConfig::lossEvery, atLeast(0),
                      "Between two held-out losses; 0: at the last step only.");
  evaluation.duration(
      "ap_every", &EvaluationConfig::apEvery, atLeast(0),
      "Between two average precisions (COCO's twelve figures), and at the last step; 0: never.");
  evaluation.integer("max_images", &EvaluationConfig::maxImages, atLeast(0), "images",
                     "Only the first so many held-out images; 0: all.");
  evaluation.choice(
      "best_metric", &EvaluationConfig::bestMetric, metricNames(),
      "Figure that decides which checkpoint is the best; losses: the lower, others: the higher.");
  Field& limits = evaluation.integers(
      "max_dets", &EvaluationConfig::maxDets, between(1, 100000), "detections",
      "Best detections of a class that count on an image: the three limits of COCO's figures.");
  limits.listSize = 3;
  limits.isBuilt = false;

  SectionRows stop(
      table, "evaluation.early_stop", "End the training when it no longer gains.",
      [](auto& e) -> auto& { return e.evaluation.earlyStop; });
  Field& metric = stop.choice("metric", &EarlyStopConfig::metric, metricNames(),
                              "Figure that has to gain; null: off.");
  metric.nullable = true;
  stop.integer("patience", &EarlyStopConfig::patience, atLeast(1), "evaluations",
               "Evaluations without a gain before the training ends.");
  stop.number("min_delta", &EarlyStopConfig::minDelta, atLeast(0), "",
              "A gain is a change for the better by more than this.");
  stop.optionalNumber("target", &EarlyStopConfig::target, atLeast(0), "",
                      "Value of the figure that ends the training once it is reached; null: none.")
      .isBuilt = false;
}

void addCheckpointFields(FieldTable& table) {
  SectionRows checkpoint(
      table, "checkpoint", "When the state of the training is kept.",
      [](auto& e) -> auto& { return e.checkpoint; });
  checkpoint.duration("every", &CheckpointConfig::every, atLeast(0),
                      "Between two checkpoints; 0: the last step only.");
  checkpoint.integer("keep", &CheckpointConfig::keep, atLeast(1), "checkpoints",
                     "Newest checkpoints that are kept.");
  checkpoint.flag("keep_best", &CheckpointConfig::keepBest,
                  "Keep the checkpoint of the best evaluation too.");
}

void addEventCommandFields(FieldTable& table) {
  SectionRows commands(
      table, "monitor.on_event",
      "Commands of the supervisor that get the event as JSON on their standard input.",
      [](auto& e) -> auto& { return e.monitor.onEvent; });
  for (const auto& [key, member, help] :
       {std::tuple{"best", &EventCommands::best, "After the best evaluation so far; null: none."},
        std::tuple{"alert", &EventCommands::alert, "After an alert; null: none."},
        std::tuple{"end", &EventCommands::end, "When the run has ended; null: none."}}) {
    Field& command = commands.text(key, member, help);
    command.nullable = true;
    command.isBuilt = false;
  }
}

void addMonitorFields(FieldTable& table) {
  SectionRows monitor(
      table, "monitor", "What is recorded while the training runs.",
      [](auto& e) -> auto& { return e.monitor; });
  monitor.duration("log_every", &MonitorConfig::logEvery, atLeast(0),
                   "Between two times that losses are read and sent; every step's are kept.");
  monitor
      .duration("tensor_stats_every", &MonitorConfig::tensorStatsEvery, atLeast(0),
                "Between two records of each weight's and gradient's norm and mean; 0: never.")
      .isBuilt = false;
  monitor
      .texts("tensor_stats_include", &MonitorConfig::tensorStatsInclude,
             "Regular expressions: only weights whose name has one of them; []: all.")
      .isBuilt = false;
  monitor.duration("predictions_every", &MonitorConfig::predictionsEvery, atLeast(0),
                   "Between two predictions of the watched images; 0: never.");
  monitor.integer("prediction_images", &MonitorConfig::predictionImages, between(0, 1000), "images",
                  "Held-out images that are watched.");
  monitor
      .integer("summary_images", &MonitorConfig::summaryImages, between(0, 1000), "images",
               "Watched predictions that go into the event log as pictures for TensorBoard.")
      .isBuilt = false;
  addEventCommandFields(table);
}

void addRuntimeFields(FieldTable& table) {
  SectionRows runtime(
      table, "runtime", "Where and how the training runs.",
      [](auto& e) -> auto& { return e.runtime; });
  runtime.choice("device", &RuntimeConfig::device, {"auto", "cpu", "cuda"},
                 "auto: a GPU where one and its kernels are, else the CPU.");
  runtime.integer("workers", &RuntimeConfig::workers, between(0, 65536), "ranks",
                  "Processes; 0: one per GPU, or one on a CPU.");
  Field& devices = runtime.integers("devices", &RuntimeConfig::devices, atLeast(0), "",
                                    "Numbers of the GPUs to use, one for each rank; []: all.");
  devices.mayBeEmpty = true;
  runtime.choice("backend", &RuntimeConfig::backend, {"auto", "nccl", "gloo"},
                 "How ranks talk; auto: nccl on GPUs, gloo on CPUs.");
  runtime.choice("precision", &RuntimeConfig::precision, {"fp32", "tf32", "bf16", "fp16", "auto"},
                 "Arithmetic of the network; weights, statistics and losses stay fp32. fp32 is "
                 "without TF32, fp16 (with a loss scale) is for GPUs; auto: bf16 where the device "
                 "computes in it (AVX512_BF16, AMX, a GPU of 8.0 or more), else fp32.");
  runtime.flag("deterministic", &RuntimeConfig::deterministic,
               "Let cuDNN, cuBLAS and NCCL choose only what gives the same bits every time.");
  runtime.integer("seed", &RuntimeConfig::seed, between(0, 9007199254740992.0), "",
                  "Key of every random choice.");
  runtime.integer("cpu_threads", &RuntimeConfig::cpuThreads, between(0, 1024), "threads",
                  "Threads of a rank that compute; 0: the cores shared among the ranks.");
  runtime.flag("cuda_graphs", &RuntimeConfig::cudaGraphs,
               "Record backbone, pyramid and RPN head once for each size of a batch, and replay "
               "them: quicker for small batches, for more memory.");
  runtime.integer("max_restarts", &RuntimeConfig::maxRestarts, between(0, 1000), "",
                  "Times a run whose rank died begins again from its newest checkpoint.");
  runtime.number("stall_seconds", &RuntimeConfig::stallSeconds, above(0), "s",
                 "A rank that makes no progress for so long is taken for hung.");
}

}  // namespace

void addRunFields(FieldTable& table) {
  addEvaluationFields(table);
  addCheckpointFields(table);
  addMonitorFields(table);
  addRuntimeFields(table);
}

}  // namespace lockstep::config
