# Peers in Rust: programs of lab/peers, built offline from Debian's librust-*-dev when the build is configured, in release
# builds only (nobody compares times in others), and only if there is a cargo. Each is optional by itself. Included by
# lab/CMakeLists.txt, before PilferPeers.cmake, which tells the sources what there is.
set(rust_registry "/usr/share/cargo/registry")
find_program(PILFER_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin")
mark_as_advanced(PILFER_CARGO)

# pilfer_rust_peer(NAME CRATE VERSION FEATURES...): builds lab/peers/NAME/main.rs with that crate.
#   NAME_also, if it is set, is a line with another crate.
#   Sets  NAME_program and NAME_version, or NAME_missing: why there is none.
function(pilfer_rust_peer peer crate version)
  set(${peer}_program "" PARENT_SCOPE)
  set(${peer}_missing "not installed (lab/setup-peers)" PARENT_SCOPE)
  file(GLOB source "${rust_registry}/${crate}-${version}.*")
  if(NOT source OR NOT PILFER_CARGO)
    message(STATUS "${peer} or cargo not found: no such peer; lab/setup-peers installs it")
    return()
  endif()
  list(GET source 0 source)
  string(REGEX REPLACE ".*/${crate}-" "" found_version "${source}")

  set(features "")
  if(ARGN)
    list(JOIN ARGN "\", \"" features)
    set(features ", features = [\"${features}\"]")
  endif()
  set(peer_dependency "${crate} = { version = \"${version}\"${features} }")
  if(${peer}_also)
    string(APPEND peer_dependency "\n${${peer}_also}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/rust/${peer}")
  configure_file(peers/rust/Cargo.toml.in "${folder}/Cargo.toml" @ONLY)
  file(CONFIGURE OUTPUT "${folder}/.cargo/config.toml" CONTENT [[
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "@rust_registry@"
]] @ONLY)
  file(REMOVE "${folder}/Cargo.lock")  # an older cargo does not read a newer one's
  # Whether this cargo can build that source is found out here: a peer must not break the build. What they share is built once.
  set(target "${CMAKE_CURRENT_BINARY_DIR}/rust/target")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=RUSTFLAGS "CARGO_TARGET_DIR=${target}" "${PILFER_CARGO}" build --quiet
            --offline --release
    WORKING_DIRECTORY "${folder}"
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
    TIMEOUT 300)
  if(failed)
    file(WRITE "${folder}/build.log" "${said}")
    message(STATUS "${crate} ${found_version} could not be built: no such peer; see ${folder}/build.log")
    set(${peer}_missing "could not be built" PARENT_SCOPE)
    return()
  endif()
  set(${peer}_program "${target}/release/pilfer_${peer}_peer" PARENT_SCOPE)
  set(${peer}_version "${found_version}" PARENT_SCOPE)
  file(GLOB rust_sources "${CMAKE_CURRENT_SOURCE_DIR}/peers/${peer}/*.rs" "${CMAKE_CURRENT_SOURCE_DIR}/peers/rust/*.rs")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rust_sources})
endfunction()
