# How every room is built: C++20, warnings as errors on what is ours, programs into bin/, and four functions.
#   batchscope_room(NAME SOURCES .. [PUBLIC ..] [PRIVATE ..] [PRECOMPILE HEADER..])  a static library batchscope_NAME with include/
#   batchscope_tests(ROOM FAST name.. FULL name.. LINK ..)     ROOM_tests, a Qt Test program, and a test of each name
#   batchscope_precompile(TARGET HEADER..)                     what most of its files include, read once
#   batchscope_unity(TARGET)                                   the files of a folder compiled together (preset dev: one by one)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the tree, so that a second clone or work tree finds what the first has compiled.
  cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH tree)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${tree} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()
find_package(Threads REQUIRED)

function(batchscope_warnings target)
  # gcc 12 sees overlaps and overflows in std::string that are not there (GCC bug 105651), and no longer hides them
  # where the header is precompiled.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wno-unused-parameter
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
  if(BATCHSCOPE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# The standard library's headers that are in nearly every file, and these; none of ours: gcc knows a header of
# `#pragma once` again by its time, and ccache may bring what was precompiled in another checkout.
function(batchscope_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory>
    <mutex> <optional> <random> <span> <sstream> <string> <string_view> <thread> <variant> <vector> ${ARGN})
endfunction()

# Compiles up to twelve files of a folder as one (a unity file), so that their headers are read once. Files of one folder
# share a translation unit: no two of them may give one name to two things, not even in anonymous namespaces.
function(batchscope_unity target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  # A class that holds what is in an anonymous namespace: gcc takes the .cpp for a header, which it is only to it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    math(EXPR count_${group} "${count_${group}} + 1")
    math(EXPR part "(${count_${group}} - 1) / 12")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}${part}")
  endforeach()
endfunction()

function(batchscope_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE;PRECOMPILE" ${ARGN})
  add_library(batchscope_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(batchscope_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include> PRIVATE src)
  target_compile_features(batchscope_${name} PUBLIC cxx_std_20)  # of the headers, also where they are installed
  target_link_libraries(batchscope_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
  batchscope_precompile(batchscope_${name} ${ROOM_PRECOMPILE})
  batchscope_warnings(batchscope_${name})
  batchscope_unity(batchscope_${name})
endfunction()

# ROOM_tests, a program of all the room's test_NAME.cpp, and a test ROOM.NAME of each. Without PRECOMPILE headers are read
# once for all rooms together, by protocol_tests; a room that links what defines macros of its own (more of Qt, LibTorch)
# cannot take part in that.
function(batchscope_tests room)
  cmake_parse_arguments(TESTS "" "TIMEOUT" "FAST;FULL;LINK;INCLUDE;DEFINE;ENVIRONMENT;PRECOMPILE" ${ARGN})
  set(program ${room}_tests)
  set(support ${PROJECT_SOURCE_DIR}/tests/support)
  list(TRANSFORM TESTS_FAST PREPEND test_ OUTPUT_VARIABLE fast_sources)
  list(TRANSFORM TESTS_FULL PREPEND test_ OUTPUT_VARIABLE full_sources)
  list(TRANSFORM fast_sources APPEND .cpp)
  list(TRANSFORM full_sources APPEND .cpp)
  add_executable(${program} ${support}/main.cpp ${fast_sources} ${full_sources})
  set_target_properties(${program} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${program} PRIVATE ${TESTS_LINK} qt_test)
  target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${support} ${TESTS_INCLUDE})
  target_compile_definitions(${program} PRIVATE QT_NO_KEYWORDS ${TESTS_DEFINE})
  if(TESTS_PRECOMPILE OR room STREQUAL protocol)
    batchscope_precompile(${program} <QTest> <nlohmann/json.hpp> ${TESTS_PRECOMPILE})
  else()
    target_precompile_headers(${program} REUSE_FROM protocol_tests)
  endif()
  batchscope_warnings(${program})
  batchscope_unity(${program})
  if(TESTS_FAST)
    add_dependencies(fast ${program})
  endif()
  foreach(tier fast full)
    string(TOUPPER ${tier} TIER)
    foreach(test ${TESTS_${TIER}})
      add_test(NAME ${room}.${test} COMMAND ${program} ${test})
      set_tests_properties(${room}.${test} PROPERTIES LABELS "${room};${tier}" TIMEOUT ${TESTS_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;BATCHSCOPE_BIN=${CMAKE_BINARY_DIR}/bin;${TESTS_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()
