#include "app/cards/monitor_cards.h"

#include <QCoreApplication>
#include <utility>

#include "engine/config/losses.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;
using Stroke = widgets::Curve::Stroke;

struct CardText {
  Q_DECLARE_TR_FUNCTIONS(Card)
};

CardCurve line(std::string tag, const QString& name) {
  CardCurve curve;
  curve.tag = std::move(tag);
  curve.name = name;
  return curve;
}

CardCurve evaluation(std::string tag, const QString& name, Stroke stroke = Stroke::Automatic) {
  CardCurve curve = line(std::move(tag), name);
  curve.evaluation = true;
  curve.smooth = false;
  curve.stroke = stroke;
  return curve;
}

CardPlan card(const QString& title, std::vector<CardCurve> curves) {
  CardPlan plan;
  plan.title = title;
  plan.curves = std::move(curves);
  plan.emptyText = CardText::tr("Waiting for the first step");
  return plan;
}

CardPlan lossCard(const QString& title, const char* loss) {
  CardPlan plan = card(title, {line(tags::train(loss), CardText::tr("train")),
                               evaluation(tags::eval(loss), CardText::tr("validation"))});
  plan.curves.back().gapToPrevious = true;
  return plan;
}

CardPlan rateCard(const QString& title, std::vector<CardCurve> curves) {
  CardPlan plan = card(title, std::move(curves));
  plan.yMin = 0;
  return plan;
}

CardPlan rankCard(const QString& title, const char* tag) {
  CardPlan plan = rateCard(title, {line(tag, CardText::tr("rank"))});
  plan.columnSpan = 2;
  plan.perRank = true;
  return plan;
}

/// Device metrics of the ranks of one machine, sampled every few seconds.
CardPlan deviceCard(const QString& title, std::vector<CardCurve> curves) {
  CardPlan plan = rateCard(title, std::move(curves));
  plan.columnSpan = 2;
  plan.perGpu = true;
  plan.ignoreOutliers = false;
  plan.emptyText = CardText::tr("No device metrics yet");
  return plan;
}

CardPlan precisionCard(const QString& title, const char* tag) {
  CardPlan plan = rateCard(title, {evaluation(tag, CardText::tr("AP"), Stroke::Run)});
  plan.ignoreOutliers = false;
  plan.emptyText = CardText::tr("No AP yet");
  plan.tip = CardText::tr(
      "On the run's validation images, mean over IoU 0.50 to 0.95. "
      "AP counts only the highest-scoring detections per class and image: the last number of "
      "evaluation.max_dets, by default 100 as in COCO");
  return plan;
}

/// What is looked at first: how the losses and the AP develop.
std::vector<CardPlan> topCards() {
  CardPlan loss = lossCard(CardText::tr("Loss: training and validation"), config::kTotalLoss);
  loss.rowSpan = 2;
  loss.columnSpan = 3;
  loss.curves.back().markLowest = true;
  loss.curves.back().valueName = CardText::tr("validation loss");

  CardPlan masks = precisionCard(CardText::tr("Mask AP"), tags::kMaskAp);
  masks.curves.front().isOfMasks = true;
  return {loss, masks, precisionCard(CardText::tr("Box AP"), tags::kBoxAp)};
}

CardPlan learningRateCard() {
  CardPlan rate =
      rateCard(CardText::tr("Learning rate"), {line(tags::kLearningRate, CardText::tr("lr"))});
  rate.curves.front().smooth = false;
  rate.ignoreOutliers = false;
  return rate;
}

std::vector<CardPlan> lossCards() {
  std::vector<CardPlan> cards(config::kLossCount);
  for (std::size_t i = 0; i < config::kLossCount; ++i) {
    const config::LossFacts& loss = config::kLosses[i];
    CardPlan& plan = cards[static_cast<std::size_t>(loss.card)];
    plan = lossCard(CardText::tr(loss.title), loss.name);
    for (CardCurve& curve : plan.curves) curve.isOfMasks = i == config::indexOf(config::Loss::Mask);
    plan.fullName = CardText::tr("%1 loss (%2)").arg(plan.title, QLatin1String(loss.name));
  }
  return cards;
}

/// What a step consists of; together the step.
std::vector<CardCurve> stepParts() {
  std::vector<CardCurve> parts{line(tags::kDataSeconds, CardText::tr("data")),
                               line(tags::kForwardSeconds, CardText::tr("forward")),
                               line(tags::kBackwardSeconds, CardText::tr("backward")),
                               line(tags::kWaitSeconds, CardText::tr("wait")),
                               line(tags::kOptimizerSeconds, CardText::tr("optimizer"))};
  parts[3].needsRanks = true;
  CardCurve rest = line(tags::kStepSeconds, CardText::tr("other"));
  for (const CardCurve& part : parts) rest.less.push_back(part.tag);
  parts.push_back(rest);
  return parts;
}

std::vector<CardPlan> speedCards() {
  CardPlan time =
      rateCard(CardText::tr("Step time, s"), {line(tags::kStepSeconds, CardText::tr("step")),
                                              line(tags::kDataSeconds, CardText::tr("data"))});
  time.curves.back().stroke = Stroke::Dots;
  time.stack = {line(tags::kDataSeconds, CardText::tr("data")),
                line(tags::kStepSeconds, CardText::tr("compute"))};
  time.stack.back().less = {tags::kDataSeconds};
  time.fineStack = stepParts();
  time.tip = CardText::tr(
      "data: waiting for images; wait: for other ranks; compute: all but data, of runs of "
      "earlier versions");

  CardPlan own = rankCard(CardText::tr("Step time per rank, s"), tags::kRankOwnSeconds);
  own.tip = CardText::tr("Excludes time spent waiting for other ranks");
  return {
      time,
      rateCard(CardText::tr("Images per second"),
               {line(tags::kImagesPerSecond, CardText::tr("images/s"))}),
      rateCard(CardText::tr("Gradient norm"), {line(tags::kGradientNorm, CardText::tr("norm"))}),
      own, rankCard(CardText::tr("Data time per rank, s"), tags::kRankDataSeconds)};
}

std::vector<CardPlan> deviceCards() {
  CardPlan use =
      deviceCard(CardText::tr("Utilization, %"), {line(tags::kGpuUtilisation, CardText::tr("GPU")),
                                                  line(tags::kCpuPercent, CardText::tr("CPU"))});
  use.yMax = 100;
  use.tip = CardText::tr("CPU: percentage of the cores available to the ranks on this machine");
  CardPlan memory = deviceCard(CardText::tr("Device memory, GiB"),
                               {line(tags::kGpuMemoryGib, CardText::tr("GPU")),
                                line(tags::kHostMemoryGib, CardText::tr("host"))});
  memory.tip = CardText::tr(
      "Host: resident memory of the ranks on this machine. GPU: memory used by all processes");
  CardPlan heat = deviceCard(CardText::tr("GPU temperature, \u00b0C"),
                             {line(tags::kGpuTemperature, CardText::tr("GPU"))});
  heat.yMin.reset();
  CardPlan power =
      deviceCard(CardText::tr("GPU power, W"), {line(tags::kGpuPower, CardText::tr("GPU"))});
  heat.needsGpu = power.needsGpu = true;
  return {use, memory, heat, power};
}

}  // namespace

std::vector<CardPlan> monitorCards() {
  std::vector<CardPlan> cards = topCards();
  cards.push_back(learningRateCard());
  for (const auto& group : {lossCards(), speedCards(), deviceCards()})
    cards.insert(cards.end(), group.begin(), group.end());
  return cards;
}

}  // namespace lockstep::app
