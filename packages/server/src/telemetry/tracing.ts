import type { Context, Span } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Spans of requests, when an OTLP endpoint is configured; absent otherwise. */
export type Tracing = {
  begin(req: FastifyRequest): void
  end(req: FastifyRequest, reply: FastifyReply): void
  stop(): Promise<void>
}

/** The SDK is loaded only here, so that nobody pays for it who does not use it. */
export async function startTracing(options: {
  endpoint: string
  version: string
}): Promise<Tracing> {
  const [api, { NodeSDK, resources, tracing }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/$/, '')}/v1/traces`,
  })
  const sdk = new NodeSDK({
    resource: resources.resourceFromAttributes({
      'service.name': 'touchstone',
      'service.version': options.version,
    }),
    spanProcessors: [new tracing.BatchSpanProcessor(exporter)],
    autoDetectResources: false,
  })
  sdk.start()
  const tracer = api.trace.getTracer('touchstone', options.version)
  const spans = new WeakMap<FastifyRequest, Span>()
  const parentOf = (req: FastifyRequest): Context =>
    api.propagation.extract(api.context.active(), req.headers)
  return {
    begin(req) {
      const route = req.routeOptions.url ?? 'unknown'
      const attributes = { 'http.request.method': req.method, 'http.route': route }
      const kind = api.SpanKind.SERVER
      spans.set(
        req,
        tracer.startSpan(`${req.method} ${route}`, { kind, attributes }, parentOf(req)),
      )
    },
    end(req, reply) {
      const span = spans.get(req)
      span?.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span?.setStatus({ code: api.SpanStatusCode.ERROR })
      span?.end()
    },
    stop: () => sdk.shutdown(),
  }
}

/** The trace a request belongs to, from its W3C traceparent header, for log lines. */
export function traceIdOf(req: FastifyRequest): string | undefined {
  const header = req.headers['traceparent']
  if (typeof header !== 'string') return undefined
  return /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header)?.[1]
}
