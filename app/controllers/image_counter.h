#pragma once

#include <QObject>
#include <QString>

namespace lockstep::app {

/// Counts usable training images and held-out images in the background, to convert epochs to steps.
class ImageCounter : public QObject {
  Q_OBJECT

 public:
  explicit ImageCounter(QObject* parent = nullptr);

  /// Emits counted() at once with what is known of these files, and again once they are counted.
  /// The same files are not counted twice in a row.
  void count(const QString& trainAnnotations, const QString& valAnnotations);
  bool isCounting() const { return counted_ != counting_; }

 Q_SIGNALS:
  /// 0: unknown.
  void counted(qint64 trainImages, qint64 valImages);

 private:
  QString train_, val_;
  qint64 trainImages_ = 0, valImages_ = 0;
  int counting_ = 0, counted_ = 0;  ///< number of the last count started, and of the last finished
};

}  // namespace lockstep::app
