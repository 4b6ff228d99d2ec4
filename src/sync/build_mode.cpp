#include <pilfer/detail/build_mode.hpp>

#if PILFER_THREAD_SANITIZER
const char pilfer_was_built_without_fsanitize_thread_but_this_program_with_it_so_rebuild_one_of_them = 0;
#else
const char pilfer_was_built_with_fsanitize_thread_but_this_program_without_it_so_rebuild_one_of_them = 0;
#endif
