import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { RevealedConnection } from './connection-queries.ts'

type Props = { connection: RevealedConnection | undefined; onClose: () => void }

/** Shows the token once, as the environment of the agent's program. */
export function ConnectionEnvironment({ connection, onClose }: Props) {
  return (
    <Dialog open={connection !== undefined} onClose={onClose} title="Copy the environment">
      <p className="text-sm text-ink-soft">
        Start the agent’s program with these variables. They contain the token, which you will not
        be able to see again.
      </p>
      <CodeBlock label={connection?.name ?? ''} code={linesOf(connection)} wrap />
      <p className="text-sm text-ink-soft">
        {connection?.credential === 'sealed'
          ? 'The provider’s key stays in the service. The placeholder only satisfies programs that do not start without a key.'
          : 'The program keeps using its own provider key.'}
      </p>
      <div className="flex justify-end">
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

function linesOf(connection: RevealedConnection | undefined): string {
  return Object.entries(connection?.environment ?? {})
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('\n')
}
