"""What commands answer about specs: comparison, cost, differences, moves, recommendations."""
