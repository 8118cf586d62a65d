# The programs and the rooms that each one is composed of.
set(command_rooms cli)
# In the order of a day: what users type.
set(YM_COMMANDS sbatch srun salloc sattach squeue sinfo scancel scontrol sstat sbcast sacct sprio sdiag strigger scrontab swait)
foreach(command ${YM_COMMANDS})
  ym_program(${command} STATIC MAIN cli/${command}/main.cc LINKS ${command_rooms} DEST bin)
endforeach()
ym_program(yardmaster  MAIN cli/yardmaster/main.cc     LINKS cli DEST bin)
ym_program(slurmctld   MAIN daemon/slurmctld/main.cc   LINKS daemon DEST sbin)
ym_program(slurmd      MAIN daemon/slurmd/main.cc      LINKS daemon DEST sbin)
ym_program(sackd       MAIN daemon/sackd/main.cc       LINKS daemon DEST sbin)
ym_program(yardmaster-sim   MAIN sim/main.cc                  LINKS sim DEST bin)
ym_program(scenario_runner  MAIN sim/scenario_runner/main.cc  LINKS sim DEST bin)
ym_program(slurmstepd  STATIC MAIN daemon/slurmstepd/main.cc  LINKS shepherd DEST sbin)
ym_program(slurm-bcast STATIC MAIN daemon/slurm-bcast/main.cc LINKS bcast DEST sbin)
ym_program(slurm-x11 STATIC MAIN daemon/slurm-x11/main.cc     LINKS x11 DEST sbin)
if(TARGET slurmd)
  target_link_libraries(slurmd PRIVATE hwloc)  # nobody else looks at the hardware
  add_dependencies(daemon_test slurmd slurmstepd)  # which it starts
endif()

# PMIx's server for --mpi=pmix; without libpmix-dev there is none, and srun --mpi=list says so.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PMIX QUIET IMPORTED_TARGET pmix>=4)
endif()
if(PMIX_FOUND)
  ym_program(slurm-pmix MAIN daemon/slurm-pmix/main.cc LINKS shepherd DEST sbin)
  target_include_directories(slurm-pmix SYSTEM PRIVATE ${PMIX_INCLUDE_DIRS})
  target_link_directories(slurm-pmix PRIVATE ${PMIX_LIBRARY_DIRS})
  target_link_libraries(slurm-pmix PRIVATE pmix)
endif()

# Benchmarks of the whole; bench/run starts them, tests use the load, too.
add_executable(load ${CMAKE_SOURCE_DIR}/bench/load.cc)
target_link_libraries(load PRIVATE ym_wire ym_net ym_model)
add_executable(abuse ${CMAKE_SOURCE_DIR}/bench/abuse.cc)
target_link_libraries(abuse PRIVATE ym_wire ym_net ym_model)
add_executable(drive ${CMAKE_SOURCE_DIR}/bench/drive.cc)  # bench/versus; knows nothing of ours
target_link_libraries(drive PRIVATE ym_flags)
add_executable(hot_paths ${CMAKE_SOURCE_DIR}/bench/hot_paths.cc)  # bench/instructions counts them
target_link_libraries(hot_paths PRIVATE ym_daemon ym_cli)
# valgrind 3.19 does not understand DWARF 5, but wants to know where a function begins.
add_custom_command(TARGET hot_paths POST_BUILD COMMAND objcopy --strip-debug $<TARGET_FILE:hot_paths>)
add_executable(mock EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/mock.cc)
target_link_libraries(mock PRIVATE ym_wire ym_net ym_model)
add_executable(noop ${CMAKE_SOURCE_DIR}/bench/noop.cc)
target_link_options(noop PRIVATE -static)
