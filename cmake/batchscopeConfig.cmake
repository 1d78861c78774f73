# find_package(batchscope): a training program on LibTorch links the target batchscope::batchscope_train, a program with
# its own arithmetic links batchscope::batchscope_replica, and a reader of the store batchscope::batchscope_storage. For
# COMPONENTS replica or storage alone LibTorch is not looked for.
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
