"""Programs for those who maintain this project; no command of clustergen runs them."""
