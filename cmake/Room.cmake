# How every room is built: C++20, warnings as errors on what is ours, programs into bin/, and two functions.
#   batchscope_room(NAME SOURCES .. [PUBLIC ..] [PRIVATE ..])  a static library batchscope_NAME with include/
#   batchscope_test(NAME SOURCES .. LINK .. [LABELS ..])       a Qt Test program with ctest labels
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
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${tree} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()
find_package(Threads REQUIRED)

function(batchscope_warnings target)
  # -Wrestrict: gcc 12 sees overlaps in std::string that are not there (GCC bug 105651).
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wno-unused-parameter
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(BATCHSCOPE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(batchscope_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(batchscope_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(batchscope_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include> PRIVATE src)
  target_compile_features(batchscope_${name} PUBLIC cxx_std_20)  # of the headers, also where they are installed
  target_link_libraries(batchscope_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
  batchscope_warnings(batchscope_${name})
endfunction()

function(batchscope_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  find_package(Qt6 REQUIRED COMPONENTS Core Test)
  add_executable(${name} ${TEST_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${TEST_LINK} Qt6::Core Qt6::Test)
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
  batchscope_warnings(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT "${TEST_TIMEOUT}"
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;BATCHSCOPE_BIN=${CMAKE_BINARY_DIR}/bin;${TEST_ENVIRONMENT}")
endfunction()
