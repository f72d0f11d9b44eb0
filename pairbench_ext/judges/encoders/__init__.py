"""Image encoders and the similarity ratings made of them."""
