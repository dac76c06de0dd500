import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { bundledPolicies } from './bundled.ts'
import { work } from './evaluate.ts'
import { isList, isRecord, type Type } from './types.ts'
import { variablesOf } from './variables.ts'

test(
  'every bundled policy passes its own tests, which cover both decisions',
  everyCase(bundledPolicies, (policy) => {
    const { expression, guards, tests } = policy
    const subjects = tests.map(({ given }) => given)
    const [answer] = work({ expressions: [expression], variables: variablesOf[guards], subjects }, 1_000)
    expect(answer).toEqual({ verdicts: tests.map(({ expect: verdict }) => ({ verdict })) })
    expect(new Set(tests.map(({ expect: verdict }) => verdict)).size).toBe(2)
  }),
)

const paths = (type: Type, path: string): string[] => {
  if (isList(type)) return paths(type.list, `${path}[]`)
  if (!isRecord(type)) return [path]
  return Object.entries(type.fields).flatMap(([name, field]) => paths(field, path === '' ? name : `${path}.${name}`))
}

test(
  'docs/reference/policies.md lists every variable of every type of expression',
  everyCase(Object.entries(variablesOf), (_, variables) => {
    const page = readFileSync(new URL('../../../../../docs/reference/policies.md', import.meta.url), 'utf8')
    for (const path of paths({ fields: variables }, '')) expect(page).toContain(`\`${path}\``)
  }),
)
