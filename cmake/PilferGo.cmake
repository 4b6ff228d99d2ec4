# Go, a peer: lab/peers/go, built offline when the build is configured, as those of PilferRust.cmake.
find_program(PILFER_GO go)
mark_as_advanced(PILFER_GO)

# pilfer_go_peer(): builds lab/peers/go.
#   Sets  go_program and go_version, or go_missing: why there is none.
function(pilfer_go_peer)
  set(go_program "" PARENT_SCOPE)
  set(go_missing "not installed (lab/setup-peers)" PARENT_SCOPE)
  if(NOT PILFER_GO)
    message(STATUS "go not found: no such peer; lab/setup-peers installs it")
    return()
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/go")
  set(program "${folder}/pilfer_go_peer")
  file(MAKE_DIRECTORY "${folder}")
  file(GLOB go_sources "${CMAKE_CURRENT_SOURCE_DIR}/peers/go/*.go")
  # No modules, no proxy, no other toolchain: nothing that could be fetched.
  set(go_environment GO111MODULE=off GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
                     "GOCACHE=${folder}/cache" "GOPATH=${folder}/path")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env ${go_environment} "${PILFER_GO}" build -o "${program}" ${go_sources}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/peers/go"
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
    TIMEOUT 300)
  if(NOT failed)
    execute_process(COMMAND "${program}" --version RESULT_VARIABLE failed OUTPUT_VARIABLE found_version ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(failed)
    file(WRITE "${folder}/build.log" "${said}")
    message(STATUS "the Go peer could not be built: no such peer; see ${folder}/build.log")
    set(go_missing "could not be built" PARENT_SCOPE)
    return()
  endif()
  string(REGEX REPLACE "^go" "" found_version "${found_version}")
  set(go_program "${program}" PARENT_SCOPE)
  set(go_version "${found_version}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${go_sources})
endfunction()
