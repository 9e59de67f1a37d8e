#include "widgets/plots/event_marks.h"

#include <QCoreApplication>
#include <QPolygonF>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using enum EventMark::Kind;

constexpr double kGapPx = 9, kFromEdgePx = 4, kRowPx = 9;

struct EventMarkText {
  Q_DECLARE_TR_FUNCTIONS(CurvePlot)
};

QPainterPath outline(const QPolygonF& corners) {
  QPainterPath path;
  path.addPolygon(corners);
  path.closeSubpath();
  return path;
}

}  // namespace

QString markName(EventMark::Kind kind) {
  switch (kind) {
    case Checkpoint:
      return EventMarkText::tr("checkpoint");
    case Evaluation:
      return EventMarkText::tr("evaluation");
    case LearningRate:
      return EventMarkText::tr("learning-rate step");
    case Resume:
      return EventMarkText::tr("resume");
    case Fork:
      return EventMarkText::tr("fork");
    case Alert:
      return EventMarkText::tr("alert");
  }
  return {};
}

QPainterPath markShape(EventMark::Kind kind) {
  QPainterPath path;
  switch (kind) {
    case Checkpoint:
      return outline({{-3.5, 3}, {0, -3.5}, {3.5, 3}});
    case Evaluation:
      path.addEllipse(QPointF(), 3, 3);
      return path;
    case LearningRate:
      return outline({{-3.5, -3}, {0, 3.5}, {3.5, -3}});
    case Resume:
      return outline({{-3, -3.5}, {3.5, 0}, {-3, 3.5}});
    case Fork:
      return outline({{0, -4}, {4, 0}, {0, 4}, {-4, 0}});
    case Alert:
      path.addRect(-3, -3, 6, 6);
      return path;
  }
  return path;
}

QColor markColor(EventMark::Kind kind, const Theme& theme) {
  switch (kind) {
    case Alert:
      return theme.warning;
    case Resume:
    case Fork:
      return theme.accent;
    case LearningRate:
      return theme.textMuted;
    case Checkpoint:
    case Evaluation:
      break;
  }
  return theme.textFaint;
}

QString markSign(EventMark::Kind kind) {
  constexpr QChar kSigns[] = {u'▲', u'●', u'▼', u'▶', u'◆', u'■'};
  return QString(kSigns[static_cast<std::size_t>(kind)]);
}

std::vector<EventMark::Kind> markKinds(const std::vector<EventMark>& marks) {
  std::set<EventMark::Kind> kinds;
  for (const EventMark& mark : marks) kinds.insert(mark.kind);
  return {kinds.begin(), kinds.end()};
}

std::vector<PlacedMarks> placeMarks(const std::vector<EventMark>& marks, const PixelMap& toX) {
  std::map<EventMark::Kind, std::vector<double>, std::greater<>> byKind;
  for (const EventMark& mark : marks) byKind[mark.kind].push_back(toX(mark.x));
  std::set<double> takenLow, takenHigh;
  std::vector<PlacedMarks> placed;
  for (const auto& [kind, places] : byKind) {
    const bool isRoutine = kind <= Evaluation;
    std::set<double>& taken = isRoutine ? takenLow : takenHigh;
    PlacedMarks own{kind, {}, kFromEdgePx + (isRoutine ? 0 : kRowPx)};
    for (const double px : places) {
      const auto next = taken.lower_bound(px - kGapPx);
      if (next != taken.end() && *next < px + kGapPx) continue;
      taken.insert(px);
      own.x.push_back(px);
    }
    placed.push_back(std::move(own));
  }
  return placed;
}

}  // namespace lockstep::widgets
