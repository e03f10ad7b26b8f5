"""Problems of custom rules."""
