import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { bytesToHex } from '../base/encoding.ts'
import { cosignedMessage } from './cosignature.ts'
import { cosign, testKey } from './logs.fixture.ts'
import { createNoteKey, type NoteKey, parseVkey, writeVkey } from './note-key.ts'
import { parseNote, parseSignatureLines, signNote, verifyNote, writeNote } from './signed-note.ts'

const log = testKey('log.example/log', 'ed25519', 1)
const witness = testKey('witness.example/w1', 'cosignature', 2)
const stranger = testKey('stranger.example', 'ed25519', 3)

function keyOf(vkey: string): NoteKey {
  const key = parseVkey(vkey)
  if (!key.ok) throw new Error(key.reason)
  return key.value
}

function verify(note: string, keys: readonly NoteKey[]) {
  const parsed = parseNote(note)
  return parsed.ok ? verifyNote(parsed.value, keys) : parsed
}

/** The names of the keys whose signatures verify; what is wrong with the note, if anything. */
function verdict(note: string, keys: readonly NoteKey[]): string[] | string {
  const verified = verify(note, keys)
  return verified.ok ? verified.value.map(({ key }) => key.name) : verified.reason
}

describe('verifier keys and signed notes', () => {
  it.each([
    [
      'c2sp.org/signed-note',
      'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
      'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
    ],
    [
      'golang.org/x/mod/sumdb/note',
      'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n",
    ],
    [
      'the checksum database of Go',
      'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
      'go.sum database tree\n6476701\nmb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk=\n\n— sum.golang.org Az3grsLX85Gz+s1SiTbgkuqxgItqFq7gsMUEyVnrsa9LM7Us9S+1xbFIGu95949rj4nPRYfvimWEPWL+o3GeoWwOoAw=\n',
    ],
  ])('verify as in the example of %s', (_, vkey, note) => {
    const key = keyOf(vkey)
    expect(writeVkey(key)).toBe(vkey)
    expect(createNoteKey(key)).toEqual(key)
    expect(verdict(note, [key])).toEqual([key.name])
    expect(verdict(note.replace(/[a-z]/, 'X'), [key])).toMatch('does not verify')
  })

  it('keep empty lines in the text: the last one ends it', () => {
    const note = signNote('one\n\ntwo\n', log)
    expect(parseNote(note)).toMatchObject({ ok: true, value: { body: 'one\n\ntwo\n' } })
    expect(verdict(note, [log.key])).toEqual(['log.example/log'])
  })

  it('ignore unknown keys, also those that share the name or the id of a known one', () => {
    const body = 'text\n'
    const [, strange = ''] = signNote(body, stranger).split('\n\n')
    const sameName = strange.replace('stranger.example', log.key.name)
    const note = `${signNote(body, log)}${strange}${sameName}`
    expect(verdict(note, [log.key])).toEqual(['log.example/log'])
    expect(verdict(note, [])).toEqual([])
    expect(verdict(note, [witness.key])).toEqual([])
  })

  it('verify several signatures, of one key only the first', () => {
    const body = 'text\n'
    const time = 1_700_000_000
    const lines = [signNote(body, log), signNote(body, stranger)].map(
      (n) => n.split('\n\n')[1] ?? '',
    )
    const note = writeNote(body, [...lines, ...lines, cosign(body, witness, time)])
    const verified = verify(note, [stranger.key, log.key, witness.key])
    expect(verified.ok && verified.value.map(({ key, time: at }) => [key.name, at])).toEqual([
      [log.key.name, undefined],
      [stranger.key.name, undefined],
      [witness.key.name, time],
    ])
  })

  it('are invalid if any byte of a known signature or of the text is changed', () => {
    const body = 'origin\n1\nroot\n'
    const note = writeNote(body, [
      signNote(body, log).slice(body.length + 1),
      cosign(body, witness, 5),
    ])
    const keys = [log.key, witness.key]
    expect(verdict(note, keys)).toHaveLength(2)
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.integer({ min: 33, max: 126 }), (at, code) => {
        const changed = `${note.slice(0, at)}${String.fromCharCode(code)}${note.slice(at + 1)}`
        // A change of a name or an id makes the key unknown, so one signature fewer.
        const result = verdict(changed, keys)
        if (changed !== note) expect(typeof result === 'string' || result.length < 2).toBe(true)
      }),
      runs(2000),
    )
  })

  it.each([
    ['no empty line', 'text\n— a AAAAAAA=\n'],
    ['no signature', 'text\n\n'],
    ['no final line feed', 'text\n\n— a AAAAAAA='],
    ['a hyphen', 'text\n\n- a AAAAAAA=\n'],
    ['two spaces', 'text\n\n— a  AAAAAAA=\n'],
    ['a plus in the name', 'text\n\n— a+b AAAAAAA=\n'],
    ['a space in the name', 'text\n\n— a\u2003b AAAAAAA=\n'],
    ['a signature of no bytes', 'text\n\n— a AAAAAA==\n'],
    ['unpadded base64', 'text\n\n— a AAAAAAA\n'],
    ['a tab', 'te\txt\n\n— a AAAAAAA=\n'],
    ['a carriage return', 'text\r\n\n— a AAAAAAA=\n'],
    ['a lone surrogate', 'te\ud800xt\n\n— a AAAAAAA=\n'],
    ['101 signatures', `text\n\n${'— a AAAAAAA=\n'.repeat(101)}`],
  ])('are refused with %s', (_, note) => {
    expect(parseNote(note)).toMatchObject({ ok: false })
  })

  it('have signature lines that can be read alone, as a witness answers them', () => {
    const line = cosign('text\n', witness, 7)
    expect(parseSignatureLines(line)).toMatchObject({
      ok: true,
      value: [{ name: witness.key.name, keyId: witness.key.id }],
    })
    expect(parseSignatureLines('')).toMatchObject({ ok: false })
    expect(parseSignatureLines(line.trimEnd())).toMatchObject({ ok: false })
  })

  it.each([
    ['a+b', 'must have the form'],
    ['example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2l', 'does not belong'],
    ['example.com/fop+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k', 'does not belong'],
    ['example.com/foo+530d903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k', 'must have the form'],
    ['b c+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k', 'must have the form'],
    [
      'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k=',
      'must have the form',
    ],
  ])('have vkeys that are refused if malformed: %s', (vkey, reason) => {
    const key = parseVkey(vkey)
    expect(key.ok ? '' : key.reason).toMatch(reason)
  })

  it('have keys with a plus in their base64', () => {
    const keys = Array.from({ length: 40 }, (_, i) => testKey('a.example', 'cosignature', i).key)
    const withPlus = keys.filter((key) => writeVkey(key).split('+').length > 3)
    expect(withPlus.length).toBeGreaterThan(3)
    for (const key of withPlus) expect(parseVkey(writeVkey(key))).toEqual({ ok: true, value: key })
  })

  it('do not verify the signature of one type as that of the other', () => {
    const body = 'origin\n'
    const seed = 9
    const plain = testKey('same.example', 'ed25519', seed)
    const cosigner = testKey('same.example', 'cosignature', seed)
    expect(plain.key.id).not.toBe(cosigner.key.id)
    expect(verdict(signNote(body, plain), [cosigner.key])).toEqual([])
    const renamed = signNote(body, { ...plain, key: { ...plain.key, id: cosigner.key.id } })
    expect(verdict(renamed, [cosigner.key])).toMatch('does not verify')
  })
})

describe('cosignatures', () => {
  const body =
    'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n'

  it('sign the text of tlog-cosignature', () => {
    expect(cosignedMessage(body, 1_679_315_147)).toBe(`cosignature/v1\ntime 1679315147\n${body}`)
  })

  it('are an id, the time in eight bytes, and 64 bytes of signature', () => {
    const parsed = parseSignatureLines(cosign(body, witness, 0x0102030405))
    if (!parsed.ok) throw new Error(parsed.reason)
    const [line] = parsed.value
    expect(line?.signature).toHaveLength(72)
    expect(bytesToHex(line?.signature.subarray(0, 8) ?? new Uint8Array())).toBe('0000000102030405')
  })

  it('do not verify for another time', () => {
    const note = writeNote(body, [cosign(body, witness, 100)])
    const parsed = parseNote(note)
    if (!parsed.ok) throw new Error(parsed.reason)
    const [signature] = parsed.value.signatures
    if (signature === undefined) throw new Error('no signature')
    signature.signature[7] = 101
    expect(verifyNote(parsed.value, [witness.key])).toMatchObject({ ok: false })
  })
})
