#pragma once
#include "../src/runtime/lane.hpp"
