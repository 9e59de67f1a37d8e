#include "widgets/question_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kWidthPx = 460, kQuoteWidthPx = 640, kQuoteHeightPx = 220;

}  // namespace

QuestionDialog::QuestionDialog(const QString& title, const QString& detail, QWidget* parent)
    : QDialog(parent) {
  setObjectName(QStringLiteral("question"));
  setRole(this, "panel");
  setWindowTitle(QStringLiteral("Lockstep"));
  setModal(true);
  setMinimumWidth(scaledPx(kWidthPx));
  auto* heading = new QLabel(title);
  heading->setFont(interfaceFont(14, QFont::DemiBold));
  heading->setWordWrap(true);
  auto* explanation = new QLabel(detail);
  explanation->setWordWrap(true);
  setRole(explanation, "muted");
  // The minimum would be the width of the longest word.
  for (QLabel* text : {heading, explanation}) text->setMinimumWidth(1);
  quote_ = new QPlainTextEdit;
  quote_->setReadOnly(true);
  quote_->setFont(monoFont(12));
  quote_->setLineWrapMode(QPlainTextEdit::NoWrap);
  quote_->hide();
  buttons_ = new QHBoxLayout;
  buttons_->setSpacing(8);
  buttons_->addStretch();

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(8);
  column->addWidget(heading);
  column->addWidget(explanation);
  column->addWidget(quote_, 1);
  column->addSpacing(10);
  column->addLayout(buttons_);
}

void QuestionDialog::setQuote(const QString& text) {
  quote_->setPlainText(text);
  quote_->setMinimumSize(scaledPx(kQuoteWidthPx), scaledPx(kQuoteHeightPx));
  quote_->show();
}

int QuestionDialog::addAnswer(const QString& text, Kind kind) {
  auto* button = new QPushButton(text);
  setRole(button, kind == Kind::Default ? "primary" : kind == Kind::Destructive ? "danger" : "");
  button->setDefault(kind == Kind::Default);
  button->setAutoDefault(kind == Kind::Default);
  // The default answer is at the right end, destructive ones at the left, before the stretch.
  const int place = kind == Kind::Default ? buttons_->count()
                    : kind == Kind::Other ? destructive_ + 1
                                          : destructive_++;
  buttons_->insertWidget(place, button);
  if (kind == Kind::Default) button->setFocus();
  const int number = ++answers_;
  connect(button, &QPushButton::clicked, this, [this, number] { done(number); });
  return number;
}

void QuestionDialog::addCancel() {
  auto* button = new QPushButton(tr("Cancel"));
  button->setAutoDefault(false);
  connect(button, &QPushButton::clicked, this, [this] { done(kCancel); });
  buttons_->insertWidget(buttons_->count() - 1, button);
}

int QuestionDialog::ask() { return exec(); }

}  // namespace lockstep::widgets
