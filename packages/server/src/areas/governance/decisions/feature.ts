import { erasedWithAgent, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { createCallOutcomes } from './call-outcome-service.ts'
import { type CounterDeps, createCounters } from './counter-service.ts'
import { createDecisionExports, type ExportDeps } from './export-service.ts'
import { decisionSchedules } from './jobs.ts'
import { createKeptDecisions } from './kept-service.ts'
import { createLedger, type LedgerDeps } from './ledger-service.ts'
import { outcomeRoutes } from './outcome-routes.ts'
import { createOutcomes, type OutcomeDeps } from './outcome-service.ts'
import { createDecisionReads, type ReadDeps } from './read-service.ts'
import { createDecisionRetention, type RetentionDeps } from './retention-service.ts'
import { decisionRoutes } from './routes.ts'
import { EXPORTED } from './schema.ts'
import { createSessionCounters, type SessionCounterDeps } from './session-counter-service.ts'
import { createDecisionStats, type StatsDeps } from './stats-service.ts'
import { createStopEvents, type StopEventDeps } from './stop-event-service.ts'
import { createDecisionUse } from './use-service.ts'

export function createDecisionFeature(
  deps: Omit<LedgerDeps, 'announceStopped' | 'sessionCounters'> &
    CounterDeps &
    ExportDeps &
    OutcomeDeps &
    ReadDeps &
    RetentionDeps &
    SessionCounterDeps &
    StatsDeps &
    StopEventDeps,
  lifecycle: Lifecycle,
) {
  const stops = createStopEvents(deps)
  const sessionCounters = createSessionCounters(deps)
  const ledger = createLedger({ ...deps, sessionCounters, announceStopped: stops.announce })
  const outcomes = createOutcomes(deps)
  const reads = createDecisionReads(deps)
  const stats = createDecisionStats(deps)
  const exports = createDecisionExports(deps, reads, EXPORTED)
  const retention = createDecisionRetention(deps)
  const counters = createCounters(deps)
  const purged = 'with its month, after DECISION_RETENTION_DAYS'
  lifecycle.add({
    name: 'governance/decisions',
    routes(app) {
      decisionRoutes(app, { reads, stats, exports })
      outcomeRoutes(app, outcomes)
    },
    hooks: {
      serve: retention.prepare,
      stop: ledger.stop,
      async agentErased(tx, agentId) {
        await retention.eraseAgent(tx, agentId)
        await counters.eraseAgent(tx, agentId)
        await sessionCounters.eraseAgent(tx, agentId)
      },
      async orgErased(tx, orgId) {
        await retention.eraseOrg(tx, orgId)
        await counters.eraseOrg(tx, orgId)
        await sessionCounters.eraseOrg(tx, orgId)
      },
    },
    schedules: [...counters.schedules, ...decisionSchedules(stops)],
    purges: [
      { name: 'decisions', run: retention.purge },
      { name: 'decision counters', run: counters.purge },
      { name: 'events of blocked calls', run: stops.purge },
      { name: 'session counters', run: sessionCounters.purge },
    ],
    tables: {
      decision: erasedWithAgent({ exported: 'decision log', purged }),
      decision_kind: erasedWithAgent({ purged: 'after its last decision' }),
      decision_block_told: erasedWithAgent({ purged: 'an hour after the last event' }),
      decision_batch: erasedWithOrg({ purged }),
      decision_delta: erasedWithAgent({ purged: 'within a minute' }),
      decision_count: erasedWithAgent({
        purged: 'minutes after 48 hours, hours after 90 days, days after DECISION_RETENTION_DAYS',
      }),
      decision_duration: erasedWithOrg({ purged: 'with the counts' }),
      decision_outcome_day: erasedWithAgent(),
      session_counter: erasedWithAgent({ purged: 'after their window or session' }),
    },
  })
  const { prepareSince } = retention
  const { outcomesSince } = counters
  return {
    ledger,
    reads,
    sessionCounters,
    callOutcomes: createCallOutcomes(deps, outcomes),
    outcomes,
    outcomesSince,
    prepareSince,
    blockedByAgent: stats.blockedByAgent,
    kept: createKeptDecisions(deps),
    use: createDecisionUse(deps),
  }
}
