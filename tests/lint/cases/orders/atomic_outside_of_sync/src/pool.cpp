#include <pilfer/ext/sync.hpp>
void f() { std::atomic_thread_fence(pilfer::order); }
