import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Row } from './store.ts'
import { World } from './world.ts'

interface Item extends Row {
  group: string
  parts: string[]
}

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cloud-sim-store-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const stateFile = () => join(directory, 'state.db')

/** Opens a state with a stopped clock and three items, and records the keys of items that become due. */
async function openWorld() {
  const world = new World(stateFile(), { speed: 1 }, [])
  const items = world.table<Item>('item', { group: ({ group }) => group })
  const woken: string[] = []
  items.onWake(({ key }) => woken.push(key))
  world.reset()
  await world.transact(() => {
    for (const key of ['a', 'b', 'c']) items.save({ key, group: 'g', parts: [key], wakeAt: world.in(60) })
  })
  const seen = () => [...items.all()].map(({ key, parts }) => `${key}:${parts}`)
  const inGroup = () => items.having('group', 'g').map(({ key }) => key)
  return { world, items, woken, seen, inGroup, [Symbol.dispose]: () => world.close() }
}

const fail = (): never => {
  throw new Error('refused')
}

test.for<[string, (opened: Awaited<ReturnType<typeof openWorld>>) => unknown]>([
  ['a row that was made', ({ items }) => items.save({ key: 'd', group: 'g', parts: [] })],
  [
    'a row that was changed and saved',
    ({ items }) => items.get('a') && items.save({ key: 'a', group: 'g', parts: [] }),
  ],
  ['a row that was changed in place', ({ items }) => items.get('b')?.parts.push('more')],
  ['a row that was found by an index and changed', ({ items }) => items.having('group', 'g')[0]?.parts.push('more')],
  ['a row that was found in a scan and changed', ({ items }) => [...items.all()][1]?.parts.push('more')],
  [
    'a row that was removed and made again',
    ({ items }) => {
      items.remove({ key: 'b', group: 'g', parts: [] })
      items.save({ key: 'b', group: 'h', parts: ['other'] })
    },
  ],
  ['all rows that were removed', ({ items }) => items.clear()],
  [
    'the moment of a row that was moved',
    ({ world, items }) => {
      const row = items.get('a')
      if (row) items.save(Object.assign(row, { wakeAt: world.in(600) }))
    },
  ],
  ['a moment that came', ({ world }) => world.advance(61)],
])('a failed transaction restores %s: see atomically in store.ts', async ([, work]) => {
  using opened = await openWorld()
  const { world, woken, seen, inGroup } = opened
  const failed = world.transact(() => {
    work(opened)
    fail()
  })
  await expect(failed).rejects.toThrow('refused')
  expect([seen(), inGroup()]).toEqual([
    ['a:a', 'b:b', 'c:c'],
    ['a', 'b', 'c'],
  ])
  woken.length = 0
  world.advance(61)
  expect(woken.sort()).toEqual(['a', 'b', 'c'])
})

test('a failed transaction does not change the state file', async () => {
  {
    using opened = await openWorld()
    const { world, items } = opened
    await world.transact(() => items.save({ key: 'd', group: 'g', parts: [] }))
    await expect(
      world.transact(() => {
        items.clear()
        items.save({ key: 'e', group: 'g', parts: [] })
        fail()
      }),
    ).rejects.toThrow('refused')
  }
  const world = new World(stateFile(), { speed: 1 }, [])
  const keys = [...world.table<Item>('item').all()].map(({ key }) => key)
  world.close()
  expect(keys).toEqual(['a', 'b', 'c', 'd'])
})
