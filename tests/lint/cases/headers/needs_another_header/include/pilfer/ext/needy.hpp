#pragma once

inline std::size_t size_of_nothing() { return 0; }
