# rayon, a peer of `pilfer bench fork-join`: a Rust program built offline from Debian's librust-rayon-dev, in release builds
# only (nobody compares times in others), and only if there is a cargo. Included by lab/CMakeLists.txt.
set(rayon_registry "/usr/share/cargo/registry")
file(GLOB rayon_source "${rayon_registry}/rayon-1.*")
find_program(PILFER_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin")
mark_as_advanced(PILFER_CARGO)
if(NOT rayon_source OR NOT PILFER_CARGO OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  message(STATUS "rayon or cargo not found, or no release build: `pilfer bench fork-join` runs without rayon")
  return()
endif()
list(GET rayon_source 0 rayon_source)
string(REGEX REPLACE ".*/rayon-" "" rayon_version "${rayon_source}")

set(rayon_folder "${CMAKE_CURRENT_BINARY_DIR}/rayon")
set(rayon_program "${rayon_folder}/target/release/pilfer_rayon_peer")
configure_file(peers/rayon/Cargo.toml.in "${rayon_folder}/Cargo.toml" @ONLY)
file(CONFIGURE OUTPUT "${rayon_folder}/.cargo/config.toml" CONTENT [[
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "@rayon_registry@"
]] @ONLY)
# Whether this cargo can build that source is found out here: a peer must not break the build.
execute_process(
  COMMAND "${PILFER_CARGO}" build --quiet --offline --release
  WORKING_DIRECTORY "${rayon_folder}"
  RESULT_VARIABLE rayon_failed
  OUTPUT_QUIET ERROR_QUIET)
if(rayon_failed)
  message(STATUS "rayon ${rayon_version} could not be built: `pilfer bench fork-join` runs without it")
  return()
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/peers/rayon/main.rs")
set_source_files_properties(
  schedulers/rayon.cpp PROPERTIES COMPILE_DEFINITIONS
                                  "PILFER_LAB_RAYON_PROGRAM=\"${rayon_program}\";PILFER_LAB_RAYON_VERSION=\"${rayon_version}\"")
