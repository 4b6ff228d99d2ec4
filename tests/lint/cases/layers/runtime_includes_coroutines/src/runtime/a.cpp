#include "../sync/futex.hpp"
#include "../coro/b.hpp"
