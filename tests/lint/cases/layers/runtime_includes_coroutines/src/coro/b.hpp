#pragma once
#include "../runtime/c.hpp"
