#pragma once
#include <pilfer/detail/b.hpp>
#include <pilfer/queue/c.hpp>
