#include "widgets/image_view/export_button.h"

#include <QAction>
#include <QMenu>

namespace lockstep::widgets {

ExportButton::ExportButton(QWidget* page, ActionPlace place, const QString& prefix) {
  setText(tr("Export  ▾"));
  setToolTip(tr("The image, its masks, the results or a report to a file"));
  setAccessibleName(tr("Export"));
  setPopupMode(QToolButton::InstantPopup);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(this);
  const struct {
    ExportKind kind;
    const char* id;
    QString text;
    QList<QKeySequence> keys;
  } choices[] = {{ExportKind::Picture, "export", tr("Export the image…"), {Qt::CTRL | Qt::Key_E}},
                 {ExportKind::Masks, "export_masks", tr("Export masks of the image…"), {}},
                 {ExportKind::Results, "export_results", tr("Export COCO results…"), {}},
                 {ExportKind::Report, "export_report", tr("Export a report of coco-eval…"), {}}};
  for (const auto& [kind, id, text, keys] : choices) {
    const QByteArray name = (prefix + QLatin1Char('.') + QLatin1String(id)).toLatin1();
    menu->addAction(addNamedAction(page, place, name.constData(), text, keys,
                                   [this, kind = kind] { Q_EMIT requested(kind); }));
  }
  setMenu(menu);
  showKeysOf(this, (prefix + QStringLiteral(".export")).toLatin1().constData());
}

}  // namespace lockstep::widgets
