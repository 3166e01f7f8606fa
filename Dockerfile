FROM swift:6.3-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmosquitto-dev libnats-dev libsimdjson-dev libsqlite3-dev libxml2-dev libarchive-dev zlib1g-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# The program holds the broker's configuration, for "fathom init".
COPY config config
# The manifest names the test targets, so SwiftPM requires their folders.
COPY Tests Tests
RUN swift build --configuration release --product fathom --static-swift-stdlib \
    && install -D "$(swift build --configuration release --show-bin-path)/fathom" /out/fathom

FROM debian:bookworm-slim
# Versions are not pinned: Debian's security updates are wanted. openssl is for "fathom certificates".
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libmosquitto1 libnats3.4 libsimdjson14 libsqlite3-0 libxml2 libarchive13 zlib1g openssl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin fathom \
    && install -d -o 10001 -g 10001 -m 700 /var/lib/fathom
COPY --from=build /out/fathom /usr/local/bin/fathom
COPY config/fathom.yaml config/registry.yaml config/producers.yaml /etc/fathom/
# As a number, so that an orchestrator can verify that it is not root.
USER 10001
# Whether the gateway is alive, not whether the broker is: a restart would not correct that.
HEALTHCHECK --interval=15s --timeout=6s --start-period=20s CMD ["fathom", "health", "--config", "/etc/fathom/fathom.yaml"]
# Two arenas keep the memory that threads share from growing with every one of them.
ENV MALLOC_ARENA_MAX=2
ENTRYPOINT ["fathom"]
CMD ["run", "--config", "/etc/fathom/fathom.yaml"]
