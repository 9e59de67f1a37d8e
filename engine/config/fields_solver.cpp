#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addLossWeightFields(FieldTable& table) {
  SectionRows weights(
      table, "solver.loss_weights", "Factors on the five losses in their sum.",
      [](auto& e) -> auto& { return e.solver.lossWeights; });
  for (std::size_t i = 0; i < kLossCount; ++i) {
    const auto weight = [i](auto& all) -> auto& { return all.values[i]; };
    weights.number(kLosses[i].name, weight, atLeast(0), "", kLosses[i].weightHelp);
  }
}

template <typename Rows>
void addOptimizerFields(Rows& solver) {
  solver.choice("optimizer", &SolverConfig::optimizer, {"sgd", "adamw"}, "Rule of the update.");
  solver.number("base_lr", &SolverConfig::baseLr, above(0), "",
                "Learning rate after the warm-up, for the whole batch_size.");
  Field& momentum =
      solver.number("momentum", &SolverConfig::momentum, between(0, 1), "", "Momentum of sgd.");
  momentum.maximumExcluded = true;
  solver.flag("nesterov", &SolverConfig::nesterov, "Nesterov's momentum, for sgd.");
  solver.number("weight_decay", &SolverConfig::weightDecay, atLeast(0), "",
                "Pull of weights towards 0.");
  solver.number("norm_weight_decay", &SolverConfig::normWeightDecay, atLeast(0), "",
                "The same for the weights and biases of norms.");
  solver.number("backbone_lr_factor", &SolverConfig::backboneLrFactor, atLeast(0), "",
                "Factor on the learning rate of the backbone.");
  solver.number("bias_lr_factor", &SolverConfig::biasLrFactor, atLeast(0), "",
                "Factor on the learning rate of biases.");
}

template <typename Rows>
void addScheduleFields(Rows& solver) {
  solver.choice("schedule", &SolverConfig::schedule, {"step", "cosine", "linear", "constant"},
                "How the learning rate falls: by gamma at milestones, along a cosine or a line to "
                "0, or not.");
  solver.durations(
      "milestones", &SolverConfig::milestones, above(0),
      "Steps after which schedule step multiplies the learning rate by gamma, rising.");
  Field& gamma =
      solver.number("gamma", &SolverConfig::gamma, between(0, 1), "", "Factor at each milestone.");
  gamma.minimumExcluded = true;
  solver.duration("warmup_steps", &SolverConfig::warmupSteps, atLeast(0),
                  "Length of the linear rise from warmup_factor times the learning rate; 0: none.");
  solver.number("warmup_factor", &SolverConfig::warmupFactor, between(0, 1), "",
                "Factor on the learning rate at the first step.");
  solver.duration("max_steps", &SolverConfig::maxSteps, above(0), "Length of the training.");
}

}  // namespace

void addSolverFields(FieldTable& table) {
  SectionRows solver(
      table, "solver", "How weights are learnt.", [](auto& e) -> auto& { return e.solver; });
  addOptimizerFields(solver);
  addScheduleFields(solver);
  solver.integer("batch_size", &SolverConfig::batchSize, between(1, 65536), "images",
                 "Images of a step, over all ranks and accumulated parts.");
  solver.integer("accumulate", &SolverConfig::accumulate, between(1, 65536), "parts",
                 "Parts that each rank's share of a step is computed in, one after the other, to "
                 "save memory; each part "
                 "has its own normalisers, as each rank has.");
  solver.number("clip_grad_norm", &SolverConfig::clipGradNorm, atLeast(0), "",
                "Longest gradient over all weights; longer ones are scaled down; 0: off.");
  addLossWeightFields(table);
  Field& decay =
      solver.number("ema_decay", &SolverConfig::emaDecay, between(0, 1), "",
                    "Share of the old value in a running average of the weights, which is then "
                    "what is evaluated and kept as the model; 0: off.");
  decay.maximumExcluded = true;
  solver
      .listOrWord("class_weights", &SolverConfig::classWeights, atLeast(0), {"none", "inverse"},
                  "Factors on the classes in the box head's class loss: one of each, or from how "
                  "often each occurs.")
      .isBuilt = false;
}

}  // namespace lockstep::config
