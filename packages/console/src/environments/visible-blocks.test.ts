import { expect, test } from 'vitest'
import { visibleBlocks } from './visible-blocks.ts'

const ids = Array.from({ length: 130 }, (_, index) => `mi_${index}`)

test('requests have whole blocks of what is visible, so that scrolling a row needs none', () => {
  expect(visibleBlocks(ids, [0, 1, 2])).toEqual([ids.slice(0, 60)])
  expect(visibleBlocks(ids, [57, 58, 59, 60])).toEqual([ids.slice(0, 60), ids.slice(60, 120)])
  expect(visibleBlocks(ids, [129, 130, 131])).toEqual([ids.slice(120)])
  expect(visibleBlocks([], [0])).toEqual([])
})
