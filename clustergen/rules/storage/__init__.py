"""Rules on storage: FSx file systems, EFS, EBS volumes, buckets, and where they are mounted."""
