import { Link, useSearch } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { Fragment, type ReactNode } from 'react'
import { useNamesInText } from '../../names/member-name.tsx'
import { summaryText } from '../../names/service-text.ts'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DecisionMark } from '../../ui/marks.tsx'
import { readerDates } from '../../ui/reader-dates.ts'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { formatDate } from '../../ui/time.tsx'
import { CheckpointMarks } from '../agents/checkpoint-marks.tsx'
import { useRefusals } from '../agents/use-refusals.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { type Decision, type SessionOf, type SessionPart, useSessionParts } from './queries.ts'
import { type Moment, timelineOf } from './timeline.ts'

type SessionTimelineProps = {
  session: SessionOf
  /** The decision that is marked. */
  currentId: string | null
  /** True if other decisions open in the panel beside the list, not on their page. */
  inPanel?: boolean
  /** The newest moments only, if the session is not what the page is about. */
  momentsMax?: number
}

/** A session in order, with one decision marked. */
export function SessionTimeline(props: SessionTimelineProps) {
  const { session, currentId, inPanel = false, momentsMax = Number.POSITIVE_INFINITY } = props
  const { org_id: orgId, session_id: sessionId } = session
  const parts = useSessionParts(session)
  if (sessionId === null) return null
  return (
    <Card
      title="Session"
      note="Decisions, outcomes and checkpoints, oldest first"
      actions={
        <TextLink
          to="/o/$orgId/decisions"
          params={{ orgId }}
          search={{ session_id: sessionId }}
          className="text-sm"
        >
          View decisions
        </TextLink>
      }
    >
      <Loaded query={parts}>
        {(found) => (
          <Parts
            session={session}
            currentId={currentId}
            inPanel={inPanel}
            momentsMax={momentsMax}
            parts={found}
          />
        )}
      </Loaded>
    </Card>
  )
}

type PartsProps = Required<SessionTimelineProps> & {
  parts: { before: SessionPart; after: SessionPart }
}

function Parts({ parts, session, currentId, inPanel, momentsMax }: PartsProps) {
  const { before, after } = parts
  const checkpoints = [...before.checkpoints, ...after.checkpoints]
  const refusalOf = useRefusals(session.agent_id, checkpoints)
  const all = timelineOf([...before.decisions, ...after.decisions], checkpoints)
  const moments = all.slice(-momentsMax)
  return (
    <ol className="grid text-sm">
      {before.isCut || moments.length < all.length ? <Gap>Earlier events are not shown</Gap> : null}
      {moments.map((moment) => {
        const isCurrent = moment.key === currentId
        return (
          <Fragment key={moment.key}>
            <li
              aria-current={isCurrent ? 'true' : undefined}
              className={classNames(MOMENT, isCurrent ? 'bg-sunken before:bg-accent' : OTHER)}
            >
              <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                <MomentText
                  moment={moment}
                  isCurrent={isCurrent}
                  inPanel={inPanel}
                  refusalOf={refusalOf}
                />
                <time
                  dateTime={moment.at}
                  title={formatDate(moment.at)}
                  className="ml-auto text-xs whitespace-nowrap text-ink-faint tabular"
                >
                  {formatMoment(moment.at, session.decided_at)}
                </time>
              </div>
              <MomentNote moment={moment} />
            </li>
            {isCurrent && after.isCut ? <Gap>Only the newest later events are shown</Gap> : null}
          </Fragment>
        )
      })}
    </ol>
  )
}

const MOMENT =
  'relative border-l border-line-strong py-2 pl-5 before:absolute before:top-3.5 before:-left-1 before:size-2 before:rounded-full'
const OTHER = 'before:bg-line-strong'

function Gap({ children }: { children: ReactNode }) {
  return (
    <li className="border-l border-dashed border-line-strong py-2 pl-5 text-xs text-ink-faint">
      {children}
    </li>
  )
}

type MomentTextProps = {
  moment: Moment
  isCurrent: boolean
  inPanel: boolean
  refusalOf: ReturnType<typeof useRefusals>
}

function MomentText({ moment, isCurrent, inPanel, refusalOf }: MomentTextProps) {
  const orgId = useOrgId()
  if (moment.kind === 'checkpoint') {
    const { agent_id: agentId, checkpoint_id: checkpointId } = moment.checkpoint
    return (
      <>
        <CheckpointMarks checkpoint={moment.checkpoint} refusal={refusalOf(moment.checkpoint)} />
        <Link
          to="/o/$orgId/agents/$agentId/checkpoints/$checkpointId"
          params={{ orgId, agentId, checkpointId }}
          className="underline"
        >
          Checkpoint
        </Link>
      </>
    )
  }
  const { decision } = moment
  const OtherLink = inPanel ? PanelLink : PageLink
  const tool = <span className="font-mono text-[0.8125rem]">{escapeInvisible(decision.tool)}</span>
  if (moment.kind === 'outcome') {
    return (
      <>
        <OutcomeMark of={decision} />
        <span className="break-all text-ink-soft">{tool}</span>
      </>
    )
  }
  return (
    <>
      <DecisionMark decision={decision.decision} enforced={decision.enforced} />
      {isCurrent ? (
        <span className="font-medium break-all">{tool}</span>
      ) : (
        <OtherLink decision={decision}>{tool}</OtherLink>
      )}
    </>
  )
}

type DecisionLinkProps = { decision: Decision; children: ReactNode }

function PageLink({ decision, children }: DecisionLinkProps) {
  const { org_id: orgId, decision_id: decisionId } = decision
  return (
    <Link
      to="/o/$orgId/decisions/$decisionId"
      params={{ orgId, decisionId }}
      className="break-all underline"
    >
      {children}
    </Link>
  )
}

function PanelLink({ decision, children }: DecisionLinkProps) {
  const { org_id: orgId, decision_id: open } = decision
  const search = useSearch({ from: '/o/$orgId/decisions' })
  return (
    <Link
      to="/o/$orgId/decisions"
      params={{ orgId }}
      search={{ ...search, open }}
      resetScroll={false}
      className="break-all underline"
    >
      {children}
    </Link>
  )
}

function MomentNote({ moment }: { moment: Moment }) {
  const nameIn = useNamesInText()
  const text = noteOf(moment)
  if (text === undefined || text === '') return null
  return (
    <p className="line-clamp-2 text-xs break-words text-ink-soft">
      <TextWithCodes>{nameIn(text)}</TextWithCodes>
    </p>
  )
}

function noteOf(moment: Moment): string | undefined {
  if (moment.kind === 'decision') return moment.decision.reasons[0]?.message
  if (moment.kind === 'outcome') return moment.decision.outcome?.error ?? undefined
  const { concerns, reasoning_summary: summary } = moment.checkpoint
  return concerns[0]?.description ?? summaryText(summary)
}

const CLOCK = { hour: 'numeric', minute: '2-digit', second: '2-digit' } as const
const clock = readerDates(CLOCK)
const dated = readerDates({ ...CLOCK, month: 'short', day: 'numeric' })

/** The time of day, with the date if it is another day than that of the decision. */
function formatMoment(at: string, decidedAt: string): string {
  const time = new Date(at)
  const isSameDay = time.toDateString() === new Date(decidedAt).toDateString()
  return (isSameDay ? clock : dated).format(time)
}
