# Nothing of the library but the choice of an instruction set: it is built where the rest is not.
set_target_properties(limits_bench PROPERTIES LINK_LIBRARIES "dentate_options;Threads::Threads")
target_sources(limits_bench PRIVATE ${PROJECT_SOURCE_DIR}/native/core/cpu.cc)
target_include_directories(limits_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/native)
