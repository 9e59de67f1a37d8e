#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/image_view/explanation_scene.h"

namespace lockstep::widgets {

/// Name of a class.
using ClassNames = std::function<QString(CategoryId)>;

QString explainStepName(ExplainStep step);
/// What the step found in the image, in a few words.
QString explainStepCount(ExplainStep step, const explanation::Explanation& explanation);
/// What the step does.
QString explainStepHelp(ExplainStep step, const explanation::Explanation& explanation);
QString levelName(const explanation::Explanation& explanation, int level);

/// What is known of one object, as rows of name and value.
struct ExplanationFacts {
  QString title;    ///< "droplet 0.97", "missed: droplet"
  QString verdict;  ///< why it was missed; empty: it was not
  std::vector<std::pair<QString, QString>> rows;
};
/// Without one: how to choose one. The verdict of a missed object begins with the sentence() of its
/// reason, as its tool tip. scoreThreshold: of the detections that are shown.
ExplanationFacts factsOf(const ExplainedObject& object, const std::optional<MissedReason>& missed,
                         const explanation::Explanation& explanation, const ClassNames& nameOf,
                         double scoreThreshold);

}  // namespace lockstep::widgets
