#pragma once

#include <cstddef>

inline std::size_t size_of_something() { return 1; }
