#pragma once

#include <QStringList>

#include "app/controllers/document_controller.h"

namespace lockstep::tests {

/// A person whose answers are known beforehand, and what they were asked.
class ScriptedAnswers : public app::DocumentQuestions {
 public:
  Leaving leaving = Leaving::Cancel;
  Overwriting overwriting = Overwriting::Cancel;
  Training training = Training::Cancel;
  QString place;
  QStringList asked;
  QString difference, copyName;

  Leaving beforeLeaving(const QString& name) override {
    asked << QStringLiteral("leave ") + name;
    return leaving;
  }
  Overwriting beforeOverwriting(const QString& name, const QString& lines) override {
    asked << QStringLiteral("overwrite ") + name;
    difference = lines;
    return overwriting;
  }
  Training beforeTraining(const QString& name, const QString& copy) override {
    asked << QStringLiteral("train ") + name;
    copyName = copy;
    return training;
  }
  QString whereToSave(const QString&) override {
    asked << QStringLiteral("where");
    return place;
  }
};

}  // namespace lockstep::tests
