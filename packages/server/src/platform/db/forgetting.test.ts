import { expect, test } from 'vitest'
import { firstIdAt, newId } from '../ids.ts'
import { batchSize, inBatches } from './forgetting.ts'

test('batches are removed until one is not full', async () => {
  const sizes = [batchSize, batchSize, 7, batchSize]
  await inBatches(async () => sizes.shift() ?? 0)
  expect(sizes).toEqual([batchSize])
})

test('ids made before a moment come before its first id, and all others after it', () => {
  const before = newId('evt')
  const moment = new Date(Date.now() + 1)
  while (Date.now() < moment.getTime());
  expect(before < firstIdAt('evt', moment)).toBe(true)
  expect(newId('evt') >= firstIdAt('evt', moment)).toBe(true)
})
