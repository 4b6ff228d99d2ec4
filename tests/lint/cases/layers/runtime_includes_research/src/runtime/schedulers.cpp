#include "../../research/queue_lane.hpp"
#include "lane.hpp"
