"""VIEScore's recorded data: human ratings, judgments, and what the paper prints of them."""
