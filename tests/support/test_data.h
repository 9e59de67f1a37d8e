#pragma once

#include <QString>
#include <filesystem>
#include <string>

namespace lockstep::tests {

/// `relative` in the folder of real datasets, LOCKSTEP_TEST_DATA; empty when missing (the test then
/// skips: QSKIP("LOCKSTEP_TEST_DATA has no droplets")).
std::filesystem::path realData(const std::string& relative);

/// Root of the sources, for files under tests/ and configs/.
std::filesystem::path sourceFolder();

/// A program of this build, e.g. program("lockstep-engine").
QString program(const char* name);

/// Python with torch, torchvision and pycocotools (packaging/setup.sh --dev puts it in .venv);
/// empty when missing.
QString python();

}  // namespace lockstep::tests
