#include "CDeployment.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const char *deployment_acl(void) {
    static const char text[] = {
#embed "../../config/acl"
        , 0};
    return text;
}

const char *deployment_mosquitto(void) {
    static const char text[] = {
#embed "../../config/mosquitto.conf"
        , 0};
    return text;
}

const char *deployment_registry(void) {
    static const char text[] = {
#embed "../../config/registry.yaml"
        , 0};
    return text;
}

const char *deployment_producers(void) {
    static const char text[] = {
#embed "../../config/producers.yaml"
        , 0};
    return text;
}
