#include "app/models/monitor_cards.h"

#include <string_view>

#include "engine/coco/evaluation/past_limit.h"

namespace lockstep::app {
namespace {

using Stroke = widgets::Curve::Stroke;

CardCurve line(const char* tag, const QString& name) {
  CardCurve curve;
  curve.tag = tag;
  curve.name = name;
  return curve;
}

CardCurve evaluation(const char* tag, const QString& name, Stroke stroke = Stroke::Automatic) {
  CardCurve curve = line(tag, name);
  curve.evaluation = true;
  curve.smooth = false;
  curve.stroke = stroke;
  return curve;
}

CardPlan card(const QString& title, std::vector<CardCurve> curves, int row, int column) {
  CardPlan plan;
  plan.title = title;
  plan.curves = std::move(curves);
  plan.row = row;
  plan.column = column;
  plan.emptyText = QStringLiteral("Waiting for the first step");
  return plan;
}

CardPlan lossCard(const QString& title, const char* head, int row, int column) {
  const std::string name = std::string("loss_") + head;
  CardPlan plan = card(title,
                       {line(("train/" + name).c_str(), QStringLiteral("train")),
                        evaluation(("eval/" + name).c_str(), QStringLiteral("held-out"))},
                       row, column);
  plan.curves.back().gapToPrevious = true;
  return plan;
}

CardPlan rateCard(const QString& title, std::vector<CardCurve> curves, int row, int column) {
  CardPlan plan = card(title, std::move(curves), row, column);
  plan.yLeast = 0;
  return plan;
}

CardPlan rankCard(const QString& title, const char* tag, int row, int column) {
  CardPlan plan = rateCard(title, {line(tag, QStringLiteral("rank"))}, row, column);
  plan.columnSpan = 2;
  plan.perRank = true;
  return plan;
}

/// Curves of what the ranks of this machine use, sampled every few seconds.
CardPlan deviceCard(const QString& title, std::vector<CardCurve> curves, int row, int column) {
  CardPlan plan = rateCard(title, std::move(curves), row, column);
  plan.columnSpan = 2;
  plan.perGpu = true;
  plan.ignoreOutliers = false;
  plan.emptyText = QStringLiteral("No device metrics yet");
  return plan;
}

std::vector<CardPlan> deviceCards() {
  CardPlan use = deviceCard(QStringLiteral("Device use, %"),
                            {line("system/gpuN/utilisation_percent", QStringLiteral("GPU")),
                             line("system/cpu_percent", QStringLiteral("CPU"))},
                            5, 0);
  use.yMost = 100;
  use.tip = QStringLiteral("CPU: of the cores available to the ranks on this machine");
  CardPlan memory = deviceCard(QStringLiteral("Device memory, GiB"),
                               {line("system/gpuN/memory_gib", QStringLiteral("GPU")),
                                line("system/memory_gib", QStringLiteral("host"))},
                               5, 2);
  memory.tip = QStringLiteral(
      "Host: resident memory of the ranks on this machine. GPU: in use by any process");
  CardPlan heat =
      deviceCard(QStringLiteral("GPU temperature, \u00b0C"),
                 {line("system/gpuN/temperature_celsius", QStringLiteral("GPU"))}, 6, 0);
  heat.yLeast.reset();
  CardPlan power = deviceCard(QStringLiteral("GPU power, W"),
                              {line("system/gpuN/power_watts", QStringLiteral("GPU"))}, 6, 2);
  heat.needsGpu = power.needsGpu = true;
  return {use, memory, heat, power};
}

constexpr std::string_view kGpuPrefix = "system/gpuN/";

}  // namespace

std::vector<CardPlan> monitorCards() {
  CardPlan loss = lossCard(QStringLiteral("Loss: training and held-out"), "total", 0, 0);
  loss.rowSpan = 2;
  loss.columnSpan = 3;
  loss.curves.back().markLowest = true;

  CardPlan precision = rateCard(QStringLiteral("AP"),
                                {evaluation("eval/segm/AP", QStringLiteral("mask"), Stroke::Run),
                                 evaluation("eval/bbox/AP", QStringLiteral("box"))},
                                0, 3);
  precision.ignoreOutliers = false;
  precision.emptyText = QStringLiteral("No AP yet: see evaluation.ap_every");
  precision.tip = QString::fromStdString(coco::apLimitText());

  CardPlan rate =
      rateCard(QStringLiteral("Learning rate"), {line("solver/lr", QStringLiteral("lr"))}, 1, 3);
  rate.curves.front().smooth = false;
  rate.ignoreOutliers = false;

  CardPlan time = rateCard(QStringLiteral("Step time, s"),
                           {line("time/step_seconds", QStringLiteral("step")),
                            line("time/data_seconds", QStringLiteral("data"))},
                           3, 1);
  time.curves.back().stroke = Stroke::Dots;

  CardPlan own = rankCard(QStringLiteral("Step time per rank, s"), kOwnSecondsTag, 4, 0);
  own.tip = QStringLiteral("Without the wait for the slowest rank, which every step ends with");

  std::vector<CardPlan> cards{
      loss,
      precision,
      rate,
      lossCard(QStringLiteral("Mask"), "mask", 2, 0),
      lossCard(QStringLiteral("Box"), "box_reg", 2, 1),
      lossCard(QStringLiteral("Class"), "classifier", 2, 2),
      lossCard(QStringLiteral("Objectness"), "objectness", 2, 3),
      lossCard(QStringLiteral("RPN box"), "rpn_box_reg", 3, 0),
      time,
      rateCard(QStringLiteral("Images per second"),
               {line("time/images_per_second", QStringLiteral("images/s"))}, 3, 2),
      rateCard(QStringLiteral("Gradient norm"), {line("solver/grad_norm", QStringLiteral("norm"))},
               3, 3),
      own,
      rankCard(QStringLiteral("Data wait per rank, s"), kDataSecondsTag, 4, 2)};
  for (CardPlan& card : deviceCards()) cards.push_back(std::move(card));
  return cards;
}

bool isOfGpu(const std::string& tag) { return tag.starts_with(kGpuPrefix); }

std::string tagOfGpu(const std::string& tag, int gpu) {
  if (!isOfGpu(tag)) return tag;
  return "system/gpu" + std::to_string(gpu) + "/" + tag.substr(kGpuPrefix.size());
}

std::string tagOfRank(std::string tag, int rank) {
  return tag.replace(std::string("time/rank").size(), 1, std::to_string(rank));
}

}  // namespace lockstep::app
