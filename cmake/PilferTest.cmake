# pilfer_add_test(NAME <name> SOURCES <file>... [LIBS <target>...] [LABELS <label>...] [TIMEOUT <seconds>] [EACH] [UNIT <n>]
#                 [ALONE <regex>] [NO_PCH] [OPTIMIZED] [INPUTS <path>...])
#
# An executable <name>_test, linked with the library, our warnings and GoogleTest's main. Each source file is one ctest test,
# ${PILFER_TEST_PREFIX}<name>.<file without _test>: it runs the suites that stand in that file, in a process of its own. A further
# one, <name>.every_test_is_run, fails if a test of the program belongs to none of them.
#   LABELS   `stress`: uses several threads. Two such tests run at the same time, and must pass on a busy machine.
#   TIMEOUT  of one ctest test; 300 seconds unless told, for machines that others use. PILFER_TIMEOUT_FACTOR multiplies it (./test --full, --soak).
#   EACH     one ctest test per GoogleTest test instead, ${PILFER_TEST_PREFIX}<suite>.<test>: each needs a fresh process.
#   UNIT     how many files are compiled together, ALONE: which are not; see pilfer_unity.
#   OPTIMIZED  most of the time is spent in templates of ours: compiled with -O1 under a sanitizer too, which the shared precompiled header is not.
#   INPUTS   the verdict depends on these files and folders only: see pilfer_add_check.
#   LIBS     may bring include folders and libraries. If one brings definitions or compile options, say NO_PCH too.
include(PilferUnity)
find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(PILFER_TIMEOUT_FACTOR 1 CACHE STRING "Multiplies every test's time-out")

# GoogleTest's header and ours take longer to read than most tests take to compile: once per build tree is enough. Without unity
# builds only GoogleTest's, so that each file is known to include what it needs.
set(pilfer_common_headers)
if(PILFER_UNITY)
  set(pilfer_common_headers <pilfer/pilfer.hpp> <pilfer/coro.hpp> <pilfer/io.hpp> <chrono> <thread>)
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/gtest_pch.cpp" CONTENT "// Carries the precompiled header of the tests.\n")
add_library(pilfer_gtest_pch OBJECT "${PROJECT_BINARY_DIR}/gtest_pch.cpp")
target_precompile_headers(pilfer_gtest_pch PRIVATE <gtest/gtest.h> ${pilfer_common_headers})
target_link_libraries(pilfer_gtest_pch PRIVATE pilfer::pilfer pilfer_warnings GTest::gtest_main)

# Under a sanitizer, its options are part of the program.
set(pilfer_sanitizer_options)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(pilfer_sanitizer_options "${PROJECT_SOURCE_DIR}/tests/sanitizer_options.cpp")
endif()

# The tests of a source file, as patterns for --gtest_filter: of its suites, or with EACH of its tests. A suite with parameters
# belongs to the file that instantiates it.
function(pilfer_tests_in source each result)
  file(READ "${source}" text)
  string(REGEX MATCHALL "\n(TEST|TEST_F|TYPED_TEST|INSTANTIATE_TEST_SUITE_P)[(][ \n]*[A-Za-z0-9_]+,[ \n]*[A-Za-z0-9_]+" heads "${text}")
  set(patterns)
  foreach(head IN LISTS heads)
    string(REGEX MATCH "([A-Z_]+)[(][ \n]*([A-Za-z0-9_]+),[ \n]*([A-Za-z0-9_]+)" ignored "${head}")
    if(CMAKE_MATCH_1 STREQUAL "INSTANTIATE_TEST_SUITE_P")
      list(APPEND patterns "${CMAKE_MATCH_2}/${CMAKE_MATCH_3}.*")
    elseif(CMAKE_MATCH_1 STREQUAL "TYPED_TEST")
      list(APPEND patterns "${CMAKE_MATCH_2}/*.*")
    elseif(each)
      list(APPEND patterns "${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
    else()
      list(APPEND patterns "${CMAKE_MATCH_2}.*")
    endif()
  endforeach()
  # Our macros that instantiate a suite.
  string(REGEX MATCHALL "\nPILFER_ON_[A-Z_]+[(][A-Za-z0-9_]+" heads "${text}")
  foreach(head IN LISTS heads)
    string(REGEX REPLACE ".*[(]" "" suite "${head}")
    list(APPEND patterns "*/${suite}.*")
  endforeach()
  list(REMOVE_DUPLICATES patterns)
  set(${result} "${patterns}" PARENT_SCOPE)
  # Another suite in the file is another filter: configure again.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
endfunction()

function(pilfer_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "EACH;NO_PCH;OPTIMIZED" "NAME;TIMEOUT;UNIT;ALONE" "SOURCES;LIBS;LABELS;INPUTS")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pilfer_add_test: NAME and SOURCES are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(PILFER_TIMEOUT_FACTOR GREATER 1)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * (${PILFER_TIMEOUT_FACTOR} + 1)")
  endif()

  set(program ${arg_NAME}_test)
  add_executable(${program} ${arg_SOURCES} ${pilfer_sanitizer_options})
  target_link_libraries(${program} PRIVATE pilfer::pilfer pilfer_warnings GTest::gtest_main ${arg_LIBS})
  if(arg_OPTIMIZED AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${program} PRIVATE -O1)
    set(arg_NO_PCH TRUE)
  endif()
  if(NOT arg_NO_PCH)
    target_precompile_headers(${program} REUSE_FROM pilfer_gtest_pch)
  endif()
  pilfer_unity(${program} FILES "${arg_UNIT}" ALONE "${arg_ALONE}")

  set(properties TIMEOUT ${arg_TIMEOUT})
  set(all_patterns)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    get_filename_component(file "${source}" NAME_WE)
    string(REGEX REPLACE "_test$" "" file "${file}")
    pilfer_tests_in("${path}" ${arg_EACH} patterns)
    list(APPEND all_patterns ${patterns})
    if(arg_EACH)
      foreach(pattern IN LISTS patterns)
        pilfer_add_filtered_test("${pattern}" "${pattern}")
      endforeach()
    elseif(patterns)
      string(REPLACE ";" ":" filter "${patterns}")
      pilfer_add_filtered_test("${arg_NAME}.${file}" "${filter}")
    endif()
  endforeach()
  string(REPLACE ";" ":" filter "${all_patterns}")
  set(name "${PILFER_TEST_PREFIX}${arg_NAME}.every_test_is_run")
  add_test(NAME "${name}" COMMAND ${program} --gtest_list_tests "--gtest_filter=-${filter}")
  set_tests_properties("${name}" PROPERTIES FAIL_REGULAR_EXPRESSION "\n  [A-Za-z0-9_]" LABELS "${arg_LABELS}")
endfunction()

# pilfer_add_check(<test> INPUTS <path>... COMMAND <word>...): a test whose verdict depends on these files and folders of the
# repository only. It runs when one of them has changed since it passed: see scripts/once.
function(pilfer_add_check test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INPUTS;COMMAND")
  add_test(NAME "${test}" COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/once" "${PROJECT_BINARY_DIR}/passed/${test}" ${arg_INPUTS}
                                  -- ${arg_COMMAND})
endfunction()

# For pilfer_add_test, whose variables it uses.
macro(pilfer_add_filtered_test test filter)
  if(arg_INPUTS)
    pilfer_add_check("${PILFER_TEST_PREFIX}${test}" INPUTS ${arg_INPUTS} COMMAND "$<TARGET_FILE:${program}>" "--gtest_filter=${filter}" --gtest_brief=1)
  else()
    add_test(NAME "${PILFER_TEST_PREFIX}${test}" COMMAND ${program} "--gtest_filter=${filter}" --gtest_brief=1)
  endif()
  set_tests_properties("${PILFER_TEST_PREFIX}${test}" PROPERTIES ${properties} LABELS "${arg_LABELS}")
endmacro()
