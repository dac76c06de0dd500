import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { nearest, type Sayings } from './nearest.ts'

const levels: (keyof Sayings)[] = ['step', 'instance', 'moduleDefinition', 'environment', 'project', 'organization']

const none: Sayings = {
  step: undefined,
  instance: undefined,
  moduleDefinition: undefined,
  environment: undefined,
  project: undefined,
  organization: undefined,
}

test(
  'each level overrides the levels further away',
  everyCase(levels, (level) => {
    const further = levels.slice(levels.indexOf(level))
    const sayings = { ...none, ...Object.fromEntries(further.map((one) => [one, `of the ${one}`])) }
    expect(nearest(sayings)).toBe(`of the ${level}`)
  }),
)

test('without any setting there is no execution environment', () => expect(nearest(none)).toBeUndefined())
