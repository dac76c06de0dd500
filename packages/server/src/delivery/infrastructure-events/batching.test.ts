import { describe, expect, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { batchCalls } from './batching.ts'

/** Returns a write function that blocks until released, and records its items. */
function heldBack() {
  const batches: number[][] = []
  const releases: (() => void)[] = []
  const write = async (items: number[]) => {
    batches.push(items)
    await new Promise<void>((resolve) => releases.push(resolve))
    if (items.includes(13)) throw new Error('13 is not written')
    return items.map((item) => `${item} is written`)
  }
  return { batches, write, release: () => releases.shift()?.() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('batched writes', () => {
  test('items during a write are in the next batch, each with its own result', async () => {
    const { batches, write, release } = heldBack()
    const put = batchCalls(write, { mostAtOnce: 3 })
    const results = Promise.all([1, 2, 3, 4, 5].map(put))
    for (let round = 0; round < 3; round += 1) {
      await turn()
      release()
    }
    expect(await results).toEqual([1, 2, 3, 4, 5].map((item) => `${item} is written`))
    expect(batches).toEqual([[1], [2, 3, 4], [5]])
  })

  test('the first item waits for others for the configured time', async () => {
    const { batches, write, release } = heldBack()
    const put = batchCalls(write, { mostAtOnce: 3, sideBySide: 2, gatherMs: 1 })
    const results = Promise.all([1, 2, 3].map(put))
    await untilPasses(() => expect(batches).toEqual([[1, 2, 3]]))
    release()
    expect(await results).toHaveLength(3)
  })

  test('an item that cannot be written fails alone', async () => {
    const { write, release } = heldBack()
    const put = batchCalls(write, { mostAtOnce: 10 })
    const results = Promise.allSettled([1, 2, 13, 4].map(put))
    for (let round = 0; round < 5; round += 1) {
      await turn()
      release()
    }
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  })

  test('no item has a result before its write is complete', async () => {
    const { write, release } = heldBack()
    let isDone = false
    const done = batchCalls(write, { mostAtOnce: 10 })(1).then(() => {
      isDone = true
    })
    await turn()
    expect(isDone).toBe(false)
    release()
    await done
    expect(isDone).toBe(true)
  })
})
