# What shells offer behind TAB, printed by yardmaster from the option tables: build/PRESET/completions/. Shells look for a
# file by the command's name, so bash and fish get the same text under each name.
if(TARGET yardmaster)
  set(folder ${CMAKE_BINARY_DIR}/completions)
  add_custom_command(OUTPUT ${folder}/bash ${folder}/_yardmaster ${folder}/fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND yardmaster completion bash > ${folder}/bash
    COMMAND yardmaster completion zsh > ${folder}/_yardmaster
    COMMAND yardmaster completion fish > ${folder}/fish
    DEPENDS yardmaster VERBATIM)
  add_custom_target(completions ALL DEPENDS ${folder}/bash ${folder}/_yardmaster ${folder}/fish)
  foreach(command ${YM_COMMANDS})
    install(FILES ${folder}/bash DESTINATION share/bash-completion/completions RENAME ${command} OPTIONAL)
    install(FILES ${folder}/fish DESTINATION share/fish/vendor_completions.d RENAME ${command}.fish OPTIONAL)
  endforeach()
  install(FILES ${folder}/_yardmaster DESTINATION share/zsh/site-functions OPTIONAL)
endif()
