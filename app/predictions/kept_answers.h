#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "app/engines/image_part.h"
#include "engine/base/file_version.h"

namespace lockstep::app {

/// An image's file when it was predicted.
struct SeenFile {
  QString file;
  base::FileVersion version{};
};
/// As they are now. Blocks.
std::vector<SeenFile> seenNow(const QStringList& files);

/// Predictions that an engine was asked for and that no run folder keeps: of one image, or of
/// opened files.
struct KeptAnswer {
  ImagePart part = ImagePart::HeldOut;
  qint64 step = 0;
  std::optional<qint64> image{};  ///< nullopt: of `files`, as the engine was given them
  QStringList files{};
  QString path{};                ///< of the answer, as PredictionsStore::readAnswer() takes it
  std::vector<SeenFile> seen{};  ///< of its images; of find() those that are the same still
};

/// Keeps them over restarts, in a folder of the user's own; the oldest go when they take too much
/// room. Without a folder nothing is kept. For any thread; what touches files blocks.
class KeptAnswers {
 public:
  explicit KeptAnswers(const QString& folder = {}) : folder_(folder) {}
  /// Beside the folder of drafts; none if that is empty.
  static KeptAnswers beside(const QString& draftFolder);
  bool isNone() const { return folder_.isEmpty(); }

  /// A run between two resumes: after one, its checkpoints of the same steps are others.
  struct Attempt {
    QString runFolder;
    double created = 0;
    int attempt = 0;
  };
  /// Where an answer is kept; another one to the same question replaces it. Touches no file.
  QString pathOf(const Attempt& run, const KeptAnswer& asked) const;
  /// Copies the answer. One that cannot be written is lost with the window, as it is shown anyway.
  void keep(const Attempt& run, const KeptAnswer& asked, const QString& answer) const;
  /// The oldest first.
  std::vector<KeptAnswer> find(const Attempt& run) const;

  /// For a picture that has no file of its own; empty: nothing is kept.
  QString newPicturePath() const;
  /// Other files are left alone.
  void removePictures(const QStringList& files) const;

 private:
  QString folderOf(const Attempt& run) const;
  void makeRoom() const;

  QString folder_;
};

}  // namespace lockstep::app
