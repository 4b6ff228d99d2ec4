# Builds the peers that are programs of their own, and tells the sources which there are. Included by lab/CMakeLists.txt, outside
# of builds with a sanitizer. ./run installs none of them: lab/setup-peers does.
include(PilferRust)
include(PilferGo)

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  pilfer_rust_peer(rayon rayon 1)
  pilfer_rust_peer(crossbeam crossbeam-deque 0.8)
  pilfer_rust_peer(tokio tokio 1 rt-multi-thread sync)
  set(hyper_also "tokio = { version = \"1\", features = [\"rt-multi-thread\", \"net\"] }")
  pilfer_rust_peer(hyper hyper 0.14 http1 server runtime)
  pilfer_go_peer()
else()
  foreach(peer rayon crossbeam tokio hyper go)
    set(${peer}_program "")
    set(${peer}_missing "only in release builds")
  endforeach()
endif()

# PILFER_LAB_NAME_PROGRAM and _VERSION, and _MISSING: why they are empty.
set(definitions "")
foreach(peer rayon crossbeam tokio hyper go)
  string(TOUPPER "PILFER_LAB_${peer}" prefix)
  if(${peer}_program)
    set(${peer}_missing "")
  endif()
  list(APPEND definitions "${prefix}_PROGRAM=\"${${peer}_program}\"" "${prefix}_VERSION=\"${${peer}_version}\""
       "${prefix}_MISSING=\"${${peer}_missing}\"")
endforeach()
set_source_files_properties(peers/peer_process.cpp serve/contenders.cpp PROPERTIES COMPILE_DEFINITIONS "${definitions}")
if(rayon_program)
  set_source_files_properties(
    schedulers/rayon.cpp PROPERTIES COMPILE_DEFINITIONS
                                    "PILFER_LAB_RAYON_PROGRAM=\"${rayon_program}\";PILFER_LAB_RAYON_VERSION=\"${rayon_version}\"")
endif()
