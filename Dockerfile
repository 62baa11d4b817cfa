# Everything in one image: web, workers and scheduler are the same code with another command; see compose.yaml.
# What was and was not tried of it is in docs/operations.md.
FROM python:3.11-slim-bookworm

# make installs; pg_dump and pg_restore are for `manage.py backup` and `restore`.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make postgresql-client \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY Makefile requirements.lock ./
RUN make install
COPY . .

# Compiled kernels go to the home directory, since the code may not be written.
RUN mkdir --mode=1777 /run/metrics \
    && useradd --uid 1000 --create-home --home-dir /var/lib/lesubscribe lesubscribe
USER lesubscribe
ENV PATH=/app/.venv/bin:$PATH \
    VAR=/var/lib/lesubscribe \
    PROMETHEUS_MULTIPROC_DIR=/run/metrics
VOLUME /var/lib/lesubscribe
EXPOSE 8000
