"""AWS on localhost, for tests that deploy."""
