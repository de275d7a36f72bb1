# websites-as-code: `docker build -t websites .`
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

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# For --since, and for a clone of the configuration.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git openssh-client && rm -rf /var/lib/apt/lists/*
COPY --from=build /app /app
RUN ln -s /app/dist/main.js /usr/local/bin/websites
# The user "node" of the base, by number: a cluster can tell that it is not root.
USER 1000:1000
WORKDIR /config
ENTRYPOINT ["websites"]
CMD ["--help"]
