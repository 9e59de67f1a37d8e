#include "widgets/empty_state.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

EmptyState::EmptyState(QWidget* parent) : QWidget(parent) {
  title_ = new QLabel;
  title_->setFont(interfaceFont(16, QFont::DemiBold));
  title_->setAlignment(Qt::AlignHCenter);
  title_->setWordWrap(true);
  cause_ = new QLabel;
  cause_->setAlignment(Qt::AlignHCenter);
  cause_->setWordWrap(true);
  cause_->setMaximumWidth(460);
  cause_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  setRole(cause_, "muted");
  action_ = new QPushButton;
  setRole(action_, "primary");
  otherAction_ = new QPushButton;

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(8);
  column->addStretch(2);
  column->addWidget(title_);
  // Stretches instead of an alignment, so that the text wraps at its maximum width, not at its
  // minimum.
  auto* causeRow = new QHBoxLayout;
  causeRow->addStretch(1);
  causeRow->addWidget(cause_, 100);
  causeRow->addStretch(1);
  column->addLayout(causeRow);
  column->addSpacing(8);
  column->addWidget(action_, 0, Qt::AlignHCenter);
  column->addWidget(otherAction_, 0, Qt::AlignHCenter);
  column->addStretch(3);
  connect(action_, &QPushButton::clicked, this, &EmptyState::actionTriggered);
  connect(otherAction_, &QPushButton::clicked, this, &EmptyState::otherActionTriggered);
}

void EmptyState::setContent(const QString& title, const QString& cause, const QString& action,
                            const QString& otherAction) {
  title_->setText(title);
  cause_->setText(cause);
  cause_->setVisible(!cause.isEmpty());
  action_->setText(action);
  action_->setVisible(!action.isEmpty());
  otherAction_->setText(otherAction);
  otherAction_->setVisible(!otherAction.isEmpty());
}

void EmptyState::setCompact(bool compact) {
  title_->setFont(interfaceFont(compact ? 13 : 16, QFont::DemiBold));
  setRole(action_, compact ? "" : "primary");
}

QString EmptyState::title() const { return title_->text(); }

}  // namespace lockstep::widgets
