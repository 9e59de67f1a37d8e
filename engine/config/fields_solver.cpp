#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addLossWeightFields(FieldTable& table) {
  SectionRows weights(
      table, "solver.loss_weights", "Weights of the losses in their sum, loss_total; usually 1.",
      [](auto& e) -> auto& { return e.solver.lossWeights; });
  for (std::size_t i = 0; i < kLossCount; ++i) {
    const auto weight = [i](auto& all) -> auto& { return all.values[i]; };
    weights.number(kLosses[i].name, weight, atLeast(0), "", kLosses[i].weightHelp);
  }
}

template <typename Rows>
void addOptimizerFields(Rows& solver) {
  solver.choice("optimizer", &SolverConfig::optimizer, "Optimizer.");
  solver.number("base_lr", &SolverConfig::baseLr, above(0), "",
                "Learning rate after the warm-up, usually 0.02 with sgd and 16 images or 0.0001 "
                "with adamw. Scale it with batch_size; lower it if the loss diverges.");
  Field& momentum = solver.number("momentum", &SolverConfig::momentum, between(0, 1), "",
                                  "Momentum of sgd, beta1 of adamw; usually 0.9.");
  momentum.maximumExcluded = true;
  solver.flag("nesterov", &SolverConfig::nesterov, "Use Nesterov momentum; for sgd only.");
  solver.number(
      "weight_decay", &SolverConfig::weightDecay, atLeast(0), "",
      "L2 penalty (weight decay) on all trained parameters except those of norms, usually "
      "0.0001; decoupled with adamw, usually 0.05.");
  solver.number(
      "norm_weight_decay", &SolverConfig::normWeightDecay, atLeast(0), "",
      "L2 penalty (weight decay) on the weights and biases of normalization layers; often "
      "0.");
  solver.number(
      "backbone_lr_factor", &SolverConfig::backboneLrFactor, atLeast(0), "",
      "Factor on the learning rate of the backbone, usually 1; lower, such as 0.1, to keep "
      "pretrained weights close to where they started.");
  solver.number("bias_lr_factor", &SolverConfig::biasLrFactor, atLeast(0), "",
                "Factor on the learning rate of biases, usually 1; 2 in Caffe's recipes.");
}

template <typename Rows>
void addScheduleFields(Rows& solver) {
  solver.choice("schedule", &SolverConfig::schedule,
                "How the learning rate decays over max_steps.");
  solver.durations("milestones", &SolverConfig::milestones, above(0),
                   "Steps after which the step schedule multiplies the learning rate by gamma, in "
                   "ascending order; usually 2/3 and 8/9 of max_steps.");
  Field& gamma = solver.number("gamma", &SolverConfig::gamma, between(0, 1), "",
                               "Factor on the learning rate at each milestone, usually 0.1.");
  gamma.minimumExcluded = true;
  solver.duration("warmup_steps", &SolverConfig::warmupSteps, atLeast(0),
                  "Length of the linear warm-up, which starts at warmup_factor times the learning "
                  "rate; usually 500 … 1000 steps, 0: none. Raise it if the loss diverges early.");
  solver.number("warmup_factor", &SolverConfig::warmupFactor, between(0, 1), "",
                "Factor on the learning rate at the first step of the warm-up, usually 0.001.");
  solver.duration(
      "max_steps", &SolverConfig::maxSteps, above(0),
      "Length of the training in optimizer steps (iterations); COCO's 1x schedule is 12 "
      "epochs.");
}

}  // namespace

void addSolverFields(FieldTable& table) {
  SectionRows solver(
      table, "solver", "Optimizer, learning-rate schedule and batch.",
      [](auto& e) -> auto& { return e.solver; });
  addOptimizerFields(solver);
  addScheduleFields(solver);
  solver.integer(
      "batch_size", &SolverConfig::batchSize, between(1, 65536), "images",
      "Images per optimizer step over all ranks and micro-batches, usually 16. Lower it to save "
      "memory; scale base_lr with it.");
  solver.integer(
      "accumulate", &SolverConfig::accumulate, between(1, 65536), "micro-batches",
      "Gradient accumulation: number of micro-batches that each rank processes one after another "
      "per optimizer step, to save memory. Losses are normalized per micro-batch and per rank, so "
      "N micro-batches are not identical to one N times larger batch.");
  solver.number(
      "clip_grad_norm", &SolverConfig::clipGradNorm, atLeast(0), "",
      "Gradient clipping: gradients are scaled down when their L2 norm over all parameters "
      "is above this, usually 1 … 35; 0: off. Use it if the loss jumps or diverges.");
  addLossWeightFields(table);
  Field& decay = solver.number(
      "ema_decay", &SolverConfig::emaDecay, between(0, 1), "",
      "EMA (exponential moving average) of the weights: decay per step, usually 0.999 "
      "… 0.9999; 0: off. The averaged weights are then evaluated and saved.");
  decay.maximumExcluded = true;
  solver.listOrWord(
      "class_weights", &SolverConfig::classWeights, atLeast(0), {"none", "inverse"},
      "Class weights in the box head's classification loss, for rare classes: none, "
      "inverse (of each class's number of objects, 1 on average over the objects), or "
      "a list with one number per class, in the order of their ids. That of "
      "background is 1. The validation loss has them too.");
}

}  // namespace lockstep::config
