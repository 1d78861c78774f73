# The fuzz targets of tests/fuzz as tests: fuzz.TARGET.seeds reads what once was found and typical input, in
# seconds; fuzz.TARGET looks for more for as many, in the same way every time, so that what it finds belongs to the
# change at hand, and `./dev soak fuzz` in other ways for as long as one likes. All want clang's
# libFuzzer, which the project's own compiler has not, so the targets are a project of their own, built here.
include(ExternalProject)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

find_program(CLANGXX clang++)
execute_process(COMMAND ${CLANGXX} -print-resource-dir OUTPUT_VARIABLE CLANG_RESOURCES OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
file(GLOB LIBFUZZER ${CLANG_RESOURCES}/lib/linux/libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a)
if(NOT CLANGXX OR NOT LIBFUZZER)
  message(STATUS "No clang++ with libFuzzer (Debian: clang, libclang-rt-14-dev): no fuzz tests")
  return()
endif()

set(fuzz_source ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
set(fuzz_build ${CMAKE_BINARY_DIR}/fuzz)
ExternalProject_Add(fuzz
  SOURCE_DIR ${fuzz_source}
  BINARY_DIR ${fuzz_build}
  CMAKE_ARGS -DCMAKE_CXX_COMPILER=${CLANGXX} -DCMAKE_UNITY_BUILD=${CMAKE_UNITY_BUILD}
  BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> -j 1  # what builds it counts it as one job
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
