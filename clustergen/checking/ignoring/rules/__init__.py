"""Problems of comments that ignore findings."""
