import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { freePort } from '#harness/port.ts'
import { startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const SDK_AGENT = fileURLToPath(new URL('../fixtures/otlp/sdk-agent.mjs', import.meta.url))
const TURN = new URL('../fixtures/otlp/turn.json', import.meta.url)
const AGENT = fileURLToPath(new URL('../fixtures/otlp/instrumented-agent.mjs', import.meta.url))

/** Runs an agent that is configured only by the environment variables of its OpenTelemetry SDK. */
async function runAgent(
  style: string,
  env: Record<string, string>,
  program = AGENT,
): Promise<string> {
  const child = spawn(process.execPath, [program, style], {
    env: {
      PATH: process.env['PATH'],
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  expect(code, output).toBe(0)
  return output
}

describe('an agent instrumented with OpenTelemetry', () => {
  it('sends traces and checkpoints through its exporter, without code changes', async () => {
    const dir = await temporaryDir()
    const metricsPort = await freePort()
    const service = await startService({
      DATA_DIR: dir,
      METRICS_ADDR: `127.0.0.1:${metricsPort}`,
    })
    const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const settings = (agentId: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/v1/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${token}`,
      OTEL_SERVICE_NAME: agentId,
    })
    const read = async (path: string) => (await service.call('GET', path, { token })).body

    for (const [agentId, protocol, compression] of [
      ['otel-json', 'http/json', 'none'],
      ['otel-protobuf', 'http/protobuf', 'none'],
      ['otel-packed', 'http/protobuf', 'gzip'],
    ] as const) {
      await service.call('POST', '/v1/agents', { token, body: { agent_id: agentId } })
      await runAgent('current', {
        ...settings(agentId),
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      })
      const { traces } = await read(`/v1/agents/${agentId}/traces`)
      const { checkpoints } = await read(`/v1/agents/${agentId}/checkpoints`)
      expect(traces, agentId).toHaveLength(3)
      expect(checkpoints, agentId).toHaveLength(2)
      const ids = traces.map((trace: { trace_id: string }) => trace.trace_id)
      for (const checkpoint of checkpoints) {
        expect(checkpoint).toMatchObject({ session_id: 'conv-5', synthetic: false })
        expect(ids).toContain(checkpoint.linked_trace_id)
      }
    }

    // The SDK logs the message of a partial success at the level warn.
    const output = await runAgent('events-1.36', {
      ...settings('nobody-knows-it'),
      OTEL_LOG_LEVEL: 'warn',
    })
    expect(output).toMatch(/register it with POST \/v1\/agents/)
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toMatch(/touchstone_otlp_spans_total\{outcome="accepted"\} 9/)
    expect(metrics).toMatch(/touchstone_otlp_spans_total\{outcome="ignored"\} 6/)
    expect(metrics).toMatch(/touchstone_otlp_spans_total\{outcome="rejected"\} 1/)
  })
  it('sends evidence through OpenInference, Langfuse and log records', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const { api_key: token } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const provider = await startPlannedProvider()
    provider.plan(JSON.parse(await readFile(TURN, 'utf8')))
    const read = async (path: string) => (await service.call('GET', path, { token })).body

    for (const [style, protocol, counts] of [
      ['openinference', 'http/json', { checkpoints: 3, traces: 4 }],
      ['openinference', 'http/protobuf', { checkpoints: 3, traces: 4 }],
      ['langfuse', 'http/json', { checkpoints: 2, traces: 3 }],
      ['genai-logs', 'http/json', { checkpoints: 2, traces: 2 }],
      ['genai-logs', 'http/protobuf', { checkpoints: 2, traces: 2 }],
    ] as const) {
      const agentId = `${style}-${protocol.slice(5)}`
      await service.call('POST', '/v1/agents', { token, body: { agent_id: agentId } })
      const settings = {
        OPENAI_BASE_URL: `${provider.url}/v1`,
        OPENAI_API_KEY: 'none',
        OTEL_EXPORTER_OTLP_ENDPOINT: `${service.url}/v1/otlp`,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${token}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_SERVICE_NAME: agentId,
        OTEL_LOGS_EXPORTER: style === 'genai-logs' ? 'otlp' : 'none',
      }
      await runAgent(style, settings, SDK_AGENT)
      const { traces } = await read(`/v1/agents/${agentId}/traces`)
      const { checkpoints } = await read(`/v1/agents/${agentId}/checkpoints`)
      expect({ traces: traces.length, checkpoints: checkpoints.length }, agentId).toEqual(counts)
      const ids = traces.map((trace: { trace_id: string }) => trace.trace_id)
      for (const checkpoint of checkpoints) {
        expect(checkpoint, agentId).toMatchObject({ synthetic: false })
        expect(ids).toContain(checkpoint.linked_trace_id)
      }
    }
  })
})
