#include "widgets/dataset_view/findings_model.h"

#include <QFileInfo>
#include <QRegularExpression>

#include "engine/base/enum_text.h"
#include "engine/dataset_check/kind_texts.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using dataset_check::Finding;

QString placeOf(const Finding& finding) {
  if (finding.annotationId && finding.imageId)
    return FindingsModel::tr("image %1, object %2")
        .arg(*finding.imageId)
        .arg(*finding.annotationId);
  if (finding.imageId) return FindingsModel::tr("image %1").arg(*finding.imageId);
  if (finding.byte > 0) return FindingsModel::tr("byte %1").arg(finding.byte);
  return QFileInfo(QString::fromStdString(finding.file)).fileName();
}

QString kindOf(const Finding& finding) {
  const char* mark = dataset_check::isFault(finding.kind) ? "●  " : "▲  ";
  return QString::fromUtf8(mark) %
         QString::fromLatin1(base::textOf(finding.kind)).replace(u'_', u' ');
}

/// With file names in the place of paths, which are in the tooltip.
QString shortTextOf(const Finding& finding) {
  static const QRegularExpression folders(QStringLiteral("(?<![^\\s(\"'])/(?:[^\\s/]+/)+"));
  const QFileInfo file(QString::fromStdString(finding.file));
  QString text = QString::fromStdString(finding.text);
  if (!file.fileName().isEmpty()) text.replace(file.filePath(), file.fileName());
  return text.remove(folders);
}

QString tipOf(const Finding& finding) {
  QString tip = QString::fromUtf8(dataset_check::textOf(finding.kind).what) % u'\n' %
                QString::fromStdString(finding.text) % u'\n' % QString::fromStdString(finding.file);
  if (const QString remedy = QString::fromUtf8(dataset_check::textOf(finding.kind).remedy);
      !remedy.isEmpty())
    tip += FindingsModel::tr("\nCleaning: %1").arg(remedy);
  return tip;
}

}  // namespace

void FindingsModel::setFindings(std::vector<Finding> findings) {
  beginResetModel();
  findings_ = std::move(findings);
  endResetModel();
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(findings_.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumns);
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  const Finding& finding = findings_[static_cast<std::size_t>(index.row())];
  const bool isFault = dataset_check::isFault(finding.kind);
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == Kind) return kindOf(finding);
      if (index.column() == Place) return placeOf(finding);
      return shortTextOf(finding);
    case Qt::ToolTipRole:
      return tipOf(finding);
    case Qt::ForegroundRole:
      if (index.column() != Kind) return {};
      return isFault ? currentTheme().error : currentTheme().warning;
    case kIsFaultRole:
      return isFault;
    default:
      return {};
  }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  return section == Kind ? tr("kind") : section == Place ? tr("place") : tr("what was found");
}

}  // namespace lockstep::widgets
