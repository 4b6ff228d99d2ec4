#pragma once
#include <atomic>
using word = std::atomic<int>;
