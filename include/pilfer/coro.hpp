// Coroutines: everything about them.
#pragma once

#include <pilfer/coro/channel.hpp>
#include <pilfer/coro/fork.hpp>
#include <pilfer/coro/future.hpp>
#include <pilfer/coro/mutex.hpp>
#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/semaphore.hpp>
#include <pilfer/coro/spawn.hpp>
#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/timer.hpp>
#include <pilfer/coro/when_all.hpp>
#include <pilfer/coro/when_any.hpp>
