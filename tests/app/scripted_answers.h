#pragma once

#include <QEventLoop>
#include <QStringList>
#include <functional>
#include <utility>

#include "app/documents/document_controller.h"

namespace lockstep::tests {

/// Answers questions as scripted and records them.
class ScriptedAnswers : public app::DocumentQuestions {
 public:
  Leaving leaving = Leaving::Cancel;
  Overwriting overwriting = Overwriting::Cancel;
  Training training = Training::Cancel;
  QString place;
  bool waits = false;  ///< for a disk, until it answers
  QStringList asked;
  QString difference, reason, copyName;
  std::function<void()> whileAsked;  ///< called while the next question is open

  Leaving beforeLeaving(const QString& name, bool hasFile) override {
    ask((hasFile ? QStringLiteral("leave ") : QStringLiteral("leave without a file ")) + name);
    return leaving;
  }
  Overwriting beforeOverwriting(const QString& name, const QString& lines) override {
    difference = lines;
    ask(QStringLiteral("overwrite ") + name);
    return overwriting;
  }
  Overwriting beforeOverwritingUnreadable(const QString& name, const QString& why) override {
    reason = why;
    ask(QStringLiteral("overwrite unreadable ") + name);
    return overwriting;
  }
  Training beforeTraining(const QString& name, const QString& copy) override {
    ask(QStringLiteral("train ") + name);
    copyName = copy;
    return training;
  }
  QString askSavePath(const QString&) override {
    ask(QStringLiteral("where"));
    return place;
  }
  void waitForDisk(const QString& path, const jobs::Ending& answer) override {
    ask(QStringLiteral("wait ") + path);
    if (!waits) return;
    QEventLoop loop;
    answer.then(&loop, [&loop] { loop.quit(); });
    loop.exec();
  }

 private:
  void ask(const QString& question) {
    asked << question;
    if (const auto happen = std::exchange(whileAsked, nullptr)) happen();
  }
};

}  // namespace lockstep::tests
