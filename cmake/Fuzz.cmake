# The fuzz targets of tests/fuzz as tests. fuzz.TARGET.seeds reads typical input and earlier finds, within seconds.
# fuzz.TARGET searches for some seconds from the same seed every time, so that a find belongs to the change at hand.
# `./dev soak fuzz` searches from other seeds for as long as you like. All need clang's libFuzzer, which the project's own
# compiler does not have, so the targets are their own project, built here.
include(ExternalProject)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

find_program(CLANGXX clang++)
execute_process(COMMAND ${CLANGXX} -print-resource-dir OUTPUT_VARIABLE CLANG_RESOURCES OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
file(GLOB LIBFUZZER ${CLANG_RESOURCES}/lib/linux/libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a)
if(NOT CLANGXX OR NOT LIBFUZZER)
  message(STATUS "There is no clang++ with libFuzzer (Debian: clang, libclang-rt-dev): the fuzz tests are left out")
  return()
endif()

set(fuzz_source ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
set(fuzz_build ${CMAKE_BINARY_DIR}/fuzz)
ExternalProject_Add(fuzz
  SOURCE_DIR ${fuzz_source}
  BINARY_DIR ${fuzz_build}
  CMAKE_ARGS -DCMAKE_CXX_COMPILER=${CLANGXX} -DCMAKE_UNITY_BUILD=${CMAKE_UNITY_BUILD}
  BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> -j 1  # the outer build counts this as one job
  BUILD_ALWAYS ON
  INSTALL_COMMAND "")

file(GLOB targets CONFIGURE_DEPENDS ${fuzz_source}/*.cpp)
foreach(source ${targets})
  cmake_path(GET source STEM target)
  set(seeds ${fuzz_source}/seeds/${target})
  add_test(NAME fuzz.${target}.seeds COMMAND ${fuzz_build}/bin/fuzz_${target} -runs=0 ${seeds})
  set_tests_properties(fuzz.${target}.seeds PROPERTIES LABELS "fuzz;full" TIMEOUT 60)
  add_test(NAME fuzz.${target}
    COMMAND ${Python3_EXECUTABLE} ${fuzz_source}/search.py ${fuzz_build} ${target} --seconds 5 --seed 1)
  set_tests_properties(fuzz.${target} PROPERTIES LABELS "fuzz;full" TIMEOUT 120)
endforeach()
