// Everything.
#pragma once

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/statistics.hpp>
