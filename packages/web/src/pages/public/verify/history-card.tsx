import { useQuery } from '@tanstack/react-query'
import { readStored, store } from '../../../session/browser-storage.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { formatDate } from '../../../ui/time.tsx'
import type { HistoryLook } from '../../../verify/log-history.ts'

/** The last checkpoint is kept under this key. */
const SEEN = 'touchstone-log'

/** Compares the public log with the one that this browser saw before, and remembers it. */
export function HistoryCard() {
  const look = useQuery({
    queryKey: ['log-history'],
    queryFn: compareAndRemember,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Card
      title="History of the log"
      note="Everything that must not be withdrawn is in one public log. Your browser keeps its last checkpoint, and checks at each visit that the log still begins with it."
    >
      <Loaded query={look} lines={2}>
        {(found) => <Outcome look={found} onAgain={() => void look.refetch()} />}
      </Loaded>
    </Card>
  )
}

async function compareAndRemember(): Promise<HistoryLook> {
  const [{ lookAtLog, parseSeen }, { servedLog }] = await Promise.all([
    import('../../../verify/log-history.ts'),
    import('../../../verify/log-files.ts'),
  ])
  const look = await lookAtLog(servedLog(), parseSeen(readStored(SEEN)), new Date())
  if (look.kind === 'same') store(SEEN, JSON.stringify(look.seen))
  return look
}

function Outcome({ look, onAgain }: { look: HistoryLook; onAgain: () => void }) {
  if (look.kind !== 'same') return <Difference look={look} onAgain={onAgain} />
  const { before, size } = look
  return (
    <p
      data-history="same"
      className="rounded-md bg-good-wash px-4 py-2.5 text-sm font-medium text-good"
    >
      {before === undefined
        ? `First visit: this browser now remembers the log with ${entries(size)}.`
        : `Same history as on ${formatDate(before.seen_at)}: the log has ${entries(size)}, and begins with what it had then.`}
    </p>
  )
}

function entries(size: number): string {
  return size === 1 ? '1 entry' : `${size.toLocaleString('en')} entries`
}

const TITLES = {
  fork: 'The log signed two histories. Keep both checkpoints: anybody can verify them.',
  older:
    'The log is older than what this browser saw. A stale cache can cause this; look again later.',
  invalid: 'The log could not be verified.',
} as const

type Differing = Exclude<HistoryLook, { kind: 'same' }>

function Difference({ look, onAgain }: { look: Differing; onAgain: () => void }) {
  const { kind, reason, before } = look
  return (
    <div data-history={kind} role="alert" className="grid gap-3 text-sm">
      <p className="rounded-md bg-bad-wash px-4 py-2.5 font-medium text-bad">{TITLES[kind]}</p>
      <p className="break-words text-ink-soft">
        {before === undefined ? '' : `Compared with ${formatDate(before.seen_at)}. `}
        {reason}
      </p>
      {kind === 'fork' ? (
        <pre className="overflow-x-auto rounded-md bg-sunken p-3 text-xs">
          {`${look.before.checkpoint}\n${look.checkpoint}`}
        </pre>
      ) : null}
      <div>
        <Button onClick={onAgain}>Look again</Button>
      </div>
    </div>
  )
}
