#pragma once

inline int narrow(long value) { return value; }
