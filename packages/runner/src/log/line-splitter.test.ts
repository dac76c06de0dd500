import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { LineSplitter, maxLineBytes } from './line-splitter.ts'
import { Mask } from './mask.ts'

/** Returns the masked lines of a text that is read in pieces of these sizes. */
function linesOf(bytes: Buffer, sizes: number[], mask = new Mask()) {
  const lines = new LineSplitter(mask, 0)
  const found: { text: string; end: number }[] = []
  const shared = Buffer.alloc(Math.max(1, ...sizes)) // readers reuse the memory of a piece
  let from = 0
  for (let turn = 0; from < bytes.length; turn += 1) {
    const size = bytes.copy(shared, 0, from, from + (sizes[turn % sizes.length] ?? 1))
    from += size
    for (const line of lines.add(shared.subarray(0, size))) found.push({ ...line, text: mask.hide(line.text) })
  }
  for (const line of lines.flush()) found.push({ ...line, text: mask.hide(line.text) })
  return found
}

const texts = (bytes: Buffer, sizes: number[], mask?: Mask) => linesOf(bytes, sizes, mask).map(({ text }) => text)

describe('lines', () => {
  test('do not depend on the sizes of pieces and have correct end positions', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ß', '€', '😀', ' ', '"'), maxLength: 12 })
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (given, sizes) => {
        const bytes = Buffer.from(given.map((text) => `${text}\n`).join(''))
        const found = linesOf(bytes, sizes)
        expect(found.map(({ text }) => text)).toEqual(given)
        expect(found.at(-1)?.end ?? 0).toBe(bytes.length)
        for (const { end } of found) expect(bytes[end - 1]).toBe(0x0a)
      }),
      { numRuns: 300 },
    )
  })

  test('end with a newline, a carriage return and newline, or the end of the file', () => {
    expect(texts(Buffer.from('a\r\nb'), [1])).toEqual(['a', 'b'])
  })

  test('replace bytes that are not UTF-8', () => {
    expect(texts(Buffer.from([0x61, 0xff, 0x0a]), [2])).toEqual(['a\uFFFD'])
  })

  test('are split even if the text is a secret that overlaps itself', () => {
    const mask = new Mask()
    mask.add('aaaa')
    const text = 'a'.repeat(3 * maxLineBytes)
    expect(linesOf(Buffer.from(text), [64 * 1024], mask).at(-1)?.end).toBe(text.length)
  })

  test('are split at the maximum length without splitting a character', () => {
    const text = `x${'€'.repeat(maxLineBytes)}`
    const found = linesOf(Buffer.from(`${text}\n`), [64 * 1024])
    expect(found.map((line) => line.text).join('')).toBe(text)
    for (const line of found) expect(Buffer.byteLength(line.text)).toBeLessThanOrEqual(maxLineBytes)
    expect(found).toHaveLength(4) // the first line ends before the character that does not fit
  })

  test(
    'a secret across the split of a line is masked',
    everyCase([-3, -1, 0, 1, 5, 17], (offset) => {
      const mask = new Mask()
      mask.add('correct horse battery')
      const text = `${'x'.repeat(maxLineBytes - 10 + offset)}correct horse battery${'y'.repeat(100)}`
      const found = texts(Buffer.from(text), [1000], mask)
      expect(found.join('')).toBe(text.replace('correct horse battery', '***'))
    }),
  )
})

describe('a mask', () => {
  test('masks a secret, each of its lines, and the longer of two secrets first', () => {
    const mask = new Mask()
    mask.add('sesame')
    mask.add('open sesame')
    mask.add('-----BEGIN-----\nabcdefgh\n-----END-----')
    expect(mask.hide('open sesame! sesame? abcdefgh')).toBe('***! ***? ***')
  })

  test('does not mask very short secrets', () => {
    const mask = new Mask()
    mask.add('abc')
    expect(mask.hide('abc')).toBe('abc')
  })

  test('masks a secret in base64, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 40 }), fc.string(), fc.string(), (bytes, before, after) => {
        const secret = Buffer.from(bytes).toString('hex')
        const mask = new Mask()
        mask.add(secret)
        for (const form of ['base64', 'base64url'] as const) {
          const shown = mask.hide(Buffer.from(`${before}${secret}${after}`).toString(form))
          expect(shown).toContain('***')
          // At most the letters at both ends remain, which also encode bits of the neighbours.
          const left = Buffer.byteLength(before) + Buffer.byteLength(after)
          expect(shown.length - 3).toBeLessThanOrEqual(Math.ceil((left * 8) / 6) + 6)
        }
      }),
      { numRuns: 200 },
    )
  })
})

test('folders of an attempt are masked, and paths in them become relative', () => {
  const mask = new Mask()
  for (const folder of ['/var/runner/step_1-1', '/var/runner/step_1-1/files']) mask.addFolder(folder)
  mask.add('correct-horse')
  const line =
    'cd /var/runner/step_1-1/files && cat /var/runner/step_1-1/files/a$&.txt /var/runner/step_1-1/given/correct-horse'
  expect(mask.hide(line)).toBe('cd . && cat a$&.txt given/***')
  expect(mask.secrets).toEqual(['correct-horse'])
})
