import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { evaluate } from './expression.ts'
import { functionNames } from './functions.ts'

const page = readFileSync(new URL('../../../docs/reference/expressions.md', import.meta.url), 'utf8')
const [, roots = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
const blocks = [...page.matchAll(/```expr\n([\s\S]*?)```/g)].map(([, block = '']) => block.trimEnd())
const lines = blocks.flatMap((block) => block.split('\n'))

describe('the reference', () => {
  test(
    'is correct about every example',
    everyCase(lines, (line) => {
      const [, source = '', sign, said = ''] = /^(.*?)\s*\/\/ ([→✗]) (.*)$/.exec(line) ?? []
      const worth = () => evaluate(source, JSON.parse(roots))
      if (sign === '→') expect(worth()).toEqual(JSON.parse(said))
      else expect(worth).toThrow(said)
    }),
  )

  test('describes every function', () => {
    expect(functionNames.filter((name) => !lines.some((line) => line.includes(`${name}(`)))).toEqual([])
  })
})
