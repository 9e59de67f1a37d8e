#include "widgets/image_view/instance_colour.h"

#include <QCoreApplication>
#include <algorithm>

#include "widgets/image_view/verdict_style.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

QString colourModeName(ColourBy by) {
  switch (by) {
    case ColourBy::Verdict:
      return QCoreApplication::translate("ColourBy", "Colour by verdict");
    case ColourBy::Class:
      return QCoreApplication::translate("ColourBy", "Colour by class");
    case ColourBy::Instance:
      return QCoreApplication::translate("ColourBy", "Colour by instance");
    case ColourBy::Score:
      return QCoreApplication::translate("ColourBy", "Colour by score");
  }
  return {};
}

QColor scoreColour(double score, const Theme& theme) {
  return blend(theme.warning, theme.accent, std::clamp(score, 0.0, 1.0));
}

QColor instanceColour(const InstanceFacts& facts, int classPlace, ColourBy by, const Theme& theme) {
  const bool isMissed = facts.verdict == Verdict::Missed;
  switch (by) {
    case ColourBy::Class:
      return runStyle(classPlace % kRunStyles, theme).color;
    case ColourBy::Instance:
      return runStyle((isMissed ? facts.annotation : facts.detection) % kRunStyles, theme).color;
    case ColourBy::Score:
      if (!isMissed) return scoreColour(facts.score, theme);
      break;
    case ColourBy::Verdict:
      break;
  }
  return verdictColor(facts.verdict, theme);
}

}  // namespace lockstep::widgets
