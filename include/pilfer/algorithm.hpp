// All parallel algorithms.
#pragma once

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/filter.hpp>
#include <pilfer/algorithm/find.hpp>
#include <pilfer/algorithm/for.hpp>
#include <pilfer/algorithm/for_2d.hpp>
#include <pilfer/algorithm/histogram.hpp>
#include <pilfer/algorithm/invoke.hpp>
#include <pilfer/algorithm/merge.hpp>
#include <pilfer/algorithm/minmax.hpp>
#include <pilfer/algorithm/options.hpp>
#include <pilfer/algorithm/partition.hpp>
#include <pilfer/algorithm/range.hpp>
#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/algorithm/scan.hpp>
#include <pilfer/algorithm/sort.hpp>
#include <pilfer/algorithm/stable_sort.hpp>
#include <pilfer/algorithm/transform.hpp>
