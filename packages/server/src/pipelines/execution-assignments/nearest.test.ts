import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { type EnvironmentSettings, mostSpecificSetting } from './nearest.ts'

const levels: (keyof EnvironmentSettings)[] = [
  'step',
  'instance',
  'moduleDefinition',
  'environment',
  'project',
  'organization',
]

const none: EnvironmentSettings = {
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
    expect(mostSpecificSetting(sayings)).toBe(`of the ${level}`)
  }),
)

test('without any setting there is no execution environment', () => expect(mostSpecificSetting(none)).toBeUndefined())
