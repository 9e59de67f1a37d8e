#include <iterator>
#include <tuple>

#include "engine/config/evaluation_metrics.h"
#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addEvaluationFields(FieldTable& table) {
  SectionRows evaluation(
      table, "evaluation", "Evaluation on the validation set.",
      [](auto& e) -> auto& { return e.evaluation; });
  evaluation.duration("loss_every", &EvaluationConfig::lossEvery, atLeast(0),
                      "Interval between evaluations of the validation loss; 0: at the "
                      "last step only. Usually 1 epoch or less.");
  evaluation.duration("ap_every", &EvaluationConfig::apEvery, atLeast(0),
                      "Interval between evaluations of AP and AR (COCO's twelve metrics), which "
                      "also follow the last step; 0: never. Takes longer than the loss alone.");
  evaluation.integer(
      "max_images", &EvaluationConfig::maxImages, atLeast(0), "images",
      "Limit evaluations to this number of validation images, the first ones, to save "
      "time; 0: all.");
  const std::vector<std::string> metrics = evaluationMetrics(EvaluationConfig());
  evaluation
      .choice("best_metric", &EvaluationConfig::bestMetric, metrics,
              "Metric that selects the best checkpoint: the lowest value of a loss, the highest of "
              "any other metric.")
      .otherChoices = kAnyRecall;
  Field& limits = evaluation.integers(
      "max_dets", &EvaluationConfig::maxDets, between(1, 100000), "detections",
      "Detections per class and image that count, highest scores first, in ascending order: AR "
      "with "
      "each of these numbers, all other metrics with the last. Raise it where an image has more "
      "objects of a class.");
  limits.listSize = 3;

  SectionRows stop(
      table, "evaluation.early_stop",
      "Early stopping: end the training when a metric no longer improves, or reaches a target.",
      [](auto& e) -> auto& { return e.evaluation.earlyStop; });
  Field& metric = stop.choice("metric", &EarlyStopConfig::metric, metrics,
                              "Metric that has to keep improving; null: it does not have to.");
  metric.nullable = true;
  metric.otherChoices = kAnyRecall;
  stop.integer("patience", &EarlyStopConfig::patience, atLeast(1), "evaluations",
               "Evaluations without an improvement after which the training ends, usually 3 … 10.");
  stop.number("min_delta", &EarlyStopConfig::minDelta, atLeast(0), "",
              "Smallest improvement that counts: a change must be larger than this, in units of "
              "the metric. Usually 0.");
  stop.optionalNumber(
      "target", &EarlyStopConfig::target, atLeast(0), "",
      "End the training once early_stop.metric, or without one best_metric, reaches "
      "this value (a loss: falls to it); null: off.");
}

void addCheckpointFields(FieldTable& table) {
  SectionRows checkpoint(
      table, "checkpoint", "When checkpoints are saved, and which are kept.",
      [](auto& e) -> auto& { return e.checkpoint; });
  checkpoint.duration("every", &CheckpointConfig::every, atLeast(0),
                      "Interval between checkpoints; 0: at the last step only. A shorter one loses "
                      "less when a run is killed.");
  checkpoint.integer("keep", &CheckpointConfig::keep, atLeast(1), "checkpoints",
                     "Number of latest checkpoints that are kept; older ones are deleted.");
  checkpoint.flag("keep_best", &CheckpointConfig::keepBest,
                  "Also keep the checkpoint that is best by evaluation.best_metric.");
}

void addEventCommandFields(FieldTable& table) {
  SectionRows commands(
      table, "monitor.on_event",
      "Commands that the supervisor runs on events, with the event as JSON on standard input, for "
      "five minutes at most.",
      [](auto& e) -> auto& { return e.monitor.onEvent; });
  for (const auto& [key, member, help] :
       {std::tuple{"best", &EventCommands::best,
                   "Shell command to run once a checkpoint is the best so far; null: none."},
        std::tuple{"alert", &EventCommands::alert,
                   "Shell command to run after each alert; null: none."},
        std::tuple{"end", &EventCommands::end,
                   "Shell command to run when the training has finished, failed or been stopped; "
                   "null: none."}}) {
    commands.text(key, member, help).nullable = true;
  }
}

void addMonitorFields(FieldTable& table) {
  SectionRows monitor(
      table, "monitor", "What is logged while the training runs.",
      [](auto& e) -> auto& { return e.monitor; });
  monitor.duration(
      "log_every", &MonitorConfig::logEvery, atLeast(0),
      "Interval at which the losses of all steps since the last time are read from the "
      "device and logged, usually 20. A longer one costs a fast GPU less time.");
  monitor.duration("tensor_stats_every", &MonitorConfig::tensorStatsEvery, atLeast(0),
                   "Interval at which norm and mean of every weight and gradient and the relative "
                   "size of every update are logged, usually 20 … 100; 0: never.");
  monitor.texts("tensor_stats_include", &MonitorConfig::tensorStatsInclude,
                "Regular expressions (ECMAScript): only parameters whose name one of them matches, "
                "anywhere in the name, have these statistics, for example [mask_, layer4]; []: "
                "all.");
  monitor.duration("predictions_every", &MonitorConfig::predictionsEvery, atLeast(0),
                   "Interval between predictions on the watched images; 0: never.");
  monitor.integer("prediction_images", &MonitorConfig::predictionImages, between(0, 1000), "images",
                  "Number of watched images, the first ones of the validation set, usually 8.");
  monitor.integer("summary_images", &MonitorConfig::summaryImages, between(0, 100), "images",
                  "Number of validation images, the first ones, whose predictions are drawn and "
                  "logged as image summaries for TensorBoard at every monitor.predictions_every, "
                  "usually 4 … 8; 0: none. Each picture adds up to 1 MB to the event log.");
  addEventCommandFields(table);
}

void addRuntimeFields(FieldTable& table) {
  SectionRows runtime(
      table, "runtime", "Devices, precision and processes.",
      [](auto& e) -> auto& { return e.runtime; });
  runtime.choice("device", &RuntimeConfig::device, "Device to train on.",
                 "GPUs if there are any that this build has kernels for, else the CPU");
  runtime.integer("workers", &RuntimeConfig::workers, between(0, 65536), "ranks",
                  "Ranks (processes) that share each batch (data-parallel training); 0: one per "
                  "GPU, or one on a CPU.");
  Field& devices = runtime.integers("devices", &RuntimeConfig::devices, atLeast(0), "",
                                    "Indices of the GPUs to use, one per rank; []: all.");
  devices.mayBeEmpty = true;
  runtime.choice("backend", &RuntimeConfig::backend, "Communication backend between ranks.",
                 "nccl if every rank has a GPU of its own, else gloo");
  runtime.choice("precision", &RuntimeConfig::precision,
                 "Precision of the network's computations; weights, norm statistics and losses "
                 "stay fp32.",
                 "bf16 if the device supports it natively (AVX512_BF16, AMX, compute capability "
                 "8.0 or newer), else fp32");
  runtime.flag(
      "deterministic", &RuntimeConfig::deterministic,
      "Restrict cuDNN, cuBLAS and NCCL to deterministic algorithms: the same bits in every "
      "run, at some cost of speed. On a CPU training is always deterministic. Both hold for the "
      "same number of ranks, kind of machine and, on a CPU, runtime.cpu_threads.");
  runtime.integer("seed", &RuntimeConfig::seed, between(0, 9007199254740992.0), "",
                  "Random seed of initialization, data order, augmentation and sampling.");
  runtime.integer("cpu_threads", &RuntimeConfig::cpuThreads, between(0, 1024), "threads",
                  "Compute (intra-op) threads per rank; 0: the cores of the machine divided among "
                  "its ranks. Another number changes the last bits of a CPU's sums.");
  runtime.flag(
      "cuda_graphs", &RuntimeConfig::cudaGraphs,
      "Capture backbone, FPN and RPN head as a CUDA graph for each padded size of a batch "
      "and replay it: faster for small batches, but takes more memory. See augment.pad_to.");
  runtime.integer("max_restarts", &RuntimeConfig::maxRestarts, between(0, 1000), "",
                  "How often a run whose rank failed is restarted from its latest checkpoint.");
  runtime.number("stall_seconds", &RuntimeConfig::stallSeconds, above(0), "s",
                 "A rank without progress for this long counts as stalled, which ends or restarts "
                 "the run. Raise it if single steps take minutes.");
}

}  // namespace

void addRunFields(FieldTable& table) {
  addEvaluationFields(table);
  addCheckpointFields(table);
  addMonitorFields(table);
  addRuntimeFields(table);
}

}  // namespace lockstep::config
