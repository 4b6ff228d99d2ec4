#pragma once
#include <linux/futex.h>
#include <fmt/core.h>
#include "neighbour.hpp"
#include <pilfer/ext/gone.hpp>
