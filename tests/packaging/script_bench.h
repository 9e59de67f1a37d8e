#pragma once

#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <filesystem>
#include <map>
#include <string>

namespace lockstep::tests {

/// A folder in which a script of packaging/ runs with small scripts in the place of the programs
/// that it starts.
class ScriptBench {
 public:
  struct ProcessResult {
    int status = -1;  ///< -1: it was ended by a signal or did not end
    std::string out, err;
  };

  ScriptBench();

  std::filesystem::path folder() const { return folder_.path().toStdString(); }
  /// Writes a file with its folders.
  void write(const std::string& name, const std::string& text) const;
  /// The same, executable, with a first line for sh.
  void writeProgram(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;  ///< empty when it is not there
  bool has(const std::string& name) const { return std::filesystem::exists(folder() / name); }

  void setVariable(const std::string& name, const std::string& value);
  /// Variables that launchers set here are not those of the script.
  std::unique_ptr<QProcess> start(const std::string& program, const QStringList& arguments) const;
  ProcessResult run(const std::string& program, const QStringList& arguments) const;
  static ProcessResult finish(QProcess& process);

 private:
  QTemporaryDir folder_;
  QProcessEnvironment environment_;
};

/// A file of the sources, as an absolute path.
std::string sourceFile(const std::string& relative);

}  // namespace lockstep::tests
