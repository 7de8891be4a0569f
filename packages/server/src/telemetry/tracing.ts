import type { Context, Span, Tracer } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ConfigError } from '../config-reader.ts'
import { installCommand, isNotInstalled } from '../optional-packages.ts'
import type { FinishedSpan, Spans } from './spans.ts'

/** Spans of requests and of the work in them, when an OTLP endpoint is configured. */
export type Tracing = {
  begin(req: FastifyRequest): void
  /** Spans recorded during the work belong to the request. */
  within(req: FastifyRequest, work: () => void): void
  end(req: FastifyRequest, reply: FastifyReply): void
  spans: Spans
  stop(): Promise<void>
}

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-node',
  '@opentelemetry/exporter-trace-otlp-http',
] as const

/** The SDK is loaded only here, so that it costs nothing if tracing is off. */
async function loadSdk() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
  } catch (cause) {
    if (!isNotInstalled(cause, PACKAGES)) throw cause
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed by default. Run: ${installCommand(PACKAGES)}`,
      { cause },
    )
  }
}

export async function startTracing(options: {
  endpoint: string
  version: string
}): Promise<Tracing> {
  const [api, { NodeSDK, resources, tracing }, { OTLPTraceExporter }] = await loadSdk()
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
  const requests = new WeakMap<FastifyRequest, Span>()
  const parentOf = (req: FastifyRequest): Context =>
    api.propagation.extract(api.context.active(), req.headers)
  return {
    begin(req) {
      const route = req.route.url ?? 'unknown'
      const attributes = { 'http.request.method': req.method, 'http.route': route }
      const kind = api.SpanKind.SERVER
      requests.set(
        req,
        tracer.startSpan(`${req.method} ${route}`, { kind, attributes }, parentOf(req)),
      )
    },
    within(req, work) {
      const span = requests.get(req)
      const active = api.context.active()
      api.context.with(span === undefined ? active : api.trace.setSpan(active, span), work)
    },
    end(req, reply) {
      const span = requests.get(req)
      span?.setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span?.setStatus({ code: api.SpanStatusCode.ERROR })
      span?.end()
    },
    spans: { record: (span) => record(tracer, span) },
    stop: () => sdk.shutdown(),
  }
}

/** A child of the current request's span, or a root span outside of requests. */
function record(tracer: Tracer, { name, startedAt, durationMs, ...held }: FinishedSpan): void {
  const { attributes } = held
  const endedAt = new Date(startedAt.getTime() + durationMs)
  const span = tracer.startSpan(name, { startTime: startedAt, attributes })
  for (const event of held.events) span.addEvent(event.name, event.attributes, endedAt)
  span.end(endedAt)
}

/** The trace a request belongs to, from its W3C traceparent header, for log lines. */
export function traceIdOf(req: Pick<FastifyRequest, 'headers'>): string | undefined {
  const header = req.headers['traceparent']
  if (typeof header !== 'string') return undefined
  return /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header)?.[1]
}
