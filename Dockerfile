# One image for all services; the command chooses: `docker run hookline ingest`. Decision 79.
#
# Packages come from package-lock.json, and so does Node: the one that the tests run on. The runtime image adds only the C and C++
# libraries and certificates, and has no shell.
ARG BUILD_IMAGE=node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12@sha256:e5d81ddde149641e2a9ba55be4545bc125c67de07508b03ba4c22e6eb0ded5aa

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund
# What is in the image, as programs read it; npm would miss the packages that only development needs.
RUN npm pkg delete devDependencies \
 && npm sbom --omit=dev --sbom-format=cyclonedx > sbom.cdx.json
# Node goes to its usual place. Of packages only what runs is kept, and each licence.
RUN mkdir -p /image/usr/local/bin /image/data \
 && mv node_modules/node-linux-*/bin/node /image/usr/local/bin/node \
 && rm -rf node_modules/node-linux-* node_modules/.bin \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' -o -name '*.markdown' -o -name '*.test.js' \) \
      ! -iname '*licen[cs]e*' -delete \
 && find node_modules -type d \( -name test -o -name tests -o -name __tests__ -o -name .github -o -name benchmark -o -name benchmarks -o -name examples -o -name fixtures \) -prune -exec rm -rf {} +
COPY . .
RUN rm -rf .npmrc console tsconfig.json && mv /app /image/app

# The console needs packages of development, which the image does not have.
FROM ${BUILD_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY console console
COPY tsconfig.json ./
RUN node console/build/main.ts

FROM ${RUNTIME_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Hookline" \
      org.opencontainers.image.description="Takes tracking calls over HTTP and forwards each one, signed, to webhooks; on Apache Kafka." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /image/usr/local/bin/node /usr/local/bin/node
COPY --from=build --chown=10001:10001 /image/data /data
COPY --from=build /image/app /app
COPY --from=console /app/console/dist /app/console/dist
ENV NODE_ENV=production \
    HOOKLINE_DATA_DIR=/data
WORKDIR /app
USER 10001:10001
# Local state: the router's duplicate window, profiles, control's index. Everything else may be read-only.
VOLUME /data
EXPOSE 8080 8090 9401 9402 9403 9404 9405
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/local/bin/node", "/app/bin/health.mjs"]
ENTRYPOINT ["/usr/local/bin/node", "/app/bin/hookline.mjs"]
CMD ["--help"]
