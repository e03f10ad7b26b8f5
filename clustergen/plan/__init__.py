"""From what the user wrote to what will exist: the decisions that every target shares."""
