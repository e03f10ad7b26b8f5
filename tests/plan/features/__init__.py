"""What targets say that they support, held against what they write."""
