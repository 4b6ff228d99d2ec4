#pragma once

#include <atomic>

inline std::atomic<int> counter;  // std::atomic
