#include "app/runs/list/run_columns.h"

#include <QCollator>
#include <QDateTime>
#include <QLocale>
#include <cmath>

#include "app/runs/list/run_facts.h"
#include "app/runs/list/run_list_model.h"
#include "app/text/metric_text.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

auto role(int role) {
  return [role](const QModelIndex& run) { return run.data(role); };
}

/// Of a number that is 0 where there is none.
auto positive(int role) {
  return [role](const QModelIndex& run) {
    const QVariant value = run.data(role);
    return value.toDouble() > 0 ? value : QVariant();
  };
}

QString plainText(const QVariant& value) {
  return value.metaType().id() == QMetaType::QStringList
             ? value.toStringList().join(QStringLiteral(", "))
             : value.toString();
}

QString dateText(const QVariant& seconds) {
  const auto time = QDateTime::fromMSecsSinceEpoch(std::llround(seconds.toDouble() * 1000));
  return QLocale(QLocale::English).toString(time, QStringLiteral("d MMM yyyy, HH:mm"));
}

QString lengthText(const QVariant& seconds) { return widgets::durationText(seconds.toDouble()); }

/// `mask AP 0.512`
QString bestCell(const QModelIndex& run) {
  if (!run.data(RunListModel::BestValueRole).isValid()) return {};
  return metricText(run.data(RunListModel::BestMetricRole).toString()) + u' ' +
         widgets::rateText(run.data(RunListModel::BestValueRole).toDouble());
}

/// A column whose cells show its value.
RunColumn column(const char* id, const QString& title, RunColumn::Value value, auto text) {
  const auto cell = [value, text](const QModelIndex& run) {
    const QVariant known = value(run);
    return known.isValid() ? text(known) : QString();
  };
  return {QString::fromLatin1(id), title, value, cell};
}

std::vector<RunColumn> makeColumns() {
  RunColumn best{QStringLiteral("best"), QObject::tr("Best"), role(RunListModel::BestValueRole),
                 bestCell};
  return {
      column("run", QObject::tr("Run"), role(RunListModel::NameRole), plainText),
      column("state", QObject::tr("State"), role(RunListModel::StateTextRole), plainText),
      column("step", QObject::tr("Step"), positive(RunListModel::StepRole), plainText),
      column("time_left", QObject::tr("Time left"), role(RunListModel::EtaRole), lengthText),
      std::move(best),
      column("date", QObject::tr("Started"), positive(RunListModel::CreatedRole), dateText),
      column("duration", QObject::tr("Duration"), role(RunListModel::DurationRole), lengthText),
      column("fork_of", QObject::tr("Fork of"), role(RunListModel::ForkOfRole), plainText),
      column("tags", QObject::tr("Tags"), role(RunListModel::TagsRole), plainText),
      column("note", QObject::tr("Note"), role(RunListModel::NoteRole), plainText),
      column("program", QObject::tr("Program"), role(RunListModel::ProgramRole), plainText),
  };
}

bool isNumber(const QVariant& value) {
  const int type = value.metaType().id();
  return type == QMetaType::Double || type == QMetaType::Int || type == QMetaType::LongLong ||
         type == QMetaType::Bool;
}

bool isNone(const QVariant& value) {
  return !value.isValid() || (!isNumber(value) && plainText(value).isEmpty());
}

}  // namespace

const std::vector<RunColumn>& standardColumns() {
  static const std::vector<RunColumn> columns = makeColumns();
  return columns;
}

RunColumn configColumn(const RunFacts& facts, const QString& key) {
  const auto value = [&facts, key](const QModelIndex& run) -> QVariant {
    const Facts* known = facts.find(run.data(RunListModel::FolderRole).toString());
    const QString* text = known ? known->config(key) : nullptr;
    if (!text) return {};
    bool isNumeric = false;
    const double number = text->toDouble(&isNumeric);
    return isNumeric ? QVariant(number) : QVariant(*text);
  };
  const auto text = [&facts, key](const QModelIndex& run) {
    const Facts* known = facts.find(run.data(RunListModel::FolderRole).toString());
    const QString* own = known ? known->config(key) : nullptr;
    return own ? *own : QString();
  };
  return {key, key, value, text};
}

RunColumn metricColumn(const RunFacts& facts, const QString& tag) {
  const auto value = [&facts, tag](const QModelIndex& run) -> QVariant {
    const Facts* known = facts.find(run.data(RunListModel::FolderRole).toString());
    const auto last = known ? known->metric(tag) : std::nullopt;
    return last ? QVariant(*last) : QVariant();
  };
  const auto text = [value](const QModelIndex& run) {
    const QVariant last = value(run);
    return last.isValid() ? widgets::valueText(last.toDouble()) : QString();
  };
  return {tag, tag, value, text};
}

int compareValues(const QVariant& a, const QVariant& b) {
  if (isNone(a) || isNone(b)) return static_cast<int>(isNone(a)) - static_cast<int>(isNone(b));
  if (isNumber(a) && isNumber(b)) {
    const double x = a.toDouble(), y = b.toDouble();
    return static_cast<int>(x > y) - static_cast<int>(x < y);
  }
  static const QCollator collator = [] {
    QCollator made(QLocale(QLocale::English));
    made.setNumericMode(true);
    made.setCaseSensitivity(Qt::CaseInsensitive);
    return made;
  }();
  const int order = collator.compare(plainText(a), plainText(b));
  return order != 0 ? order : plainText(a).compare(plainText(b));
}

}  // namespace lockstep::app
