# Manual pages, printed by the programs themselves from their tables: build/PRESET/man/man{1,5,8}.
set(man_folder ${CMAKE_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${man_folder}/man1 ${man_folder}/man5 ${man_folder}/man8)
set(man_pages)

# man_page(SECTION NAME PROGRAM COMMAND...): the command's output is the page.
function(man_page section name program)
  if(NOT TARGET ${program})
    return()
  endif()
  set(page ${man_folder}/man${section}/${name}.${section})
  add_custom_command(OUTPUT ${page} COMMAND ${ARGN} > ${page} DEPENDS ${program} VERBATIM)
  set(man_pages ${man_pages} ${page} PARENT_SCOPE)
  install(FILES ${page} DESTINATION share/man/man${section})
endfunction()

foreach(command ${YM_COMMANDS} yardmaster)
  man_page(1 ${command} ${command} ${command} --man)
endforeach()
foreach(file slurm.conf cgroup.conf)
  man_page(5 ${file} yardmaster yardmaster --man ${file})
endforeach()
set(daemon_page ${CMAKE_SOURCE_DIR}/tools/daemon_page)
man_page(8 slurmctld slurmctld ${daemon_page} $<TARGET_FILE:slurmctld> "the controller of a cluster")
man_page(8 slurmd slurmd ${daemon_page} $<TARGET_FILE:slurmd> "the daemon of a node")
man_page(8 sackd sackd ${daemon_page} $<TARGET_FILE:sackd> "tokens for the commands of a login node")
add_custom_target(man ALL DEPENDS ${man_pages})
# A file without a table has a page that is written by hand.
install(FILES ${CMAKE_SOURCE_DIR}/docs/man/gres.conf.5 ${CMAKE_SOURCE_DIR}/docs/man/oci.conf.5
  DESTINATION share/man/man5)
