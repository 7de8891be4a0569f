import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { CLI_BIN } from '#harness/process.ts'
import { startProgram } from '#harness/program.ts'
import { fullOrShort } from '#harness/runs.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { createHistory, LOG_VKEY } from '../../packages/cli/src/log/tile-log.fixture.ts'

const KILLS = fullOrShort({ full: 20, short: 3 })
const SIZE_MAX = 2000
/** From the start of the load to the kill. */
const LOAD_MS_MAX = 100

describe('a witness that is killed', () => {
  it('starts again at the last size that it cosigned, or one that it was about to answer', async () => {
    const dir = await temporaryDir()
    const history = await createHistory(Array.from({ length: SIZE_MAX }, (_, i) => i + 1))
    const args = [
      'witness',
      '--json',
      '--name=w.example',
      '--listen=127.0.0.1:0',
      `--log=${LOG_VKEY}`,
      `--data=${dir}/data`,
      `--key=${dir}/key.pem`,
    ]
    let size = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, output } = startProgram(CLI_BIN, { args })
      await expect.poll(output).toMatch(/"url": "[^"]+"/)
      const url = /"url": "([^"]+)"/.exec(output())?.[1] ?? ''
      const add = async (old: number, next: number) =>
        fetch(`${url}/add-checkpoint`, {
          method: 'POST',
          body: await history.addCheckpoint(old, next),
        })
      const known = await add(SIZE_MAX, SIZE_MAX)
      expect(known.status).toBe(409)
      const remembered = Number(await known.text())
      expect(remembered - size).toBeOneOf([0, 1])
      size = remembered
      const killed = once(child, 'close')
      setTimeout(() => child.kill('SIGKILL'), (LOAD_MS_MAX * (kill + 1)) / KILLS)
      for (;;) {
        const answer = await add(size, size + 1).catch(() => undefined)
        if (answer === undefined) break
        expect(answer.status).toBe(200)
        size += 1
      }
      await killed
    }
    expect(size).toBeGreaterThan(KILLS)
  })
})
