import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { libsodium } from './libsodium.ts'
import { openThread, signInThread } from './signing-thread.ts'

function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { der: privateKey.export({ format: 'der', type: 'pkcs8' }), privateKey, publicKey }
}

describe('the signing thread', () => {
  it('signs each of many concurrent requests with its own key', async () => {
    const keys = [keyPair(), keyPair()]
    const asked = Array.from({ length: 100 }, (_, n) => ({
      key: keys[n % 2] ?? keyPair(),
      message: `message ${n}`,
    }))
    const signatures = await Promise.all(
      asked.map(({ key, message }) => signInThread(key.der, message)),
    )
    const good = asked.map(({ key, message }, at) =>
      verify(null, Buffer.from(message), key.publicKey, signatures[at] ?? new Uint8Array()),
    )
    expect(good).toEqual(asked.map(() => true))
  })

  it('rejects a request it cannot sign, and signs the next', async () => {
    const { der, publicKey } = keyPair()
    const broken = Uint8Array.of(1, 2, 3)
    const failed = [1, 2, 3].map(() => signInThread(broken, 'text'))
    for (const one of failed) await expect(one).rejects.toThrow()
    for (const text of ['alone', 'soon after']) {
      const signature = await signInThread(der, text)
      expect(verify(null, Buffer.from(text), publicKey, signature)).toBe(true)
    }
  })

  it('signs the same with libsodium and without', async () => {
    const { der: key, privateKey } = keyPair()
    const messages = ['', 'text', 'größer', '🙂'.repeat(1000), Buffer.from([0, 255])]
    const expected = Buffer.concat(
      messages.map((message) => sign(null, Buffer.from(message), privateKey)),
    )
    expect(libsodium).toBeDefined()
    for (const found of [libsodium, undefined]) {
      const thread = openThread({ libsodium: found })
      thread.postMessage({ key, messages })
      const [signatures] = await once(thread, 'message')
      await thread.terminate()
      expect(Buffer.from(signatures), String(found)).toEqual(expected)
    }
  })
})
