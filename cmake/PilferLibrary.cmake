# The library: include/ and what of it is not a template. Installable, so that find_package(pilfer) works.
include(GNUInstallDirs)
find_package(Threads REQUIRED)

add_library(pilfer src/sync/futex.cpp src/sync/membarrier.cpp)
add_library(pilfer::pilfer ALIAS pilfer)
target_include_directories(
  pilfer PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(pilfer PUBLIC cxx_std_20)
target_link_libraries(pilfer PUBLIC Threads::Threads)
set_target_properties(pilfer PROPERTIES POSITION_INDEPENDENT_CODE ON)

if(PILFER_INSTALL)
  include(CMakePackageConfigHelpers)
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pilfer")
  install(TARGETS pilfer EXPORT pilfer-targets)
  install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT pilfer-targets NAMESPACE pilfer:: DESTINATION "${package_dir}")
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/pilfer-config-version.cmake" VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
  install(FILES cmake/pilfer-config.cmake "${PROJECT_BINARY_DIR}/pilfer-config-version.cmake"
          DESTINATION "${package_dir}")
endif()
