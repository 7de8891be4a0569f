import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundQuestion } from './dev-question.ts'

const HASH = `0x${'ab'.repeat(32)}`
const TO = `0x${'cd'.repeat(20)}`

describe('boundQuestion', () => {
  it('allows read-only methods only', () => {
    for (const method of ['eth_sendRawTransaction', 'evm_mine', 'toString', '']) {
      expect(boundQuestion(method, [])).toBe('unknown')
    }
    expect(boundQuestion('eth_chainId', [])).toEqual({ params: [] })
    expect(boundQuestion('eth_getTransactionReceipt', [HASH])).toEqual({ params: [HASH] })
    expect(boundQuestion('eth_getCode', [TO])).toEqual({ params: [TO, 'latest'] })
  })

  it('bounds the parameters of every method', () => {
    for (const [method, params] of [
      ['eth_getBalance', [TO, '0x1']],
      ['eth_getStorageAt', [TO, '0x0', 'latest']],
      ['eth_getProof', [TO, [HASH], 'latest']],
      ['eth_getBlockByNumber', ['latest', true]],
      ['eth_getBlockByHash', [HASH, false]],
      ['eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0']],
      ['eth_feeHistory', ['0x5', 'latest', [25, 75]]],
    ] as const) {
      expect(boundQuestion(method, params), method).toEqual({ params })
    }
    for (const [method, params] of [
      ['eth_getBalance', [TO, { blockHash: HASH }]],
      ['eth_getStorageAt', [TO, 'x']],
      ['eth_getProof', [TO, Array.from({ length: 21 }, () => HASH)]],
      ['eth_getBlockByNumber', ['latest', 'true']],
      ['eth_getBlockReceipts', [HASH, HASH]],
      ['eth_feeHistory', ['0x65', 'latest']],
      ['eth_feeHistory', [0, 'latest']],
      ['eth_feeHistory', ['0x5', 'latest', [101]]],
      ['eth_syncing', [1]],
    ] as const) {
      expect(boundQuestion(method, params), method).toBe('malformed')
    }
  })

  it('allows nothing that writes, signs or lists accounts of the node', () => {
    for (const method of ['eth_accounts', 'eth_sign', 'eth_sendTransaction', 'eth_newFilter']) {
      expect(boundQuestion(method, [])).toBe('unknown')
    }
  })

  it('caps the gas of a call at the limit of a transaction', () => {
    fc.assert(
      fc.property(fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })), (gas) => {
        const asked = { to: TO, ...(gas === null ? {} : { gas: `0x${gas.toString(16)}` }) }
        const bound = boundQuestion('eth_call', [asked, 'latest'])
        const [call] = (bound as { params: { gas: string }[] }).params
        expect(Number(call?.gas)).toBeLessThanOrEqual(2 ** 24)
      }),
    )
  })

  it('drops all other fields of a call', () => {
    const asked = { to: TO, input: '0x00', gasPrice: '0x1', accessList: [], nonce: '0x1' }
    expect(boundQuestion('eth_call', [asked])).toEqual({
      params: [{ to: TO, data: '0x00', gas: '0x1000000' }, 'latest'],
    })
    for (const params of [
      [{ to: TO }, 'latest', { [TO]: { code: '0x5b600056' } }],
      [{ to: TO, data: 'x' }],
      [{ to: TO, gas: 1e9 }],
      [{ to: TO }, { blockNumber: '0x1' }],
      ['nonsense'],
      [],
    ]) {
      expect(boundQuestion('eth_call', params)).toBe('malformed')
    }
  })

  it('limits the block range of a log query', () => {
    const range = (fromBlock?: string, toBlock?: string) =>
      boundQuestion('eth_getLogs', [{ address: TO, topics: [HASH, null], fromBlock, toBlock }])
    for (const [from, to] of [['0x5', '0x68'], ['latest'], [], ['latest', 'latest']]) {
      expect(range(from, to)).toMatchObject({ params: [{ address: TO }] })
    }
    for (const [from, to] of [['0x5', '0x69'], ['0x0', 'latest'], ['earliest'], ['0x0']]) {
      expect(range(from, to)).toBe('malformed')
    }
    expect(boundQuestion('eth_getLogs', [{ blockHash: HASH }])).toMatchObject({
      params: [{ blockHash: HASH }],
    })
    const topics = Array.from({ length: 5 }, () => HASH)
    expect(boundQuestion('eth_getLogs', [{ topics }])).toBe('malformed')
  })
})
