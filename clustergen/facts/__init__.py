"""Facts about AWS: the catalog of instances, storage and regions, and the services' schemas."""
