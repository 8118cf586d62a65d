# Checks that are not unit tests: tidy, scenarios, simulation, whole clusters.
# Nothing is listed by hand: a file put into its folder is a test from the next configuration on.
set(YM_PYTHON /usr/bin/python3)
# Reports of single test cases, for the count at the end of ./dev test (tools/count_results).
set(YM_RESULTS ${CMAKE_BINARY_DIR}/results)

add_test(NAME lint/tidy COMMAND ${YM_PYTHON} ${CMAKE_SOURCE_DIR}/tools/tidy)
set_tests_properties(lint/tidy PROPERTIES TIMEOUT 30 LABELS lint)

# A file of pytest cases as one entry. What follows are its seconds, and properties of the test.
function(ym_pytest name file seconds)
  string(REPLACE "/" "-" report ${name})
  add_test(NAME ${name} COMMAND ${YM_LAUNCH} ${YM_PYTHON} -m pytest -q -p no:cacheprovider
    --junitxml=${YM_RESULTS}/${report}.xml ${file})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "YM_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};PYTHONDONTWRITEBYTECODE=1" ${ARGN})
  ym_limit(${name} ${seconds})
endfunction()

file(GLOB tool_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/*_test.py)
foreach(file ${tool_tests})
  get_filename_component(stem ${file} NAME_WE)
  ym_pytest(lint/${stem} ${file} 60 LABELS lint)
endforeach()

# Real daemons on one machine: one such file at a time, beside the unit tests.
foreach(suite cluster cli parity clients faults bench)
  file(GLOB files CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/tests/${suite}/test_*.py ${CMAKE_SOURCE_DIR}/tests/${suite}/*_test.py)
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    ym_pytest(${suite}/${stem} ${file} 600 LABELS cluster RESOURCE_LOCK cluster)
  endforeach()
endforeach()

if(TARGET scenario_runner)
  file(GLOB scenarios CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/scenario/*.txt)
  foreach(file ${scenarios})
    get_filename_component(stem ${file} NAME_WE)
    add_test(NAME scenario/${stem} COMMAND ${YM_LAUNCH} $<TARGET_FILE:scenario_runner> ${file})
    set_tests_properties(scenario/${stem} PROPERTIES LABELS scenario)
    ym_limit(scenario/${stem} 60)
  endforeach()
endif()

if(TARGET yardmaster-sim)
  add_test(NAME sim/seeds COMMAND ${YM_LAUNCH} $<TARGET_FILE:yardmaster-sim> --seed 1 --seeds 300)
  set_tests_properties(sim/seeds PROPERTIES LABELS sim)
  ym_limit(sim/seeds 300)
endif()

# Replays of workloads, compared with other simulators.
file(GLOB sim_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/sim/test_*.py)
foreach(file ${sim_tests})
  get_filename_component(stem ${file} NAME_WE)
  ym_pytest(sim/${stem} ${file} 900 LABELS sim)
endforeach()

include(packaging/install.cmake)
