#include "app/runs/open/dismissals.h"

namespace lockstep::app {
namespace {

constexpr qsizetype kMaxDismissals = 500;

}  // namespace

void Dismissals::add(const QString& runFolder, const QString& message) {
  set(runFolder, message);
  Q_EMIT changed();
}

QStringList Dismissals::kept() const {
  QStringList lines;
  for (const QString& run : order_) lines.append(dismissed_[run] + QLatin1Char('\t') + run);
  return lines;
}

void Dismissals::restore(const QStringList& kept) {
  for (const QString& line : kept) {
    const qsizetype tab = line.indexOf(QLatin1Char('\t'));
    if (tab > 0) set(line.mid(tab + 1), line.left(tab));
  }
}

void Dismissals::set(const QString& runFolder, const QString& message) {
  order_.removeAll(runFolder);
  order_.append(runFolder);
  dismissed_[runFolder] = message;
  while (order_.size() > kMaxDismissals) dismissed_.remove(order_.takeFirst());
}

}  // namespace lockstep::app
