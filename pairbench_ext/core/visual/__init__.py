"""What is done to images before a model sees them."""
