import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Owner } from './owner.ts'
import { fetchPack, PACK_NAMES, packLabel } from './packs.ts'

type TemplateMenuProps = { owner: Owner; onChoose: (text: string) => void }

/** Policies to start from: a pack, or what the agent did so far. They replace the draft, not the policy. */
export function TemplateMenu({ owner, onChoose }: TemplateMenuProps) {
  const orgId = useOrgId()
  const toast = useToast()
  const pack = useAction({
    run: (name: string) => fetchPack(name, owner.kind),
    refresh: [],
    onDone: onChoose,
  })
  const learn = useAction({
    run: async () => {
      const body = { agent_id: owner.id }
      const learned = await api.request('POST', '/v1/policies/learn', { ...forOrg(orgId), body })
      const { stringify } = await import('yaml')
      return { ...learned, text: learned.policy === null ? undefined : stringify(learned.policy) }
    },
    refresh: [],
    onDone: ({ text, message }) => {
      toast(message)
      if (text !== undefined) onChoose(text)
    },
  })
  return (
    <Popover label="Start from" align="end" busy={pack.isPending || learn.isPending}>
      {(close) => (
        <>
          <p className="text-sm text-ink-soft">
            Replaces the draft in the editor. Nothing is in force until you save it.
          </p>
          {owner.kind === 'agent' ? (
            <Button
              onClick={() => {
                close()
                learn.mutate()
              }}
            >
              What the agent did in 7 days
            </Button>
          ) : null}
          <ul className="grid gap-0.5">
            {PACK_NAMES.map((name) => (
              <li key={name}>
                <Button
                  tone="quiet"
                  className="w-full justify-start"
                  onClick={() => {
                    close()
                    pack.mutate(name)
                  }}
                >
                  {packLabel(name)}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Popover>
  )
}
