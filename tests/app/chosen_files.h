#pragma once

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QPointer>
#include <QStringList>
#include <QTimer>
#include <utility>

namespace lockstep::tests {

/// Chooses a file in each of the next dialogs that ask for one, in this order.
class ChosenFiles : public QObject {
 public:
  explicit ChosenFiles(QStringList files) : files_(std::move(files)) {
    connect(&look_, &QTimer::timeout, this, [this] { look(); });
    look_.start(5);
  }
  bool areChosen() const { return files_.isEmpty(); }

 private:
  void look() {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (!dialog || dialog == last_) return;
    last_ = dialog;
    dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(files_.takeFirst());
    if (files_.isEmpty()) look_.stop();
    QTimer::singleShot(5000, dialog, &QFileDialog::reject);  // rather than to wait for ever
    QMetaObject::invokeMethod(dialog, "accept");
  }

  QStringList files_;
  QTimer look_;
  QPointer<QFileDialog> last_;
};

}  // namespace lockstep::tests
