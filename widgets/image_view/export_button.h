#pragma once

#include <QToolButton>

#include "widgets/named_action.h"

namespace lockstep::widgets {

/// What of ShownResults can be written to files.
enum class ExportKind { Picture, Masks, Results, Report };

/// A button with a menu of what a page exports, which are named actions: PREFIX.export_masks and
/// the like, and PREFIX.export with Ctrl+E for the first.
class ExportButton : public QToolButton {
  Q_OBJECT

 public:
  /// `page`: where the keys work.
  ExportButton(QWidget* page, ActionPlace place, const QString& prefix);

 Q_SIGNALS:
  void requested(lockstep::widgets::ExportKind kind);
};

}  // namespace lockstep::widgets
