"""What a run will ask, take and cost, and what it will be able to show."""
