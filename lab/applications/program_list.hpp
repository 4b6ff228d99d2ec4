// Every program, in the order of the tables. To add one: its header, and its name in the list.
#pragma once

#include "lab/applications/bfs.hpp"
#include "lab/applications/classic.hpp"
#include "lab/applications/components.hpp"
#include "lab/applications/convex_hull.hpp"
#include "lab/applications/histogram.hpp"
#include "lab/applications/matmul.hpp"
#include "lab/applications/merge_sort.hpp"
#include "lab/applications/nbody.hpp"
#include "lab/applications/nearest.hpp"
#include "lab/applications/rays.hpp"
#include "lab/applications/sample_sort.hpp"
#include "lab/applications/skynet.hpp"
#include "lab/applications/suffix_array.hpp"
#include "lab/applications/word_count.hpp"

namespace pilfer::lab::applications {

template <class... Programs>
struct type_list {};

using program_list = type_list<fib, integrate, nqueens, uts_t1, uts_t3, skynet,                    //
                               quicksort, merge_sort, sample_sort, matmul, histogram, word_count,  //
                               suffix_array, convex_hull,                                          //
                               bfs_grid, bfs_random, bfs_power_law, components_grid, components_random,
                               components_power_law, nearest, rays, nbody>;

}  // namespace pilfer::lab::applications
