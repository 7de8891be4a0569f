import { mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Decided } from './decide.ts'
import { openJournal } from './journal.ts'

let folder: string

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'touchstone-journal-')), 'hooks')
})

const decided = (id: string): Decided => ({
  decision: 'allow',
  decision_id: id,
  escalation_id: null,
  findings: [],
  reasons: [],
  notices: [],
  enforced: true,
  approve_url: undefined,
  local: false,
})
const call = (args: object, id?: string) => ({
  tool: 'Read',
  arguments: args as Record<string, unknown>,
  call_id: id,
})
const done = { status: 'executed', duration_ms: 3, error: undefined, result: 'text' } as const
const open = () => openJournal(folder, 'codex', 'agent', 'session')

describe('a journal', () => {
  it('finds the decision of a call by the id of the client', () => {
    open().noteCall(call({ a: 1 }, 'one'), decided('dec-1'), 1)
    open().noteCall(call({ a: 1 }, 'two'), decided('dec-2'), 2)
    expect(open().noteOutcome(call({ a: 1 }, 'one'), done)).toMatchObject({
      decision_id: 'dec-1',
      status: 'executed',
      duration_ms: 3,
      result_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(open().noteOutcome(call({ a: 1 }, 'three'), done)).toBeUndefined()
  })

  it('finds it by equal arguments without an id, the newest without an outcome first', () => {
    for (const id of ['dec-1', 'dec-2']) open().noteCall(call({ a: 1, b: 2 }), decided(id), 1)
    open().noteCall(call({ a: 2 }), decided('dec-3'), 1)
    const same = call({ b: 2, a: 1 })
    const found = [1, 2, 3].map(() => open().noteOutcome(same, done)?.decision_id)
    expect(found).toEqual(['dec-2', 'dec-1', undefined])
  })

  it('knows what was not sent yet', () => {
    const journal = open()
    journal.noteCall(call({ text: 'x'.repeat(999) }, 'one'), decided('dec-1'), 1)
    journal.noteThinking('first')
    journal.noteOutcome(call({}, 'one'), done)
    const before = open().state()
    expect(before).toMatchObject({
      calls: [{ decision_id: 'dec-1', outcome: 'executed', arguments: { text: 'x'.repeat(200) } }],
      unreported: [{ decision_id: 'dec-1' }],
      thinking: ['first'],
    })
    journal.noteReported(['dec-1'])
    const read = { path: '/t', offset: 7 }
    journal.noteSent([before.calls[0]?.trace_id ?? ''], before.thoughts, read)
    journal.noteThinking('second')
    expect(open().state()).toMatchObject({
      calls: [],
      unreported: [],
      thinking: ['second'],
      position: read,
    })
  })

  it('is readable by its owner alone, and goes with its session and after a week', () => {
    open().noteCall(call({}, 'one'), decided('dec-1'), 1)
    const [file = ''] = readdirSync(folder)
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    writeFileSync(join(folder, 'old.jsonl'), '')
    utimesSync(join(folder, 'old.jsonl'), 1, 1)
    writeFileSync(join(folder, 'new.jsonl'), '')
    open().remove(Date.now())
    expect(readdirSync(folder)).toEqual(['new.jsonl'])
  })
})
