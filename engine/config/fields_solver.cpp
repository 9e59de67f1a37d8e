#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addLossWeightFields(FieldTable& table) {
  SectionRows weights(
      table, "solver.loss_weights", "Weights of the losses in their sum, loss_total.",
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
                "Learning rate after the warm-up. Scale it with batch_size; usually 0.02 with sgd "
                "and 16 images, 0.0001 with adamw.");
  Field& momentum = solver.number("momentum", &SolverConfig::momentum, between(0, 1), "",
                                  "Momentum of sgd, beta1 of adamw.");
  momentum.maximumExcluded = true;
  solver.flag("nesterov", &SolverConfig::nesterov, "Nesterov momentum, for sgd.");
  solver.number("weight_decay", &SolverConfig::weightDecay, atLeast(0), "",
                "L2 penalty (weight decay) on all trained parameters but those of norms, decoupled "
                "with adamw; usually 0.0001, with adamw 0.05.");
  solver.number("norm_weight_decay", &SolverConfig::normWeightDecay, atLeast(0), "",
                "L2 penalty (weight decay) on the weights and biases of norms; often 0.");
  solver.number("backbone_lr_factor", &SolverConfig::backboneLrFactor, atLeast(0), "",
                "Factor on the learning rate of the backbone; below 1, such as 0.1, to change "
                "pretrained weights little.");
  solver.number("bias_lr_factor", &SolverConfig::biasLrFactor, atLeast(0), "",
                "Factor on the learning rate of biases; 2 in Caffe's recipes.");
}

template <typename Rows>
void addScheduleFields(Rows& solver) {
  solver.choice("schedule", &SolverConfig::schedule,
                "How the learning rate decays over max_steps.");
  solver.durations("milestones", &SolverConfig::milestones, above(0),
                   "Steps after which schedule step multiplies the learning rate by gamma, rising; "
                   "usually 2/3 and 8/9 of max_steps.");
  Field& gamma = solver.number("gamma", &SolverConfig::gamma, between(0, 1), "",
                               "Factor on the learning rate at each milestone.");
  gamma.minimumExcluded = true;
  solver.duration("warmup_steps", &SolverConfig::warmupSteps, atLeast(0),
                  "Length of the linear warm-up from warmup_factor times the learning rate; 0: "
                  "none. Longer where the loss diverges early.");
  solver.number("warmup_factor", &SolverConfig::warmupFactor, between(0, 1), "",
                "Factor on the learning rate at the first step of the warm-up.");
  solver.duration("max_steps", &SolverConfig::maxSteps, above(0),
                  "Length of the training in optimizer steps (iterations); the 1x schedule is 12 "
                  "epochs of COCO.");
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
      "Images per optimizer step, over all ranks and micro-batches. Scale base_lr with it.");
  solver.integer(
      "accumulate", &SolverConfig::accumulate, between(1, 65536), "micro-batches",
      "Gradient accumulation: micro-batches that each rank computes one after the other for an "
      "optimizer step, to save memory. Each normalises its losses alone, as each rank does.");
  solver.number("clip_grad_norm", &SolverConfig::clipGradNorm, atLeast(0), "",
                "Gradient clipping: gradients whose L2 norm over all parameters is above this are "
                "scaled down to it, usually 1 … 35; 0: off. For losses that jump or diverge.");
  addLossWeightFields(table);
  Field& decay =
      solver.number("ema_decay", &SolverConfig::emaDecay, between(0, 1), "",
                    "EMA of the weights: its decay per step, usually 0.999 … 0.9999; the average "
                    "is then what is evaluated and saved as the model; 0: off.");
  decay.maximumExcluded = true;
  solver
      .listOrWord("class_weights", &SolverConfig::classWeights, atLeast(0), {"none", "inverse"},
                  "Weights of the classes in the box head's classification loss: one of each, or "
                  "the inverse of how often each occurs.")
      .isBuilt = false;
}

}  // namespace lockstep::config
