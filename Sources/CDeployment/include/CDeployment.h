#ifndef CDEPLOYMENT_H
#define CDEPLOYMENT_H

// Files of config/ as they were when the program was built: UTF-8 that ends with a NUL.

/// config/acl.
const char *_Nonnull deployment_acl(void);
/// config/mosquitto.conf.
const char *_Nonnull deployment_mosquitto(void);
/// config/registry.yaml.
const char *_Nonnull deployment_registry(void);
/// config/producers.yaml.
const char *_Nonnull deployment_producers(void);

#endif
