"""Problems of writing fixed files."""
