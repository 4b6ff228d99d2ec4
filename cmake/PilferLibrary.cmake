# The library: include/ and what of it is not a template. Installable, so that find_package(pilfer) works.
include(GNUInstallDirs)
find_package(Threads REQUIRED)

add_library(
  pilfer
  src/coro/fork.cpp
  src/coro/frames.cpp
  src/coro/race.cpp
  src/coro/call.cpp
  src/coro/sync_wait.cpp
  src/coro/timer.cpp
  src/coro/waiter.cpp
  src/runtime/ageing.cpp
  src/runtime/blocking_region.cpp
  src/runtime/crew.cpp
  src/runtime/deque_lane.cpp
  src/runtime/events.cpp
  src/runtime/execution.cpp
  src/runtime/fork_path.cpp
  src/runtime/future.cpp
  src/runtime/injector.cpp
  src/runtime/intake.cpp
  src/runtime/level_queues.cpp
  src/runtime/level_search.cpp
  src/runtime/one_level.cpp
  src/runtime/pending_limit.cpp
  src/runtime/pool.cpp
  src/runtime/pool_stop.cpp
  src/runtime/priority.cpp
  src/runtime/ready_set.cpp
  src/runtime/rest.cpp
  src/runtime/resume.cpp
  src/runtime/runtime.cpp
  src/runtime/schedulers.cpp
  src/runtime/search.cpp
  src/runtime/several_levels.cpp
  src/runtime/sleep.cpp
  src/runtime/stand_in.cpp
  src/runtime/statistics.cpp
  src/runtime/task.cpp
  src/runtime/task_group.cpp
  src/runtime/task_memory.cpp
  src/runtime/task_scope.cpp
  src/runtime/visitors.cpp
  src/runtime/wait.cpp
  src/runtime/wait_graph.cpp
  src/runtime/watchdog.cpp
  src/runtime/worker_loop.cpp
  src/sync/build_mode.cpp
  src/sync/futex.cpp
  src/sync/membarrier.cpp
  src/sync/system_thread.cpp
  src/topology/groups.cpp
  src/topology/hwloc.cpp
  src/topology/sizing.cpp)
add_library(pilfer::pilfer ALIAS pilfer)
target_include_directories(
  pilfer PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(pilfer PUBLIC cxx_std_20)
target_link_libraries(pilfer PUBLIC Threads::Threads)
set_target_properties(pilfer PROPERTIES POSITION_INDEPENDENT_CODE ON)

# Who links our static library links that one too. Its name is enough where every compiler looks, and then the installed package
# holds no path of this machine.
function(pilfer_link_found target include_dir library name)
  get_filename_component(dir "${library}" DIRECTORY)
  if(dir IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    target_link_libraries(${target} PRIVATE ${name})
  else()
    target_link_libraries(${target} PRIVATE "${library}")
  endif()
  target_include_directories(${target} SYSTEM PRIVATE "${include_dir}")
endfunction()

# hwloc knows more machines than the kernel's files tell of; the library works without it.
option(PILFER_USE_HWLOC "Ask hwloc for caches and NUMA nodes, where it is found (2.0 or later)" ON)
if(PILFER_USE_HWLOC)
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  find_path(PILFER_HWLOC_INCLUDE_DIR hwloc.h)
  find_library(PILFER_HWLOC_LIBRARY hwloc)
  mark_as_advanced(PILFER_HWLOC_INCLUDE_DIR PILFER_HWLOC_LIBRARY)
  if(PILFER_HWLOC_INCLUDE_DIR AND PILFER_HWLOC_LIBRARY)
    cmake_push_check_state()
    set(CMAKE_REQUIRED_INCLUDES "${PILFER_HWLOC_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${PILFER_HWLOC_LIBRARY}")
    check_cxx_source_compiles(
      "#include <hwloc.h>
       static_assert(HWLOC_API_VERSION >= 0x00020000);
       int main() { return hwloc_obj_type_is_dcache(HWLOC_OBJ_L3CACHE) ? 0 : 1; }" PILFER_HWLOC_WORKS)
    cmake_pop_check_state()
  endif()
  if(PILFER_HWLOC_WORKS)
    pilfer_link_found(pilfer "${PILFER_HWLOC_INCLUDE_DIR}" "${PILFER_HWLOC_LIBRARY}" hwloc)
    target_compile_definitions(pilfer PRIVATE PILFER_HAS_HWLOC)
  endif()
endif()

# Awaitable files and sockets: io_uring where liburing was found and the kernel permits it, threads otherwise.
add_library(
  pilfer_io
  src/io/address.cpp
  src/io/backend.cpp
  src/io/directory.cpp
  src/io/file_types.cpp
  src/io/folder.cpp
  src/io/operation.cpp
  src/io/poller.cpp
  src/io/ring.cpp
  src/io/ring_source.cpp
  src/io/system_calls.cpp
  src/io/threads.cpp
  src/io/threads_source.cpp
  src/io/transfer.cpp)
add_library(pilfer::io ALIAS pilfer_io)
target_link_libraries(pilfer_io PUBLIC pilfer)
set_target_properties(pilfer_io PROPERTIES EXPORT_NAME io POSITION_INDEPENDENT_CODE ON)
option(PILFER_USE_URING "Use io_uring through liburing, where it is found (2.3 or later)" ON)
if(PILFER_USE_URING)
  find_path(PILFER_URING_INCLUDE_DIR liburing.h)
  find_library(PILFER_URING_LIBRARY uring)
  mark_as_advanced(PILFER_URING_INCLUDE_DIR PILFER_URING_LIBRARY)
  if(PILFER_URING_INCLUDE_DIR AND PILFER_URING_LIBRARY)
    pilfer_link_found(pilfer_io "${PILFER_URING_INCLUDE_DIR}" "${PILFER_URING_LIBRARY}" uring)
    target_compile_definitions(pilfer_io PRIVATE PILFER_HAS_URING)
  endif()
endif()

# Every other scheduler, to compare with. It is told of the rooms of src/runtime/, so it belongs to exactly this library. A program that links it has
# one file of it compiled in, which installs it before main.
add_library(
  pilfer_research research/inversions.cpp research/redirected_lane.cpp research/schedulers.cpp research/signal_exposure.cpp
                  research/signal_line.cpp)
add_library(pilfer::research ALIAS pilfer_research)
target_link_libraries(pilfer_research PUBLIC pilfer)
target_include_directories(pilfer_research PRIVATE "${PROJECT_SOURCE_DIR}")
target_sources(pilfer_research INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/research/installed.cpp>"
                                         "$<INSTALL_INTERFACE:${CMAKE_INSTALL_DATADIR}/pilfer/installed.cpp>")
set_target_properties(pilfer_research PROPERTIES EXPORT_NAME research POSITION_INDEPENDENT_CODE ON)

# A program that is linked with a library of that kind needs the sanitizer's own library. If it is built without, then one symbol is
# missing, whose name says so (include/pilfer/detail/build_mode.hpp), instead of all of the sanitizer's.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[^ ]*thread")
  target_link_options(pilfer INTERFACE -fsanitize=thread)
endif()

set(PILFER_LIBRARY_OPTIONS "" CACHE STRING "Compile options of the libraries alone")
target_compile_options(pilfer PRIVATE ${PILFER_LIBRARY_OPTIONS})
target_compile_options(pilfer_io PRIVATE ${PILFER_LIBRARY_OPTIONS})
target_compile_options(pilfer_research PRIVATE ${PILFER_LIBRARY_OPTIONS})

# As users compile it, it is tested and measured.
pilfer_unity(pilfer FILES 4)
pilfer_unity(pilfer_io FILES 7)
pilfer_unity(pilfer_research)

if(PILFER_INSTALL)
  include(CMakePackageConfigHelpers)
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pilfer")
  install(TARGETS pilfer pilfer_io pilfer_research EXPORT pilfer-targets)
  install(FILES research/installed.cpp DESTINATION "${CMAKE_INSTALL_DATADIR}/pilfer")
  install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT pilfer-targets NAMESPACE pilfer:: DESTINATION "${package_dir}")
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/pilfer-config-version.cmake" VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
  install(FILES cmake/pilfer-config.cmake "${PROJECT_BINARY_DIR}/pilfer-config-version.cmake"
          DESTINATION "${package_dir}")
endif()
