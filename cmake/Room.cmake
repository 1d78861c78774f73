# The build of every room: C++20, warnings as errors in our code, programs in bin/, and these functions.
#   batchscope_room(NAME SOURCES .. [PUBLIC ..] [PRIVATE ..] [PRECOMPILE KIND] [COMPUTES])
#                                                              a static library batchscope_NAME with include/
#   batchscope_tests(ROOM FAST name.. FULL name.. LINK ..)     ROOM_tests, a Qt Test program, and a test of each name
#   batchscope_precompiled(KIND [LINK ..] [DEFINE ..] [HEADERS ..])  the standard library, JSON and these, read once for
#   batchscope_precompile(TARGET KIND)                         all of a kind: plain, qt, torch, and in tests test
#   batchscope_computes(SOURCE...)                             compiled with -O3, as a room is that COMPUTES
#   batchscope_unity(TARGET)                                   the files of a target compiled together (preset dev: one by one)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Most code waits for processes, disks, people and LibTorch. gcc compiles it with -Og in two fifths of the time of -O3.
set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG")
# gcc collects garbage again and again, which takes up to a fifth of the time. It must not do so below 1.5 GB. This makes a process
# larger by 7 to 20 %, at most 2 GB.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1500000>")

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

# The headers that most files of a kind include, precompiled once for all of them, with only the definitions of LINK: gcc rejects them
# for a target that lacks one of these. Our own headers are not among them: gcc recognises a header with `#pragma once` by its time,
# and ccache may deliver what was precompiled in another checkout.
function(batchscope_precompiled kind)
  cmake_parse_arguments(KIND "" "" "LINK;DEFINE;HEADERS" ${ARGN})
  add_library(precompiled_${kind} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(precompiled_${kind} PRIVATE ${KIND_LINK})
  target_compile_definitions(precompiled_${kind} PRIVATE ${KIND_DEFINE})
  target_precompile_headers(precompiled_${kind} PRIVATE <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory>
    <mutex> <optional> <random> <span> <sstream> <string> <string_view> <thread> <variant> <vector> <nlohmann/json.hpp>
    ${KIND_HEADERS})
  batchscope_warnings(precompiled_${kind})  # gcc accepts them only with the same warnings
endfunction()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")
batchscope_precompiled(plain)

function(batchscope_precompile target kind)
  target_precompile_headers(${target} REUSE_FROM precompiled_${kind})
  target_compile_options(${target} PRIVATE -fPIC)  # programs too: gcc accepts precompiled headers only with the same flag
endfunction()

# Compiles up to 30 files of a target as one (a unity file; where there are many cores, CMAKE_UNITY_BUILD_BATCH_SIZE says fewer), so
# that their headers and templates are read once. No two files of a target may give one name to two things, not even in anonymous
# namespaces. Targets in BATCHSCOPE_APART are compiled file by file all the same: tools/mutants.py changes one file at a time.
function(batchscope_unity target)
  if(${target} IN_LIST BATCHSCOPE_APART)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 30)
  endif()
  # Since CMake 3.31 the output of moc would be the first of them, with all headers of the target.
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_UNITY_BUILD)
    # A class may hold a type from an anonymous namespace: gcc takes the included .cpp for a header, and would warn.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Marks source files with the inner loops of a step, a chart or a simulation. They use no precompiled headers: gcc would take the
# level of optimisation, and -ffp-contract, from these and not from the command line.
function(batchscope_computes)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

function(batchscope_room name)
  cmake_parse_arguments(ROOM "COMPUTES" "PRECOMPILE" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(batchscope_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(batchscope_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include> PRIVATE src)
  target_compile_features(batchscope_${name} PUBLIC cxx_std_20)  # of the headers, also where they are installed
  target_link_libraries(batchscope_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
  if(ROOM_COMPUTES)
    target_compile_options(batchscope_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
  elseif(ROOM_PRECOMPILE)
    batchscope_precompile(batchscope_${name} ${ROOM_PRECOMPILE})
  else()
    batchscope_precompile(batchscope_${name} plain)
  endif()
  batchscope_warnings(batchscope_${name})
  batchscope_unity(batchscope_${name})
endfunction()

# Adds ROOM_tests, a program of all the room's test_NAME.cpp, and a test ROOM.NAME of each. By default it uses the precompiled headers
# of the kind `test`. Tests that link Qt's Gui have macros that change Qt Test's headers, and list their own.
function(batchscope_tests room)
  cmake_parse_arguments(TESTS "" "TIMEOUT" "FAST;FULL;LINK;INCLUDE;DEFINE;ENVIRONMENT;PRECOMPILE" ${ARGN})
  set(program ${room}_tests)
  set(support ${PROJECT_SOURCE_DIR}/tests/support)
  list(TRANSFORM TESTS_FAST PREPEND test_ OUTPUT_VARIABLE fast_sources)
  list(TRANSFORM TESTS_FULL PREPEND test_ OUTPUT_VARIABLE full_sources)
  list(TRANSFORM fast_sources APPEND .cpp)
  list(TRANSFORM full_sources APPEND .cpp)
  add_executable(${program} ${support}/main.cpp ${fast_sources} ${full_sources})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  foreach(source ${fast_sources} ${full_sources})
    # moc reads only the test: under AUTOMOC it would also read all that a test includes, which takes 3 s for LibTorch.
    string(REGEX REPLACE cpp$ moc moc ${source})
    qt6_generate_moc(${source} ${moc})
    target_sources(${program} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${moc})
  endforeach()
  target_link_libraries(${program} PRIVATE ${TESTS_LINK} qt_test)
  target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR} ${support} ${TESTS_INCLUDE})
  target_compile_definitions(${program} PRIVATE QT_NO_KEYWORDS ${TESTS_DEFINE})
  if(NOT TESTS_PRECOMPILE)
    set(TESTS_PRECOMPILE test)
  endif()
  if(TARGET "precompiled_${TESTS_PRECOMPILE}")
    batchscope_precompile(${program} ${TESTS_PRECOMPILE})
  else()
    target_precompile_headers(${program} PRIVATE ${TESTS_PRECOMPILE})
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
