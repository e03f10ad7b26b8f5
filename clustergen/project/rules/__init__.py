"""Problems of project files."""
