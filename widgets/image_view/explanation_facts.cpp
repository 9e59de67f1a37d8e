#include "widgets/image_view/explanation_facts.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockstep::widgets {
namespace {

using explanation::BoxXywh;
using explanation::Explanation;

/// The finest level of the pyramid is P2.
constexpr int kFinestLevel = 2;

struct ExplanationText {
  Q_DECLARE_TR_FUNCTIONS(ExplanationFacts)
};

/// A number as text, without the minus of one that rounds to zero.
QString number(double value, int decimals = 2) {
  const QString text = QString::number(value, 'f', decimals);
  return text.toDouble() == 0 && text.startsWith(u'-') ? text.sliced(1) : text;
}

QString sizeText(const BoxXywh& box) {
  return ExplanationText::tr("%1 × %2 px").arg(number(box[2], 0), number(box[3], 0));
}

QString className(const explanation::ClassScore& likely, const ClassNames& nameOf) {
  return likely.category ? nameOf(*likely.category) : ExplanationText::tr("background");
}

/// How far the middle of a box moves, and what it then shares with the object; nullptr: there is
/// none.
QString moveText(const BoxXywh& from, const BoxXywh& to, const explanation::Truth* truth) {
  const double right = to[0] + to[2] / 2 - from[0] - from[2] / 2;
  const double down = to[1] + to[3] / 2 - from[1] - from[3] / 2;
  const QString moved = ExplanationText::tr("%1, moved by %2, %3 px")
                            .arg(sizeText(to), number(right, 1), number(down, 1));
  return truth == nullptr ? moved
                          : ExplanationText::tr("%1; box IoU %2 with the object")
                                .arg(moved, number(iouOf(truth->box, to)));
}

const explanation::Truth* truthOf(const ExplainedObject& object, const Explanation& of) {
  return object.truth < 0 ? nullptr : &of.truths[static_cast<std::size_t>(object.truth)];
}

/// Of the mask, in its box.
QString maskText(const std::string& mask) {
  constexpr unsigned char kHalf = 127;
  const auto inside = std::ranges::count_if(
      mask, [](char byte) { return static_cast<unsigned char>(byte) > kHalf; });
  return ExplanationText::tr("%1 % of its box")
      .arg(100 * static_cast<double>(inside) / static_cast<double>(mask.size()), 0, 'f', 0);
}

void addMatches(int truth, const Explanation& of, ExplanationFacts& facts) {
  if (truth < 0) return;
  std::size_t count = 0;
  double best = 0;
  for (const explanation::Anchor& anchor : of.anchors) {
    if (anchor.truth != truth) continue;
    ++count;
    best = std::max(best, anchor.iou);
  }
  facts.rows.emplace_back(ExplanationText::tr("anchors matched"),
                          ExplanationText::tr("%1, best IoU %2").arg(count).arg(number(best)));
}

/// `name`: of the proposal.
void addProposal(const QString& name, const explanation::Proposal& proposal,
                 const explanation::Truth* truth, const Explanation& of, ExplanationFacts& facts) {
  facts.rows.emplace_back(ExplanationText::tr("anchor"),
                          ExplanationText::tr("%1, %2, score %3")
                              .arg(levelName(of, proposal.level), sizeText(proposal.anchor),
                                   number(proposal.score, 3)));
  facts.rows.emplace_back(name, moveText(proposal.anchor, proposal.box, truth));
}

void addDetection(const explanation::Detection& found, const explanation::Truth* truth,
                  const Explanation& of, const ClassNames& nameOf, ExplanationFacts& facts) {
  const explanation::Proposal& proposal = of.proposals[static_cast<std::size_t>(found.proposal)];
  addProposal(ExplanationText::tr("proposal"), proposal, truth, of, facts);
  QStringList classes;
  for (const explanation::ClassScore& likely : found.classes)
    classes << className(likely, nameOf) % QLatin1Char(' ') % number(likely.score, 3);
  facts.rows.emplace_back(ExplanationText::tr("classes"), classes.join(QStringLiteral(", ")));
  facts.rows.emplace_back(ExplanationText::tr("refined box"),
                          moveText(proposal.box, found.detection.boxXywh, truth));
  if (!found.mask.empty())
    facts.rows.emplace_back(ExplanationText::tr("mask"), maskText(found.mask));
  if (found.detection.mask.height > 0)
    facts.rows.emplace_back(ExplanationText::tr("pasted"),
                            ExplanationText::tr("%1 px").arg(coco::areaPx(found.detection.mask)));
}

ExplanationFacts factsOfDetection(const ExplainedObject& object, const Explanation& of,
                                  const ClassNames& nameOf) {
  const explanation::Detection& found = of.detections[static_cast<std::size_t>(object.detection)];
  ExplanationFacts facts;
  facts.title =
      nameOf(found.detection.categoryId) % QLatin1Char(' ') % number(found.detection.score);
  addMatches(object.truth, of, facts);
  addDetection(found, truthOf(object, of), of, nameOf, facts);
  return facts;
}

/// The stage that lost an object without a prediction. `nearest`: its best proposal; nullptr: none
/// overlaps it. scoreThreshold: the page leaves out detections below it.
QString whereLost(const explanation::Proposal* nearest, double iou, const Explanation& of,
                  double scoreThreshold) {
  if (nearest == nullptr || iou < kFoundIou)
    return ExplanationText::tr("no proposal has a box IoU of %1 with it: the RPN did not find it")
        .arg(number(kFoundIou, 1));
  if (nearest->best.score <= of.scoreThreshold)
    return ExplanationText::tr("it was proposed, but the box head classified it as background");
  if (nearest->best.score < scoreThreshold)
    return ExplanationText::tr(
               "it was proposed and classified, but its score %1 is below the score threshold %2")
        .arg(number(nearest->best.score, 3), number(scoreThreshold));
  return ExplanationText::tr(
      "it was proposed and classified: look at its class and at the detections beside it, which "
      "may have taken its place");
}

void addNearestProposal(const explanation::Truth& truth, const MissedReason& missed,
                        const Explanation& of, const ClassNames& nameOf, double scoreThreshold,
                        ExplanationFacts& facts) {
  const int at = bestProposalFor(truth.box, of);
  const auto* nearest = at < 0 ? nullptr : &of.proposals[static_cast<std::size_t>(at)];
  if (missed.kind == MissedReason::Kind::NoneNear) {
    const double iou = nearest == nullptr ? 0 : iouOf(truth.box, nearest->box);
    facts.verdict += QStringLiteral("; ") % whereLost(nearest, iou, of, scoreThreshold);
  }
  if (nearest == nullptr) return;
  addProposal(ExplanationText::tr("nearest proposal"), *nearest, &truth, of, facts);
  facts.rows.emplace_back(
      ExplanationText::tr("most likely class"),
      className(nearest->best, nameOf) % QLatin1Char(' ') % number(nearest->best.score, 3));
}

ExplanationFacts factsOfMissed(const ExplainedObject& object, const MissedReason& missed,
                               const Explanation& of, const ClassNames& nameOf,
                               double scoreThreshold) {
  const explanation::Truth& truth = *truthOf(object, of);
  ExplanationFacts facts;
  facts.title = ExplanationText::tr("missed: %1").arg(nameOf(truth.category));
  facts.verdict = sentence(missed, nameOf);
  addMatches(object.truth, of, facts);
  if (object.detection >= 0) {
    addDetection(of.detections[static_cast<std::size_t>(object.detection)], &truth, of, nameOf,
                 facts);
  } else {
    addNearestProposal(truth, missed, of, nameOf, scoreThreshold, facts);
  }
  facts.verdict += QLatin1Char('.');
  return facts;
}

}  // namespace

QString explainStepName(ExplainStep step) {
  switch (step) {
    case ExplainStep::Anchors:
      return ExplanationText::tr("Anchors matched");
    case ExplainStep::Scores:
      return ExplanationText::tr("RPN scores per level");
    case ExplainStep::Proposals:
      return ExplanationText::tr("Proposals");
    case ExplainStep::Boxes:
      return ExplanationText::tr("Boxes");
    case ExplainStep::Mask:
      return ExplanationText::tr("Mask in its box");
    case ExplainStep::PastedMask:
      return ExplanationText::tr("Pasted mask");
  }
  return {};
}

QString explainStepCount(ExplainStep step, const Explanation& of) {
  std::int64_t anchors = 0, matched = 0;
  for (const explanation::Level& level : of.levels) {
    anchors += level.anchors;
    matched += level.matched;
  }
  switch (step) {
    case ExplainStep::Anchors:
      return of.truths.empty() ? ExplanationText::tr("no objects")
                               : ExplanationText::tr("%1 of %2").arg(matched).arg(anchors);
    case ExplainStep::Scores:
      return ExplanationText::tr("%n level(s)", "", static_cast<int>(of.levels.size()));
    case ExplainStep::Proposals:
      return QString::number(of.proposalCount);
    case ExplainStep::Boxes:
    case ExplainStep::PastedMask:
      return QString::number(of.detections.size());
    case ExplainStep::Mask:
      return of.maskSide > 0 ? ExplanationText::tr("%1 × %1").arg(of.maskSide)
                             : ExplanationText::tr("no mask head");
  }
  return {};
}

QString explainStepHelp(ExplainStep step, const Explanation& of) {
  switch (step) {
    case ExplainStep::Anchors:
      return ExplanationText::tr(
                 "Positive anchors of training: those with an IoU of %1 or more with an object, or "
                 "else the best one of the object.")
          .arg(of.foregroundIou);
    case ExplainStep::Scores:
      return ExplanationText::tr(
          "Objectness at each location of each level: the highest score of the anchors there.");
    case ExplainStep::Proposals:
      return ExplanationText::tr(
          "Proposals after box regression and NMS. The fainter, the lower the score.");
    case ExplainStep::Boxes:
      return ExplanationText::tr(
          "Detections of the box head: class and refined box of each proposal.");
    case ExplainStep::Mask:
      return ExplanationText::tr(
          "Mask probability of each pixel of a box; below 0.5 it is fainter.");
    case ExplainStep::PastedMask:
      return ExplanationText::tr("The mask at the size of the image, thresholded at 0.5.");
  }
  return {};
}

QString levelName(const Explanation& of, int level) {
  const explanation::Level& its = of.levels[static_cast<std::size_t>(level)];
  return ExplanationText::tr("P%1 (%2 × %3)")
      .arg(level + kFinestLevel)
      .arg(its.width)
      .arg(its.height);
}

ExplanationFacts factsOf(const ExplainedObject& object, const std::optional<MissedReason>& missed,
                         const Explanation& of, const ClassNames& nameOf, double scoreThreshold) {
  if (missed && object.truth >= 0)
    return factsOfMissed(object, *missed, of, nameOf, scoreThreshold);
  if (object.detection >= 0) return factsOfDetection(object, of, nameOf);
  return {ExplanationText::tr("No object chosen"),
          ExplanationText::tr(
              "Click one in the image, or press Up and Down there, to highlight what led to it."),
          {}};
}

}  // namespace lockstep::widgets
