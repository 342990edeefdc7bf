"""Programs of arrays: the heat equation, k-means, logistic regression."""
