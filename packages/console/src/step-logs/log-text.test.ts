import { expect, test } from 'vitest'
import { findLines, linesOf } from './log-text.ts'

const chunk = (text: string) => ({ sequence: 1, attempt: 1, writtenAt: '2026-01-01T00:00:00Z', text })

test('a chunk of a log is split into lines, including empty ones', () => {
  expect(linesOf(chunk('one\n\ntwo\n')).map(({ text }) => text)).toEqual(['one', '', 'two'])
})

test('a new attempt is marked by a line', () => {
  expect(linesOf({ ...chunk('again\n'), attempt: 2 }, 1).map(({ plain }) => plain)).toEqual([
    '── attempt 2 ──',
    'again',
  ])
})

test('colors, links and titles do not affect a search', () => {
  const written = '\u001B[1m\u001B[32mApply\u001B[0m complete \u001B]8;;https://a.example\u0007here\u001B]8;;\u0007\n'
  const [line] = linesOf(chunk(written))
  expect(line?.plain).toBe('Apply complete here')
  expect(`${line?.text}\n`).toBe(written)
})

test('a search ignores case, and an empty one finds nothing', () => {
  const lines = linesOf(chunk('Plan: 3 to add\nnothing\nPLAN again\n'))
  expect(findLines(lines, ' plan ')).toEqual([0, 2])
  expect(findLines(lines, '  ')).toEqual([])
})
