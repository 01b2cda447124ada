target_include_directories(limits_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
