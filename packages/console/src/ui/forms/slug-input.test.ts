import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { slugInput, slugOf } from './slug-input.ts'

test(
  'a name suggests an ID',
  everyCase(
    [
      ['Web shop', 'web-shop'],
      ['  Zürich & Genève  ', 'zurich-geneve'],
      ['--a--', 'a'],
      ['', ''],
      [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
      [`-${'a'.repeat(70)}`, 'a'.repeat(63)],
    ],
    (name, id) => {
      expect(slugOf(name)).toBe(id)
      if (id !== '') expect(id).toMatch(new RegExp(`^${slugInput.pattern}$`))
    },
  ),
)
