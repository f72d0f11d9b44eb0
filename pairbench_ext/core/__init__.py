"""What a benchmark is: its declaration, tasks, plans, trials, requests, outcomes and numbers."""
