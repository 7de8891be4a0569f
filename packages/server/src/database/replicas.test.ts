import { describe, expect, it } from 'vitest'
import { isRead } from './replicas.ts'

describe('statements that a replica can answer', () => {
  it.each([
    'select * from agent where agent_id = $1',
    '  SELECT updated_at from card',
    'with recent as (select 1) select * from recent',
  ])('%s', (text) => {
    expect(isRead(text)).toBe(true)
  })

  it.each([
    'begin',
    'insert into agent values ($1) returning *',
    'update agent set name = $1',
    'with gone as (delete from job returning *) select * from gone',
    'with moved as (update job set run_at = now() returning 1) select * from moved',
    'select * from agent for update skip locked',
    'select * from agent for no key update',
    'select * from agent for key share',
    "select pg_notify('touchstone', $1)",
    'select pg_advisory_xact_lock($1)',
    "select nextval('agent_seq')",
  ])('but not %s', (text) => {
    expect(isRead(text)).toBe(false)
  })
})
