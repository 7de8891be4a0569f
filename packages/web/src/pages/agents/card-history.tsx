import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCardHistory, useCardText } from './card-queries.ts'

/** All versions of the card, each with its diff. */
export function CardHistory({ agentId }: { agentId: string }) {
  const [page, setPage] = useState(1)
  const [shown, setShown] = useState<number>()
  const history = useCardHistory(agentId, page)
  return (
    <Card title="Versions" padded={false}>
      <Loaded query={history}>
        {(found) => (
          <>
            <ol>
              {found.versions.map((version) => (
                <li key={version.version} className="border-b border-line px-5 py-3 last:border-0">
                  <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
                    <span className="font-medium">Version {version.version}</span>
                    {version.is_active ? <Pill tone="good">Active</Pill> : null}
                    <span className="text-ink-soft">
                      {version.reason || version.changed_fields.join(', ')}
                    </span>
                    <span className="ml-auto text-ink-faint">
                      <Ago at={version.created_at} />
                    </span>
                    {version.version > 1 ? (
                      <Button
                        aria-expanded={shown === version.version}
                        onClick={() =>
                          setShown(shown === version.version ? undefined : version.version)
                        }
                      >
                        Show changes
                      </Button>
                    ) : null}
                  </div>
                  {shown === version.version ? (
                    <VersionDiff agentId={agentId} version={version.version} />
                  ) : null}
                </li>
              ))}
            </ol>
            <Pager page={page} perPage={10} total={found.total} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function VersionDiff({ agentId, version }: { agentId: string; version: number }) {
  const before = useCardText(agentId, version - 1)
  const after = useCardText(agentId, version)
  return (
    <div className="mt-3">
      <Loaded query={before}>
        {(old) => (
          <Loaded query={after}>
            {(next) => (
              <Diff label={`Changes in version ${version}`} before={old.text} after={next.text} />
            )}
          </Loaded>
        )}
      </Loaded>
    </div>
  )
}
