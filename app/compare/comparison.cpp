#include "app/compare/comparison.h"

#include <utility>

#include "app/results/mask_sizes.h"
#include "widgets/instances/instance_match.h"

namespace lockstep::app {
namespace {

/// Whose masks they are, and of what size.
QString whyNot(const ComparedResults& of, const coco::MaskSizeError& error) {
  const auto index = of.dataset->findImage(error.image());
  try {
    for (std::size_t i = 0; index && i < of.predictions.size(); ++i) {
      const auto own = of.predictions.at(i).find(error.image());
      if (own == of.predictions.at(i).end()) continue;
      const QString fault = maskSizeFault(own->second, of.dataset->images()[*index]);
      if (fault.isEmpty()) continue;
      return (i == 0 ? Comparison::tr("A cannot be compared: it has %1.")
                     : Comparison::tr("B cannot be compared: it has %1."))
          .arg(fault);
    }
  } catch (const std::exception&) {  // they have changed since: the first error says enough
  }
  return QString::fromUtf8(error.what());
}

/// Blocks; throws nothing.
template <typename Outcome, typename Work>
Outcome outcomeOf(const ComparedResults& of, const Work& work) {
  try {
    return {work(), {}};
  } catch (const coco::MaskSizeError& error) {
    return {{}, whyNot(of, error)};
  } catch (const std::exception& error) {
    return {{}, QString::fromUtf8(error.what())};
  }
}

}  // namespace

Comparison::Comparison(QObject* parent)
    : QObject(parent),
      figuresJob_([this](const Outcome<Figures>& found) {
        if (isWell(found.failure)) figures_ = found.value;
        Q_EMIT figuresFound();
      }),
      objectsJob_([this](const Objects& found) { Q_EMIT objectsFound(found); }),
      matchedJob_([this](const Outcome<Matched>& found) {
        if (isWell(found.failure)) matched_ = found.value;
        Q_EMIT matchedFound();
        findObjects();
        confuse();
      }),
      confusionJob_(
          [this](const Confused& found) { Q_EMIT confusionsFound(found.both, found.score); }),
      listJob_([this](const Listed& found) { Q_EMIT listed(found.title, found.objects); }) {}

bool Comparison::isWell(const QString& failure) {
  if (!failure.isEmpty()) failure_ = failure;
  return failure.isEmpty();
}

void Comparison::clear() {
  figuresJob_.cancel();
  objectsJob_.cancel();
  matchedJob_.cancel();
  confusionJob_.cancel();
  listJob_.cancel();
  compared_.reset();
  figures_.reset();
  matched_.reset();
  failure_.clear();
  stop_.request_stop();
  stop_ = {};
}

void Comparison::start(ComparedResults results, double scoreThreshold) {
  clear();
  compared_ = std::make_shared<const ComparedResults>(std::move(results));
  scoreThreshold_ = scoreThreshold;
  figuresJob_.request([of = compared_, stop = stop_.get_token()] {
    return outcomeOf<Outcome<Figures>>(*of, [&]() -> Figures {
      return widgets::compareResults(*of->dataset, of->predictions[0], of->predictions[1],
                                     of->rules, stop);
    });
  });
  matchedJob_.request([of = compared_] {
    return outcomeOf<Outcome<Matched>>(*of, [&]() -> Matched {
      return std::make_shared<const widgets::MatchedPair>(*of->dataset, of->predictions[0],
                                                          of->predictions[1], of->rules,
                                                          widgets::MatchThresholds().iou);
    });
  });
}

void Comparison::setScoreThreshold(double scoreThreshold) {
  scoreThreshold_ = scoreThreshold;
  if (!compared_) return;
  listJob_.cancel();
  findObjects();
  confuse();
}

void Comparison::findObjects() {
  if (!matched_) return;
  objectsJob_.request([pair = matched_, score = scoreThreshold_]() -> Objects {
    return std::make_shared<const std::vector<widgets::PairedObject>>(pair->objectsAt(score));
  });
}

void Comparison::confuse() {
  if (!matched_) return;
  confusionJob_.request([pair = matched_, score = scoreThreshold_] {
    return Confused{pair->confusionsAt(score), score};
  });
}

void Comparison::list(const QString& title, Find find) {
  if (!matched_) return;
  listJob_.request([pair = matched_, title, find = std::move(find)] {
    return Listed{title, std::make_shared<const std::vector<widgets::PairedObject>>(find(*pair))};
  });
}

bool Comparison::isIdle() const {
  return figuresJob_.isIdle() && objectsJob_.isIdle() && matchedJob_.isIdle() &&
         confusionJob_.isIdle() && listJob_.isIdle();
}

}  // namespace lockstep::app
