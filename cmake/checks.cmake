# Checks that are not unit tests: tidy, scenarios, simulation, whole clusters.
