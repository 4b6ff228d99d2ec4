// Compiled into each program that links pilfer::research with CMake: a static library whose code no file refers to would be left out, and pools
// that static objects make come before any call in main.
#include <pilfer/research.hpp>

namespace {
[[gnu::constructor(150)]] void install_research() { pilfer::research::install(); }
}  // namespace
