import '../../kernel/events.ts'

/** Events of containment and conscience values (spec: platform §5.3). */
type ContainmentStatus = 'active' | 'paused' | 'killed'

type ContainmentData = {
  agent_id: string
  org_id: string
  action: 'pause' | 'auto_pause' | 'resume' | 'reactivate' | 'kill'
  actor: string
  reason: string | null
  previous_status: ContainmentStatus
  new_status: ContainmentStatus
}

declare module '../../kernel/events.ts' {
  interface EventData {
    'conscience.values_updated': {
      org_id: string
      action: 'create' | 'update' | 'activate' | 'deactivate' | 'delete' | 'reorder' | 'mode_change'
      value_id: string | null
      actor: string
    }
    'agent.paused': ContainmentData
    'agent.resumed': ContainmentData
    'agent.killed': ContainmentData
  }
}
