#pragma once

#include <QTemporaryDir>
#include <string>

namespace lockstep::tests {

/// The answers of the fake NVML library, for this process and its children. Only one may exist.
class FakeNvml {
 public:
  FakeNvml();
  ~FakeNvml();
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

  /// Replaces the lines, see fake_nvml.cpp, atomically.
  void setAnswers(const std::string& lines) const;
  std::string file() const;
  /// Whether a call has reached a hanging driver.
  bool isWaitedFor() const;

  /// The libraries, and the folder to search for the first one by its name (LD_LIBRARY_PATH).
  static std::string library();
  static std::string oldLibrary();
  static std::string folder();

 private:
  QTemporaryDir folder_;
};

/// A machine with a current driver and two H200, the second one busy.
inline constexpr const char* kTwoGpus =
    "driver 580.65.06\ncuda 13000\n"
    "gpu NVIDIA_H200 GPU-aaaa 90 141312 512 0 31 76000 1 0\n"
    "gpu NVIDIA_H200 GPU-bbbb 90 141312 102400 87 64 612500 4 0\n";

}  // namespace lockstep::tests
