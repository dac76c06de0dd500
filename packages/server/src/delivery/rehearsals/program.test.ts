import { expect, test } from 'vitest'
import { reachedLimit } from './program.ts'

const ended = { outputBytes: 100_000, elapsedMs: 5_000, ended: null }

test.for([
  [
    'its output',
    { outputBytes: 9 * 1024 * 1024, ended: 'SIGKILL' },
    'its result is larger than 8388608 bytes; rehearse fewer scenarios',
  ],
  ['its time', { elapsedMs: 120_000, ended: 'SIGKILL' }, 'it took longer than 120 s; rehearse fewer scenarios'],
  ['its memory', { ended: 'SIGABRT' }, 'it needed more than 512 MiB of memory; rehearse fewer scenarios'],
  ['another program that ends it', { ended: 'SIGKILL' }, undefined],
  ['an error of its own', {}, undefined],
] as const)('a rehearsal that is ended by %s has the limit as its reason, or none', ([, change, limit]) => {
  expect(reachedLimit({ ...ended, ...change })).toBe(limit)
})
