# websites-as-code: `docker build -t websites .`, or with Git for "websites reconcile --git": `--target git`.
#
# The base is pinned by its tag. To pin its bytes, look the digest up (`docker buildx imagetools inspect
# node:24-bookworm-slim`) and build with --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:….
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# What the published package holds, and with it the exact versions of what it needs at run time.
RUN mkdir /app && tar -xzf "$(npm pack --silent --ignore-scripts)" -C /app --strip-components=1
RUN cp package-lock.json .npmrc /app/ && cd /app && npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS websites
ENV NODE_ENV=production
COPY --from=build /app /app
RUN ln -s /app/dist/main.js /usr/local/bin/websites
# The user "node" of the base, by number: a cluster can tell that it is not root.
USER 1000:1000
WORKDIR /config
EXPOSE 9090
ENTRYPOINT ["websites"]
CMD ["--help"]

FROM websites AS git
USER 0:0
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git openssh-client tini && rm -rf /var/lib/apt/lists/*
# What Git leaves behind when it is cut off belongs to process 1, and Node does not look after the children of others.
ENTRYPOINT ["tini", "--", "websites"]
# An entry point of its own does away with that of the base.
CMD ["--help"]
USER 1000:1000

FROM websites
