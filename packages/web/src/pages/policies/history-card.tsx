import { useState } from 'react'
import { MemberName } from '../../names/member-name.tsx'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Diff } from '../../ui/diff.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded, Loading } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { saveDraft } from './draft-store.ts'
import type { Owner } from './owner.ts'
import { usePolicyHistory, usePolicyVersion } from './queries.ts'

type Version = NonNullable<ReturnType<typeof usePolicyHistory>['data']>['versions'][number]

/** All versions of the policy, each with a diff against the previous one. */
export function HistoryCard({ owner }: { owner: Owner }) {
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<number>()
  const history = usePolicyHistory(owner, page)
  return (
    <Card title="History" note="All versions are kept" padded={false}>
      <Loaded query={history}>
        {({ versions, total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={<Empty title="No versions yet" />}
          >
            <ul>
              {versions.map((version, at) => (
                <VersionLine
                  key={version.version}
                  owner={owner}
                  version={version}
                  before={versions[at + 1]}
                  isOpen={(chosen ?? -1) === version.version}
                  onOpen={() => setChosen(chosen === version.version ? undefined : version.version)}
                />
              ))}
            </ul>
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

type VersionLineProps = {
  owner: Owner
  version: Version
  before: Version | undefined
  isOpen: boolean
  onOpen: () => void
}

function VersionLine({ owner, version, before, isOpen, onOpen }: VersionLineProps) {
  return (
    <li className="border-b border-line last:border-0">
      <div
        className={classNames(
          'flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-5 py-2.5 text-sm',
          isOpen && 'bg-sunken/50',
        )}
      >
        <span className="min-w-0">
          <span className="font-medium tabular">Version {version.version}</span>{' '}
          <span className="text-ink-soft">{version.meta?.name}</span>{' '}
          {version.deleted ? <Pill tone="bad">Deleted</Pill> : null}
          <span className="block text-xs text-ink-faint">
            <Ago at={version.updated_at} /> by <MemberName id={version.updated_by} />
          </span>
        </span>
        <Button aria-expanded={isOpen} onClick={onOpen}>
          {isOpen ? 'Hide changes' : 'Show changes'}
        </Button>
      </div>
      {isOpen ? <Changes owner={owner} version={version} before={before} /> : null}
    </li>
  )
}

/** A deletion is a version without text, so its diff shows the removal. */
const textVersion = (version: Version | undefined) =>
  version === undefined || version.deleted ? undefined : version.version

function Changes(props: { owner: Owner; version: Version; before: Version | undefined }) {
  const { owner, version, before } = props
  const after = usePolicyVersion(owner, textVersion(version))
  const earlier = usePolicyVersion(owner, textVersion(before))
  const canEdit = useCanEdit()
  const toast = useToast()
  const restore = (text: string) => {
    saveDraft(owner, text)
    toast(`Version ${version.version} is in the editor. Review and save it to put it in force.`)
    window.scrollTo({ top: 0 })
  }
  if (after.data === undefined || earlier.data === undefined) {
    return (
      <div className="px-5">
        {after.error || earlier.error ? (
          <Loaded query={after.error ? after : earlier}>{() => null}</Loaded>
        ) : (
          <Loading />
        )}
      </div>
    )
  }
  return (
    <div className="grid gap-2 px-5 pb-4">
      <Diff
        label={`Changes in version ${version.version}`}
        before={earlier.data}
        after={after.data}
      />
      {canEdit && !version.deleted ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => restore(after.data)}>Restore version {version.version}</Button>
          <p className="text-xs text-ink-faint">
            Opens this version in the editor, to review and save as a new version.
          </p>
        </div>
      ) : null}
    </div>
  )
}
