#include "app/configure/range_test_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "widgets/config_editor/range_test_curve.h"
#include "widgets/literal_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {

QString learningRateText(double learningRate) { return QString::number(learningRate, 'g', 3); }

RangeTestDialog::RangeTestDialog(const QString& run, std::vector<config::RangeTestStep> steps,
                                 const QString& experiment, QWidget* parent)
    : QDialog(parent) {
  setObjectName(QStringLiteral("rangeTestResult"));
  setWindowTitle(tr("Learning rate"));
  setAttribute(Qt::WA_DeleteOnClose);
  widgets::setRole(this, "panel");
  const auto found = config::suggestLearningRates(steps);
  learningRate_ = found ? found->baseLr : 0;
  auto* heading = new QLabel(
      found ? tr("%1 is a learning rate to start from").arg(learningRateText(learningRate_))
            : tr("The test found no learning rate"));
  heading->setFont(widgets::interfaceFont(14, QFont::DemiBold));
  auto* text = new QLabel(
      found ? tr("%1: the loss over a learning rate that rises from step to step, and its smoothed "
                 "average. solver.base_lr is half of where the loss has begun to rise again, with "
                 "a warm-up.")
                  .arg(run)
            : tr("%1: the loss diverged too early, or there are too few steps.").arg(run));
  text->setWordWrap(true);
  widgets::setRole(text, "muted");
  auto* curve = new widgets::RangeTestCurve;
  curve->setSteps(std::move(steps));
  auto* use = new QPushButton(
      experiment.isEmpty() ? tr("Open an experiment to use it")
                           : tr("Set solver.base_lr of %1").arg(widgets::literalText(experiment)));
  use->setObjectName(QStringLiteral("useLearningRate"));
  use->setEnabled(found && !experiment.isEmpty());
  use->setDefault(true);
  widgets::setRole(use, "primary");
  auto* close = new QPushButton(tr("Close"));
  close->setAutoDefault(false);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addStretch();
  buttons->addWidget(close);
  buttons->addWidget(use);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(8);
  column->addWidget(heading);
  column->addWidget(text);
  column->addWidget(curve, 1);
  column->addLayout(buttons);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  connect(use, &QPushButton::clicked, this, [this] {
    Q_EMIT learningRateChosen(learningRate_);
    accept();
  });
}

}  // namespace lockstep::app
