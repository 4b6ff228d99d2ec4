#pragma once
#include "../src/coro/frames.hpp"
