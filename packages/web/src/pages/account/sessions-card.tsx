import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { api, signOut } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { nameOfClient } from './user-agent.ts'

type Session = Answer<'GET', '/v1/auth/sessions'>['sessions'][number]

const SESSIONS_KEY = ['account', 'sessions']

export function SessionsCard() {
  const [isLeaving, setIsLeaving] = useState(false)
  const navigate = useNavigate()
  const sessions = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: () => api.request('GET', '/v1/auth/sessions'),
  })
  const leave = useAction({
    run: (_: true) => api.request('DELETE', '/v1/auth/sessions'),
    done: ({ ended }) => `Signed out of ${ended} ${ended === 1 ? 'session' : 'sessions'}`,
    refresh: [],
    pageShowsError: true,
    onDone: () => void signOut().then(() => navigate({ to: '/sign-in' })),
  })
  return (
    <Card
      title="Sessions"
      note="Where your account is signed in"
      padded={false}
      actions={<Button onClick={() => setIsLeaving(true)}>Sign out everywhere</Button>}
    >
      <Loaded query={sessions}>{({ sessions: found }) => <SessionTable sessions={found} />}</Loaded>
      <Confirm
        open={isLeaving}
        onClose={() => setIsLeaving(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        mutation={leave}
        input={true as const}
      >
        All sessions end at once, including this one. API keys keep working.
      </Confirm>
    </Card>
  )
}

function SessionTable({ sessions }: { sessions: Session[] }) {
  const end = useAction({
    run: (sessionId: string) =>
      api.request('DELETE', '/v1/auth/sessions/{session_id}', {
        params: { session_id: sessionId },
      }),
    done: () => 'Session ended',
    refresh: [SESSIONS_KEY],
  })
  return (
    <Table
      caption="Sessions"
      rows={sessions}
      keyOf={(session) => session.session_id}
      columns={[
        {
          key: 'device',
          label: 'Device',
          cell: (session) => (
            <span title={session.user_agent ?? undefined}>
              {nameOfClient(session.user_agent)}{' '}
              {session.current ? <Pill tone="good">This session</Pill> : null}
            </span>
          ),
        },
        { key: 'address', label: 'Address', cell: (session) => session.address ?? 'Unknown' },
        { key: 'created', label: 'Signed in', cell: (session) => <Ago at={session.created_at} /> },
        { key: 'used', label: 'Last used', cell: (session) => <Ago at={session.last_used_at} /> },
        {
          key: 'end',
          label: <span className="sr-only">Actions</span>,
          align: 'right',
          cell: (session) =>
            session.current ? null : (
              <Button
                tone="quiet"
                className="-my-1.5"
                busy={end.isPending && end.variables === session.session_id}
                aria-label={`End session of ${nameOfClient(session.user_agent)} at ${session.address ?? 'an unknown address'}`}
                onClick={() => end.mutate(session.session_id)}
              >
                End
              </Button>
            ),
        },
      ]}
    />
  )
}
