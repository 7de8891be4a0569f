import { type FormEvent, useState } from 'react'
import { useAction } from '../../session/use-action.ts'
import { useAgents } from '../../session/use-agents.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { environmentOf, type Filling } from './fill.ts'
import { type MadeKey, makeAgentKey, makeConnectKey, registerAgent } from './queries.ts'

type Props = {
  filling: Filling
  made: MadeKey | undefined
  onMade: (made: MadeKey) => void
  /** A coding agent, which `touchstone connect` registers. */
  isClient: boolean
}

/** Makes a key and shows it once, as variables for the terminal in which the commands are typed. */
export function KeyCard({ filling, made, onMade, isClient }: Props) {
  const mayMake = useCanEdit()
  return (
    <Card
      title="Your address and key"
      note={made === undefined ? undefined : 'The key is shown only once'}
    >
      <div className="grid gap-4">
        <CodeBlock label="Environment" code={environmentOf(filling.origin, made)} wrap />
        {made !== undefined ? (
          <p className="text-sm text-ink-soft">{isClient ? CLIENT_NOTE : AGENT_NOTE}</p>
        ) : mayMake ? (
          <MakeKey slug={filling.slug} isClient={isClient} onMade={onMade} />
        ) : (
          <p className="text-sm text-ink-soft">Ask an owner or admin to create a key.</p>
        )}
      </div>
    </Card>
  )
}

const CLIENT_NOTE =
  'Run these lines in the terminal, then the commands on this page. This key can change policies and expires in a day. Connecting creates another key that works only for the agent.'
const AGENT_NOTE =
  'Start the program with these variables. The key can only decide and send evidence for this agent.'

const NEW_AGENT = ''

function MakeKey({
  slug,
  isClient,
  onMade,
}: Pick<Props, 'isClient' | 'onMade'> & { slug: string }) {
  const orgId = useOrgId()
  const agents = useAgents()
  const [agentId, setAgentId] = useState(NEW_AGENT)
  const make = useAction<string, MadeKey>({
    run: async (name) => {
      if (isClient) return makeConnectKey(orgId, slug)
      return makeAgentKey(orgId, agentId === NEW_AGENT ? await registerAgent(orgId, name) : agentId)
    },
    refresh: [['agents', orgId]],
    onDone: onMade,
    pageShowsError: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    make.mutate(String(new FormData(event.currentTarget).get('name') ?? '').trim())
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {isClient ? null : (
        <Field label="Agent">
          {(control) => (
            <Select
              {...control}
              value={agentId}
              onChange={({ target }) => setAgentId(target.value)}
            >
              <option value={NEW_AGENT}>New agent</option>
              {agents.data?.agents.map(({ agent_id: id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {isClient || agentId !== NEW_AGENT ? null : (
        <Field label="Name">
          {(control) => <Input {...control} name="name" required maxLength={100} />}
        </Field>
      )}
      {make.error ? <ErrorState error={make.error} /> : null}
      <div>
        <Button type="submit" tone="primary" busy={make.isPending}>
          Create key
        </Button>
      </div>
    </form>
  )
}
