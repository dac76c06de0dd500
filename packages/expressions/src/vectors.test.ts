import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { ExpressionError } from './errors.ts'
import { render } from './render.ts'

type Vector = { n: number; t: unknown; ctx: Record<string, unknown>; out?: unknown; error?: true }

const lines = readFileSync(new URL('./vectors.fixture.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const vectors = lines.map((line) => JSON.parse(line) as Vector)

test(
  'every test vector evaluates to its value or error',
  everyCase(vectors, ({ t, ctx, out, error }) => {
    if (error) expect(() => render(t, ctx)).toThrow(ExpressionError)
    else expect(render(t, ctx)).toEqual(out)
  }),
)
