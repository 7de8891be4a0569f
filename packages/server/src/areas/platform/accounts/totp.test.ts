import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptedStep, hotp, otpauthUri, stepAt, toBase32 } from './totp.ts'

const SECRETS = {
  sha1: Buffer.from('12345678901234567890'),
  sha256: Buffer.from('12345678901234567890123456789012'),
  sha512: Buffer.from('1234567890123456789012345678901234567890123456789012345678901234'),
}

/** RFC 6238, appendix B. */
const VECTORS = [
  [59, '94287082', '46119246', '90693936'],
  [1111111109, '07081804', '68084774', '25091201'],
  [1111111111, '14050471', '67062674', '99943326'],
  [1234567890, '89005924', '91819424', '93441116'],
  [2000000000, '69279037', '90698825', '38618901'],
  [20000000000, '65353130', '77737706', '47863826'],
] as const

/** RFC 4226, appendix D. */
const HOTP_VECTORS = [
  '755224',
  '287082',
  '359152',
  '969429',
  '338314',
  '254676',
  '287922',
  '162583',
  '399871',
  '520489',
]

describe('hotp', () => {
  it.each(VECTORS)('matches the vectors of RFC 6238 at %d s', (seconds, sha1, sha256, sha512) => {
    const step = stepAt(new Date(seconds * 1000))
    const codes = { sha1, sha256, sha512 }
    for (const algorithm of ['sha1', 'sha256', 'sha512'] as const) {
      const code = hotp(SECRETS[algorithm], step, { digits: 8, algorithm })
      expect(code, algorithm).toBe(codes[algorithm])
    }
  })

  it('matches the vectors of RFC 4226', () => {
    expect(HOTP_VECTORS.map((_, counter) => hotp(SECRETS.sha1, counter))).toEqual(HOTP_VECTORS)
  })
})

describe('acceptedStep', () => {
  const now = new Date(1_234_567_890_000)
  const step = stepAt(now)
  const judge = (code: string, lastStep = 0) => acceptedStep(SECRETS.sha1, { code, now, lastStep })

  it('accepts the code of the step before, the current and the next one', () => {
    for (const near of [step - 1, step, step + 1]) {
      expect(judge(hotp(SECRETS.sha1, near))).toBe(near)
    }
    for (const far of [step - 2, step + 2]) {
      expect(judge(hotp(SECRETS.sha1, far))).toBeUndefined()
    }
  })

  it('accepts no code twice, and none before an accepted one', () => {
    expect(judge(hotp(SECRETS.sha1, step), step)).toBeUndefined()
    expect(judge(hotp(SECRETS.sha1, step - 1), step)).toBeUndefined()
    expect(judge(hotp(SECRETS.sha1, step + 1), step)).toBe(step + 1)
  })

  it('refuses everything else', () => {
    for (const code of ['', '12345', '1234567', ' 05924', 'abcdef']) {
      expect(judge(code)).toBeUndefined()
    }
  })
})

describe('toBase32', () => {
  it('matches the vectors of RFC 4648, without padding', () => {
    const pairs = {
      '': '',
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      foobar: 'MZXW6YTBOI',
    }
    for (const [plain, encoded] of Object.entries(pairs)) {
      expect(toBase32(Buffer.from(plain))).toBe(encoded)
    }
  })

  it('has a character for each five bits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(toBase32(bytes)).toMatch(/^[A-Z2-7]*$/)
        expect(toBase32(bytes)).toHaveLength(Math.ceil((bytes.length * 8) / 5))
      }),
    )
  })
})

describe('otpauthUri', () => {
  it('names issuer and account and escapes both', () => {
    const uri = otpauthUri({ issuer: 'Touch stone', name: 'a+b@x.example', secret: SECRETS.sha1 })
    expect(uri).toBe(
      'otpauth://totp/Touch%20stone:a%2Bb%40x.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Touch%20stone&algorithm=SHA1&digits=6&period=30',
    )
  })
})
