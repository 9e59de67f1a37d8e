#include "app/models/run_filter.h"

#include "app/models/run_list_model.h"

namespace lockstep::app {

bool RunFilter::setText(const QString& text) {
  const bool isExpression =
      text.size() > 2 && text.startsWith(QLatin1Char('/')) && text.endsWith(QLatin1Char('/'));
  const QRegularExpression expression(
      isExpression ? text.mid(1, text.size() - 2) : QRegularExpression::escape(text.trimmed()),
      QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid()) return false;
  expression_ = expression;
  return true;
}

bool RunFilter::accepts(const QModelIndex& run) const {
  const QString text = run.data(RunListModel::NameRole).toString() + QLatin1Char(' ') +
                       run.data(RunListModel::StateTextRole).toString() + QLatin1Char(' ') +
                       run.data(RunListModel::ProgramRole).toString();
  return expression_.match(text).hasMatch();
}

}  // namespace lockstep::app
