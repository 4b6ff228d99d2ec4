# pilfer_unity(<target> [FILES <n>] [ALONE <regex>] [ACROSS_FOLDERS])
#
# Compiles the sources of a target folder by folder, at most <n> files (8 unless told) as one translation unit: most of the time
# of a small file is spent on the headers it shares with its neighbours. Names in the anonymous namespaces of a folder must
# therefore be unique. Files that match <regex>, and files with compile options of their own, are compiled alone.
# With ACROSS_FOLDERS a unit holds files of several folders.
# Only with PILFER_UNITY; the clang preset is built without it, so that every file is known to compile alone, too.
include_guard()
option(PILFER_UNITY "Compile the files of a folder as one translation unit" ON)

function(pilfer_unity target)
  if(NOT PILFER_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "ACROSS_FOLDERS" "FILES;ALONE" "")
  if(NOT arg_FILES)
    set(arg_FILES 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes an included file for a header that several files share.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "[.]cpp$" OR (arg_ALONE AND source MATCHES "${arg_ALONE}"))
      continue()
    endif()
    set(folder all)
    if(NOT arg_ACROSS_FOLDERS)
      get_filename_component(folder "${source}" DIRECTORY)
    endif()
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    if(NOT DEFINED count_of_${group})
      set(count_of_${group} 0)
    endif()
    math(EXPR part "${count_of_${group}} / ${arg_FILES}")
    math(EXPR count_of_${group} "${count_of_${group}} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}_${part}")
  endforeach()
endfunction()
