import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { untilPasses } from './until-passes.ts'

test('a check that passes after a while ends the wait', async () => {
  let count = 0
  await untilPasses(() => expect(++count).toBe(3))
  expect(count).toBe(3)
})

test('a check whose error stays the same fails with that error', async () => {
  await expect(untilPasses(() => expect('waiting').toBe('done'), 20)).rejects.toThrow("expected 'waiting' to be 'done'")
})

test('a check whose error changes is repeated beyond the time limit', async () => {
  let count = 0
  await untilPasses(() => expect(++count).toBe(10), 50)
  expect(count).toBe(10)
})

test('no test waits for a fixed time: `eventually` and `untilPasses` wait as long as something changes', () => {
  const files = globSync(
    '{packages/*/{src,crash,demo,hostile,storm},deploy,e2e,testing,scripts}/**/*.{test,fixture}.{ts,tsx}',
  )
  expect(files.length).toBeGreaterThan(500)
  const fixed = files.filter((file) => /\b(vi\.wait(For|Until)|expect\s*\.poll)\(/.test(readFileSync(file, 'utf8')))
  expect(fixed).toEqual([])
})
