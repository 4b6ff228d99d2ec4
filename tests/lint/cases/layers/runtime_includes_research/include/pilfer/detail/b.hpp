#pragma once
#include <pilfer/queue/a.hpp>
#include <pilfer/detail/b.hpp>
