// Everything.
#pragma once

#include <pilfer/algorithm.hpp>
#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/per_worker.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>
