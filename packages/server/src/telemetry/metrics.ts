import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Gauge as WatchedGauge } from '../kernel/lifecycle.ts'
import { createRequestMeter } from './request-meter.ts'
import { createTally } from './tally.ts'

/** The metrics of the service (spec: platform §6.2). No agent or organisation labels, ever. */
export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'touchstone_' })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `touchstone_${name}`, help, labelNames, registers })
  return {
    registry,
    /** Counts and times every answered request. */
    answered: createRequestMeter(registry),
    /** Computed on scrape, since no process knows what the others have written. */
    watch: ({ name, help, read }: WatchedGauge) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read().catch(() => Number.NaN))
        },
      }),
    rateLimited: counter('rate_limited_total', 'Requests refused by a rate limit.', ['route']),
    rateLimitErrors: counter(
      'rate_limit_errors_total',
      'Requests counted in memory because the rate-limit store did not answer.',
      [],
    ),
    checks: counter('checks_total', 'Checkpoints stored, by verdict.', ['verdict']),
    otlpSpans: counter('otlp_spans_total', 'Spans sent to us, by what became of them.', [
      'outcome',
    ]),
    otlpLogRecords: counter(
      'otlp_log_records_total',
      'Log records sent to us, by what became of them.',
      ['outcome'],
    ),
    chainFaults: counter('chain_faults_total', 'Chains found to be tampered with.', []),
    ...modelMetrics(registers),
    ...relayMetrics(registers),
    policyEvaluated: createTally(registry, {
      name: 'touchstone_policy_evaluations_total',
      help: 'Calls and traces held to a policy.',
      labelNames: ['verdict', 'context'],
    }),
    policyFailures: counter(
      'policy_failures_total',
      'Evaluations that failed or were too late, and those that could not be recorded.',
      ['kind'],
    ),
    decisionsUnrecorded: counter(
      'decisions_unrecorded_total',
      'Decisions answered while the database was down, to be stored later.',
      [],
    ),
    scoresComputed: counter('scores_computed_total', 'Scores computed.', ['kind']),
    scoresFailed: counter('scores_failed_total', 'Scores an hourly run could not compute.', []),
    events: counter('events_total', 'Events written to the outbox.', ['type']),
    ...webhookMetrics(registers),
    ...chainMetrics(registers),
    ...proofMetrics(registers),
    propagationDuration: new Histogram({
      name: 'touchstone_propagation_duration_seconds',
      help: 'Time to find and hold whom a correction reaches, and to store what it passes on.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
      registers,
    }),
    jobDuration: new Histogram({
      name: 'touchstone_job_duration_seconds',
      help: 'Time a job ran.',
      labelNames: ['job'] as const,
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      registers,
    }),
    jobLastSuccess: new Gauge({
      name: 'touchstone_job_last_success_timestamp',
      help: 'Unix time a job last succeeded.',
      labelNames: ['job'] as const,
      registers,
    }),
    mail: counter('mail_total', 'E-mails by outcome.', ['kind', 'outcome']),
  }
}

function chainMetrics(registers: Registry[]) {
  return {
    chainTransactions: new Counter({
      name: 'touchstone_chain_transactions_total',
      help: 'Transactions on the chain, by what became of them.',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    }),
    relayerBalance: new Gauge({
      name: 'touchstone_relayer_balance_eth',
      help: 'Ether of the account that sends transactions.',
      registers,
    }),
  }
}

function proofMetrics(registers: Registry[]) {
  return {
    proofs: new Counter({
      name: 'touchstone_proofs_total',
      help: 'Attempts to prove a risk score, by what became of them.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    provingDuration: new Histogram({
      name: 'touchstone_proving_duration_seconds',
      help: 'Time a proof took that was verified.',
      buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 60],
      registers,
    }),
  }
}

function modelMetrics(registers: Registry[]) {
  return {
    analysisFailures: new Counter({
      name: 'touchstone_analysis_failures_total',
      help: 'Decisions the model gave no usable answer for, by kind of failure.',
      labelNames: ['kind'] as const,
      registers,
    }),
    modelFallbacks: new Counter({
      name: 'touchstone_model_fallbacks_total',
      help: 'Forecasts and recommendations the rules gave in place of the model, by reason.',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

function relayMetrics(registers: Registry[]) {
  return {
    modelFirstByte: new Histogram({
      name: 'touchstone_model_first_byte_seconds',
      help: 'Time from a governed request to the first byte of the provider.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    modelHeld: new Histogram({
      name: 'touchstone_model_held_seconds',
      help: 'Time that complete tool calls were held until they were decided.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 60],
      registers,
    }),
    modelTokens: new Counter({
      name: 'touchstone_model_tokens_total',
      help: 'Tokens of governed turns, as the providers count them.',
      labelNames: ['kind'] as const,
      registers,
    }),
    modelUngoverned: new Counter({
      name: 'touchstone_model_ungoverned_total',
      help: 'Turns whose calls were released undecided, because the gateway failed.',
      registers,
    }),
  }
}

function webhookMetrics(registers: Registry[]) {
  return {
    webhookDeliveries: new Counter({
      name: 'touchstone_webhook_deliveries_total',
      help: 'Attempts to deliver, by outcome.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    webhookAttempts: new Histogram({
      name: 'touchstone_webhook_attempt_duration_seconds',
      help: 'Time a receiver took to answer.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
  }
}
