#pragma once

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>

#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/field_row.h"
#include "widgets/config_editor/yaml_text.h"

namespace lockstep::tests {

/// An editor in a window, with helpers to use it.
class ConfigEditorBench {
 protected:
  static constexpr const char* kDocument =
      "# An experiment with remarks.\n"
      "name: droplets   # the name\n"
      "base: base.yaml\n"
      "\n"
      "solver:\n"
      "  base_lr: 0.02     # of the paper\n"
      "  # schedule of the small preset\n"
      "  schedule: cosine\n"
      "model: {backbone: resnet18, rpn: {fg_iou: 0.6}}\n";

  widgets::YamlText* yaml() { return editor_->findChild<widgets::YamlText*>(); }
  widgets::ConfigForm* form() { return editor_->findChild<widgets::ConfigForm*>(); }
  widgets::FieldRow* row(const char* key) { return form()->row(key); }
  QLineEdit* line(const char* key) { return row(key)->findChild<QLineEdit*>(); }
  void open(const QString& text) {
    editor_->setDocument(text, folder_->filePath(QStringLiteral("experiment.yaml")));
    QTRY_VERIFY(editor_->isReady());
  }
  /// Whether a label on the page contains these words.
  bool hasLabelWith(const char* words) {
    const auto labels = editor_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && QString(label->text())
                                       .replace(QChar(0x202f), QLatin1Char(' '))
                                       .contains(QString::fromUtf8(words));
    });
  }
  QString document() { return QString::fromUtf8(kDocument); }
  /// Types into a row and moves the focus away.
  void enter(const char* key, const QString& text) {
    line(key)->setFocus();
    line(key)->selectAll();
    QTest::keyClicks(line(key), text);
    QTest::keyClick(line(key), Qt::Key_Return);
  }

  void openWindow() {
    folder_ = std::make_unique<QTemporaryDir>();
    QFile base(folder_->filePath(QStringLiteral("base.yaml")));
    QVERIFY(base.open(QIODevice::WriteOnly));
    base.write("solver:\n  momentum: 0.8\n  base_lr: 0.5\nruntime: {seed: 7}\n");
    base.close();
    editor_ = std::make_unique<widgets::ConfigEditor>();
    editor_->resize(1300, 800);
    editor_->show();
    editor_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(editor_.get()));
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<widgets::ConfigEditor> editor_;
};

}  // namespace lockstep::tests
