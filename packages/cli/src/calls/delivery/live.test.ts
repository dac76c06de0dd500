import { expect, test } from 'vitest'
import { Live } from './live.ts'

const esc = '\u001b'
const written = new RegExp(`${esc}\\[(\\d+)A${esc}\\[J|${esc}\\[\\?7[hl]|\\r|\\n|[^${esc}\\r\\n]+`, 'g')

/** Emulates a terminal with this many rows and returns its text, including what has scrolled off. */
function terminal(rows: number) {
  const lines: string[] = ['']
  const write = (text: string) => {
    for (const [part, up] of text.matchAll(written)) {
      if (up !== undefined) {
        if (Number(up) >= rows) throw new Error('It moves up beyond what is on the screen.')
        lines.splice(lines.length - 1 - Number(up), Number.POSITIVE_INFINITY, '')
      } else if (part === '\n') lines.push('')
      else if (!part.startsWith(esc) && part !== '\r') lines[lines.length - 1] += part
    }
    return true
  }
  return { screen: { write, rows }, shown: () => lines.slice(0, -1) }
}

test('lines are redrawn in place, below text written meanwhile', () => {
  const { screen, shown } = terminal(10)
  const live = new Live(screen)
  live.write('first\n')
  live.show(['a 1', 'b 1'])
  live.show(['a 2', 'b 2', 'c 2'])
  live.write('second\nthird')
  live.show(['a 3'])
  expect(shown()).toEqual(['first', 'second', 'third', 'a 3'])
})

test('only as many lines are drawn as fit: the first one and the last ones', () => {
  const { screen, shown } = terminal(4)
  const live = new Live(screen)
  for (const round of [1, 2]) live.show(['head', 'a', 'b', 'c', `d ${round}`])
  expect(shown()).toEqual(['head', 'c', 'd 2'])
})
