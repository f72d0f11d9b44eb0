"""The models of the papers: what they are called, where their weights are, what runs them."""
