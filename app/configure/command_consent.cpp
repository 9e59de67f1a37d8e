#include "app/configure/command_consent.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QSettings>

#include "widgets/question_dialog.h"

namespace lockstep::app {
namespace {

using widgets::QuestionDialog;

constexpr qsizetype kMaxKnown = 1000;
const QString kKey = QStringLiteral("knownCommands");

struct ConsentText {
  Q_DECLARE_TR_FUNCTIONS(CommandConsent)
};

QString hashOf(const QString& command) {
  return QString::fromLatin1(
      QCryptographicHash::hash(command.toUtf8(), QCryptographicHash::Sha256).toHex());
}

}  // namespace

CommandConsent::CommandConsent(QWidget* window, bool keeps)
    : window_(window),
      keeps_(keeps),
      known_(keeps ? QSettings().value(kKey).toStringList() : QStringList()) {}

bool CommandConsent::mayRun(const config::EventCommands& commands, const QString& name) {
  QStringList unknown, lines;
  for (const auto& [event, text] : commands.byEvent()) {
    const QString command = QString::fromStdString(text);
    if (known_.contains(hashOf(command))) continue;
    unknown << command;
    lines << QString::fromStdString(event) + QStringLiteral(": ") + command;
  }
  if (unknown.isEmpty()) return true;
  QuestionDialog question(
      ConsentText::tr("Run the commands of %1?").arg(name),
      ConsentText::tr("They were not written in this window. They run with your permissions while "
                      "it trains. You are asked once."),
      window_);
  question.setQuote(lines.join(u'\n'));
  const int train =
      question.addAnswer(ConsentText::tr("Train and run them"), QuestionDialog::Kind::Other);
  question.addCancel();
  if (question.ask() != train) return false;
  add(unknown);
  return true;
}

void CommandConsent::add(const QStringList& commands) {
  const QStringList before = known_;
  for (const QString& command : commands)
    if (const QString hash = hashOf(command); !known_.contains(hash)) known_ << hash;
  if (known_ == before) return;
  if (known_.size() > kMaxKnown) known_ = known_.mid(known_.size() - kMaxKnown);
  if (keeps_) QSettings().setValue(kKey, known_);
}

}  // namespace lockstep::app
