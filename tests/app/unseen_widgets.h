#pragma once

#include <QStringList>

class QWidget;

namespace lockstep::tests {

/// Labels and controls of a shown window that are cut, covered or beyond its edge, each as a line.
/// Widgets that can be scrolled to count as seen, except beside a page.
QStringList unseenWidgets(const QWidget& window);

}  // namespace lockstep::tests
