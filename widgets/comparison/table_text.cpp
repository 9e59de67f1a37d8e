#include "widgets/comparison/table_text.h"

#include <QAbstractItemModel>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/base/csv_text.h"
#include "engine/base/number_text.h"

namespace lockstep::widgets {
namespace {

/// A cell of CSV, or of GitHub's Markdown.
QString fieldText(QString text, TableFormat format) {
  if (format == TableFormat::Markdown) return text.replace(u'|', QLatin1String("\\|"));
  return QString::fromStdString(base::csvText(text.toStdString()));
}

/// Whatever the locale.
QString numberText(const QVariant& figure) {
  const double value = figure.toDouble();
  if (!std::isfinite(value)) return {};
  return QString::fromStdString(figure.typeId() == QMetaType::Float
                                    ? base::shortestNumber(figure.toFloat())
                                    : base::shortestNumber(value));
}

QString cellText(const QModelIndex& cell, TableFormat format) {
  const QVariant figure = cell.data(kFigureRole);
  const bool isNumber = format == TableFormat::Csv && figure.isValid();
  return isNumber ? numberText(figure) : fieldText(cell.data().toString(), format);
}

QString lineText(const QStringList& fields, TableFormat format) {
  if (format == TableFormat::Csv) return fields.join(u',') + QLatin1String("\r\n");
  return QLatin1String("| ") + fields.join(QLatin1String(" | ")) + QLatin1String(" |\n");
}

QStringList headings(const QAbstractItemModel& model, TableFormat format) {
  QStringList fields;
  for (int column = 0; column < model.columnCount(); ++column)
    fields << fieldText(model.headerData(column, Qt::Horizontal).toString(), format);
  return fields;
}

bool haveRowNames(const QAbstractItemModel& model) {
  return model.rowCount() > 0 &&
         model.headerData(0, Qt::Vertical).metaType() == QMetaType::fromType<QString>();
}

void appendRows(const QAbstractItemModel& model, const QModelIndex& parent, TableFormat format,
                QString& text) {
  const bool haveNames = !parent.isValid() && haveRowNames(model);
  for (int row = 0; row < std::min(model.rowCount(parent), kMostCopiedRows); ++row) {
    QStringList fields;
    if (haveNames) fields << fieldText(model.headerData(row, Qt::Vertical).toString(), format);
    for (int column = 0; column < model.columnCount(parent); ++column)
      fields << cellText(model.index(row, column, parent), format);
    text += lineText(fields, format);
    appendRows(model, model.index(row, 0, parent), format, text);
  }
}

}  // namespace

QString tableText(const QAbstractItemModel& model, TableFormat format) {
  QStringList first = headings(model, format);
  if (haveRowNames(model)) first.prepend({});
  QString text = lineText(first, format);
  if (format == TableFormat::Markdown)
    text += lineText(QStringList(first.size(), QStringLiteral("---")), format);
  appendRows(model, {}, format, text);
  return text;
}

}  // namespace lockstep::widgets
