# Two stages: the first builds a static binary, the second holds it and nothing else.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/server ./cmd/server \
 && mkdir -p /out/data

FROM scratch
COPY --from=build /out/server /server
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/server", "health", "http://127.0.0.1:8080/healthz"]
ENTRYPOINT ["/server"]
CMD ["serve", "--addr", ":8080", "--data", "/data"]
