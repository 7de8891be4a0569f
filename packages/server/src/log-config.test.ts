import { ed25519PublicKey } from '@touchstone/protocol/crypto'
import { createNoteKey, writeVkey } from '@touchstone/protocol/log'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const vkeyOf = (fill: number, type: 'cosignature' | 'ed25519' = 'cosignature') => {
  const publicKey = ed25519PublicKey(new Uint8Array(32).fill(fill))
  return writeVkey(createNoteKey({ name: `w${fill}.example`, type, publicKey }))
}

const FIRST = { name: 'first', vkey: vkeyOf(1), url: 'https://w1.example' }
const SECOND = { name: 'second', vkey: vkeyOf(2), url: 'https://w2.example/sub' }

const read = (env: Record<string, string>) => readConfig(env, '/').witnessedLog
const withWitnesses = (witnesses: unknown, quorum = '0') =>
  read({ WITNESSES: JSON.stringify(witnesses), WITNESS_QUORUM: quorum })

describe('the settings of the log', () => {
  it('need nothing', () => {
    expect(read({})).toEqual({
      origin: undefined,
      store: { kind: 'database' },
      witnesses: [],
      witnessQuorum: 0,
    })
  })

  it('name witnesses and how many of them must cosign', () => {
    const { witnesses, witnessQuorum } = withWitnesses([FIRST, SECOND], '2')
    expect(witnesses.map(({ name, url }) => ({ name, url }))).toEqual([
      { name: 'first', url: FIRST.url },
      { name: 'second', url: SECOND.url },
    ])
    expect(witnessQuorum).toBe(2)
  })

  it('do not start with a quorum above the number of witnesses', () => {
    expect(() => withWitnesses([FIRST, SECOND], '3')).toThrow(
      'no checkpoint would ever be published',
    )
    expect(() => read({ WITNESS_QUORUM: '1' })).toThrow('no checkpoint would ever be published')
  })

  it.each([
    ['a list of something else', ['first'], 'must be a JSON list'],
    ['no list', FIRST, 'must be a JSON list'],
    ['a name with a space', [{ ...FIRST, name: 'the first' }], 'a name has letters'],
    ['the name none', [{ ...FIRST, name: 'none' }], 'a name has letters'],
    [
      'a vkey with a wrong id',
      [{ ...FIRST, vkey: vkeyOf(1).replace('w1', 'w9') }],
      'the vkey of first',
    ],
    ['the key of a log', [{ ...FIRST, vkey: vkeyOf(1, 'ed25519') }], 'not that of a witness'],
    ['a name twice', [FIRST, { ...SECOND, name: 'first' }], 'listed twice'],
    ['a key twice', [FIRST, { ...SECOND, vkey: FIRST.vkey }], 'listed twice'],
    [
      'an address inside of the network',
      [{ ...FIRST, url: 'http://10.0.0.1' }],
      'the url of first',
    ],
  ])('refuse %s', (_, witnesses, message) => {
    expect(() => withWitnesses(witnesses)).toThrow(message)
  })

  it('keep tiles in a folder or a bucket', () => {
    expect(read({ LOG_STORE: 'file:///var/lib/log' }).store).toEqual({
      kind: 'file',
      folder: '/var/lib/log',
    })
    const secrets = { LOG_S3_ACCESS_KEY_ID: 'id', LOG_S3_SECRET_ACCESS_KEY: 'secret' }
    expect(read({ LOG_STORE: 's3://bucket/log/', ...secrets }).store).toMatchObject({
      kind: 's3',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      bucket: 'bucket',
      prefix: 'log/',
    })
    expect(() => read({ LOG_STORE: 's3://bucket' })).toThrow('LOG_S3_ACCESS_KEY_ID')
    for (const store of ['folder', 'file://host/folder', 's3://B', 'https://store.example']) {
      expect(() => read({ LOG_STORE: store, ...secrets }), store).toThrow('LOG_STORE must be')
    }
  })

  it('name the log', () => {
    expect(read({ LOG_ORIGIN: 'example.com/log' }).origin).toBe('example.com/log')
    for (const origin of ['my log', 'a+b']) {
      expect(() => read({ LOG_ORIGIN: origin }), origin).toThrow('LOG_ORIGIN')
    }
  })
})
