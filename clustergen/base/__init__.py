"""What every part may use: findings, text, secrets, files of bundles."""
