import { hash } from 'node:crypto'
import type { Sha256 } from './sha256.ts'

export const sha256: Sha256 = {
  bytes: (input) => new Uint8Array(hash('sha256', input, 'buffer')),
  hex: (input) => hash('sha256', input, 'hex'),
}
