import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useAction } from '../../session/use-action.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Editor } from '../../ui/editor.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { checkDraft, DraftCheck } from './check-draft.ts'
import { discardDraft, findDraft, saveDraft, subscribeDrafts } from './draft-store.ts'
import { type Owner, type PolicyText, savePolicy } from './owner.ts'
import { POLICY_HELP } from './policy-help.ts'
import { policyOwnersKey } from './policy-owners.ts'
import { PolicyTester } from './policy-tester.tsx'
import { ProblemList } from './problem-list.tsx'
import { policyKey, useOrgDocument } from './queries.ts'
import { ReviewCard } from './review-card.tsx'
import { starterPolicy } from './starter.ts'
import { TemplateMenu } from './template-menu.tsx'

type WorkbenchProps = { owner: Owner; saved: PolicyText | null }

/** The policy editor with validation, testing and a review step before saving. */
export function PolicyWorkbench({ owner, saved }: WorkbenchProps) {
  const orgId = useOrgId()
  const draft = useDraft(owner, saved)
  const [reviewed, setReviewed] = useState<string>()
  const check = useCheck(owner, draft.text)
  const save = useAction({
    run: async () => {
      const written = await savePolicy(owner, draft.text, saved?.version)
      // Discard the draft before the editor remounts with the saved text as the service formats it.
      discardDraft(owner)
      return written
    },
    done: ({ version }) => `Saved as version ${version}. It is now active.`,
    refresh: [policyOwnersKey(orgId), policyKey(owner)],
  })
  return (
    <>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <EditorCard
          owner={owner}
          saved={saved}
          draft={draft}
          check={check}
          onReview={() => setReviewed(draft.text)}
        />
        <PolicyTester owner={owner} policy={check.policy} isDraft={draft.isNew} />
      </div>
      {reviewed === draft.text && check.policy !== undefined ? (
        <ReviewCard
          owner={owner}
          before={saved?.text ?? ''}
          after={draft.text}
          policy={check.policy}
          busy={save.isPending}
          nextVersion={saved === null ? undefined : saved.version + 1}
          onSave={() => save.mutate()}
        />
      ) : null}
    </>
  )
}

type EditorCardProps = {
  owner: Owner
  saved: PolicyText | null
  draft: Draft
  check: Check
  onReview: () => void
}

function EditorCard({ owner, saved, draft, check, onReview }: EditorCardProps) {
  const canEdit = useCanEdit()
  return (
    <Card
      {...titleOf(saved, draft)}
      padded={false}
      actions={
        canEdit ? (
          <span className="flex flex-wrap gap-2">
            <TemplateMenu owner={owner} onChoose={draft.write} />
            {draft.isNew && saved !== null ? (
              <Button onClick={draft.discard}>Discard</Button>
            ) : null}
            <Button
              tone="primary"
              disabled={!draft.isNew || check.policy === undefined}
              onClick={onReview}
            >
              Review changes
            </Button>
          </span>
        ) : undefined
      }
    >
      <Editor
        label="Policy (YAML)"
        value={draft.text}
        onChange={draft.write}
        {...(check.problems === undefined ? {} : { problems: check.problems })}
        readOnly={!canEdit}
        help={POLICY_HELP}
        className="max-h-[36rem] min-h-64 border-0"
      />
      <ProblemList problems={check.problems} hasFailed={check.hasFailed} />
    </Card>
  )
}

function titleOf(saved: PolicyText | null, { isNew }: Draft): { title: string; note?: string } {
  if (saved !== null) return { title: `Version ${saved.version}${isNew ? ' (edited)' : ''}` }
  return { title: 'New policy', note: 'Not saved yet; edit this template to get started' }
}

type OrgRules = Parameters<typeof checkDraft>[1]['org']

/** Without problems and a policy until the draft was checked. */
type Check = Partial<DraftCheck> & { hasFailed: boolean }

/**
 * Validates the draft, for agents and teams together with the organisation policy. The code for it is loaded after the
 * page, which shows the policy without it.
 */
function useCheck({ kind }: Owner, text: string): Check {
  const document = useOrgDocument(useOrgId()).data
  const { data: check, isError: hasFailed } = useQuery({
    queryKey: ['check of policy drafts'],
    queryFn: async () => (await import('./check-draft.ts')).checkDraft,
    staleTime: Number.POSITIVE_INFINITY,
  })
  // The service validated this document; its wire type is wider than PolicyRules.
  const org = kind === 'org' ? undefined : ((document ?? undefined) as OrgRules)
  return useMemo(
    () => ({ ...check?.(text, { kind, org }), hasFailed }),
    [check, text, kind, org, hasFailed],
  )
}

type Draft = { text: string; isNew: boolean; write: (text: string) => void; discard: () => void }

function useDraft(owner: Owner, saved: PolicyText | null): Draft {
  const first = saved?.text ?? starterPolicy(owner)
  const draft = useSyncExternalStore(subscribeDrafts, () => findDraft(owner))
  const text = draft ?? first
  const isNew = text !== saved?.text
  useLeaveNote(draft !== undefined && isNew)
  return {
    text,
    isNew,
    write: (next) => {
      if (next === saved?.text) discardDraft(owner)
      else saveDraft(owner, next)
    },
    discard: () => discardDraft(owner),
  }
}

/** Tells the reader who leaves the page that the draft is kept, and not in force. */
function useLeaveNote(hasDraft: boolean): void {
  const toast = useToast()
  const latest = useRef({ hasDraft, toast })
  useEffect(() => {
    latest.current = { hasDraft, toast }
  })
  useEffect(
    () => () => {
      const { hasDraft: isKept, toast: tell } = latest.current
      if (isKept) tell('Your draft is kept in this browser. It is not in force until you save it.')
    },
    [],
  )
}
