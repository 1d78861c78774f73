# find_package(batchscope): the target batchscope::batchscope_train is all that a training program links.
include(CMakeFindDependencyMacro)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_dependency(nlohmann_json)
find_dependency(NLopt)
find_dependency(ZLIB)
find_dependency(Torch)
include(${CMAKE_CURRENT_LIST_DIR}/batchscopeTargets.cmake)
