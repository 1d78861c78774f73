# find_package(batchscope): the target batchscope::batchscope_train is all that a training program on LibTorch links,
# batchscope::batchscope_replica all that one with arithmetic of its own does, and batchscope::batchscope_storage all
# that is needed to read the store; for COMPONENTS replica or storage alone LibTorch is not looked for.
include(CMakeFindDependencyMacro)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(SQLiteCpp)
find_dependency(ZLIB)
if(NOT batchscope_FIND_COMPONENTS STREQUAL storage)
  find_dependency(NLopt)
  find_dependency(OpenSSL COMPONENTS Crypto)
  if(NOT batchscope_FIND_COMPONENTS STREQUAL replica)
    find_dependency(Torch)
  endif()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/batchscopeTargets.cmake)
