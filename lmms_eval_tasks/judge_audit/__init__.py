"""Small tasks, drawn anew by seed, that show whether a judge can be trusted."""
