#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace subfloor::hlo {

/// The real programs that stand beside the repository, in order of name; empty where they are absent.
inline std::vector<std::filesystem::path> CorpusFiles() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(SUBFLOOR_SOURCE_DIR) / ".." / "shared" / "corpus";
  for (const std::filesystem::path& base :
       {root, std::filesystem::path(SUBFLOOR_SOURCE_DIR) / "../../shared/corpus"}) {
    for (const char* folder : {"programs", "fusions", "large"}) {
      std::error_code absent;
      for (const auto& entry : std::filesystem::directory_iterator(base / folder, absent)) {
        if (entry.path().extension() == ".hlo") files.push_back(entry.path());
      }
    }
    if (!files.empty()) break;
  }
  std::ranges::sort(files);
  return files;
}

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace subfloor::hlo
