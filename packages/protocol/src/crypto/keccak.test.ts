import { describe, expect, it } from 'vitest'
import { keccak256Hex } from './keccak.ts'

describe('keccak256Hex', () => {
  it.each([
    ['agent-7f8a9b2c', '4bece3493124ecc3eb4b00df482d6ff70668963469be676305b5e601f64d6f5d'],
    ['agent-b8e34f21', '632f8d10087e0fd0de7006d16fab730056c46802d3e85e623d6dc3672f1bcaec'],
  ])('gives %s its on-chain id', (agentId, id) => {
    expect(keccak256Hex(agentId)).toBe(id)
  })
})
