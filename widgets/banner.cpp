#include "widgets/banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/message_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

Banner::Banner(QWidget* parent) : QFrame(parent) {
  buildUi();
  connectSignals();
  hide();
}

void Banner::buildUi() {
  setObjectName(QStringLiteral("banner"));
  icon_ = new QLabel(QStringLiteral("!"));
  icon_->setObjectName(QStringLiteral("bannerIcon"));
  icon_->setAlignment(Qt::AlignCenter);
  icon_->setFixedSize(20, 20);
  title_ = new QLabel;
  title_->setFont(interfaceFont(13, QFont::DemiBold));
  title_->setTextFormat(Qt::PlainText);
  title_->setWordWrap(true);
  title_->setMinimumWidth(60);  // otherwise the width of its longest word
  detail_ = new MessageText;
  action_ = new QPushButton;
  otherAction_ = new QPushButton;
  copy_ = new QToolButton;
  copy_->setText(tr("Copy"));
  setRole(copy_, "quiet");
  close_ = new QToolButton;
  close_->setText(tr("Dismiss"));
  setRole(close_, "quiet");

  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(title_);
  texts->addWidget(detail_);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 9, 8, 9);
  row->setSpacing(10);
  row->addWidget(icon_, 0, Qt::AlignTop);
  row->addLayout(texts, 1);
  for (QWidget* button : std::initializer_list<QWidget*>{action_, otherAction_, copy_, close_})
    row->addWidget(button, 0, Qt::AlignVCenter);
}

void Banner::connectSignals() {
  connect(action_, &QPushButton::clicked, this, &Banner::actionTriggered);
  connect(otherAction_, &QPushButton::clicked, this, &Banner::otherActionTriggered);
  connect(copy_, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(title() + QLatin1Char('\n') + detail()); });
  connect(close_, &QToolButton::clicked, this, &Banner::dismiss);
}

void Banner::showMessage(Kind kind, const QString& title, const QString& detail,
                         const QString& action, const QString& dismiss) {
  const char* name = kind == Kind::Error ? "error" : kind == Kind::Warning ? "warning" : "info";
  setProperty("kind", QString::fromLatin1(name));
  icon_->setProperty("kind", QString::fromLatin1(name));
  icon_->setText(kind == Kind::Info ? QStringLiteral("i") : QStringLiteral("!"));
  title_->setText(title);
  detail_->setMessage(detail);
  detail_->setVisible(!detail.isEmpty());
  action_->setText(action);
  action_->setVisible(!action.isEmpty());
  setOtherAction({});
  copy_->setVisible(kind == Kind::Error);
  close_->setText(dismiss.isEmpty() ? tr("Dismiss") : dismiss);
  repolish(this);
  repolish(icon_);
  show();
}

void Banner::setOtherAction(const QString& action) {
  otherAction_->setText(action);
  otherAction_->setVisible(!action.isEmpty());
}

void Banner::dismiss() {
  hide();
  Q_EMIT dismissed();
}

QString Banner::title() const { return title_->text(); }
QString Banner::detail() const { return detail_->toPlainText(); }
QString Banner::action() const { return action_->text(); }
QString Banner::otherAction() const { return otherAction_->text(); }

}  // namespace lockstep::widgets
