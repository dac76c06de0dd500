import { removeControlCharactersExceptColours } from '@sluice/calls/control-characters'
import { expect, onTestFinished, test, vi } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { outputs } from './output.ts'
import { printAnswer, printList } from './print.ts'

/** Returns what `print` writes to stdout. */
function written(print: () => void): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => void write.mockRestore())
  write.mockClear()
  print()
  return write.mock.calls.map(([text]) => text).join('')
}

const steering = 'a\u001b[2Jb\u009b2Jc\u202ed\r\n\u0000e'

test(
  'text from other users cannot control a terminal or break the line of a name',
  everyCase(outputs, (output) => {
    const record = { id: steering, [steering]: steering }
    const rows = { whole: { data: [record] }, columns: ['id', steering], none: '' }
    for (const text of [
      written(() => printAnswer(record, { output })),
      written(() => printList([record], { output }, rows)),
    ]) {
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
      if (output === 'name') expect(text.split('\n')).toHaveLength(2)
      if (output === 'json') expect(text).toContain('\\u009b')
    }
  }),
)

test('escaped JSON has the same value', () => {
  expect(JSON.parse(written(() => printAnswer({ steering }, { output: 'json' })))).toEqual({ steering })
})

test('a record with a data member of its own is one row', () => {
  expect(written(() => printAnswer({ id: 'dep_1', data: { id: 'other' } }, { output: 'name' }))).toBe('dep_1\n')
  expect(written(() => printAnswer({ data: [{ id: 'a' }, { name: 'b' }], meta: {} }, { output: 'name' }))).toBe(
    'a\nb\n',
  )
})

test('step output keeps colours and no other control sequences', () => {
  const [red, reset] = ['\u001b[31m', '\u001b[0m']
  expect(removeControlCharactersExceptColours(`${red}red\u001b[2J\u001b]52;c;eA==\u0007\n`)).toBe(`${red}red${reset}\n`)
  expect(removeControlCharactersExceptColours('plain\n')).toBe('plain\n')
})
