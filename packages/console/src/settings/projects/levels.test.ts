import type { DefaultValue, DefaultValueDefinition, Environment, Project } from '@sluice/contract'
import { expect, test } from 'vitest'
import { allLevels, effectiveValuesAt, type Level, levelsAbove } from './levels.ts'

const projects = [{ id: 'shop', name: 'Shop' }] as Project[]
const environments = [
  { id: 'live', projectId: 'shop', name: 'production' },
  { id: 'lone', projectId: 'other', name: 'lost' },
] as Environment[]
const levels = allLevels({ id: 'org', name: 'Acme' }, projects, environments)
const [organization, project, environment] = levels as [Level, Level, Level]

const definitions = [{ id: 'size' }, { id: 'region' }, { id: 'key' }] as DefaultValueDefinition[]
const valueAt = (id: string, definition: string, parentId: string, value: unknown) =>
  ({ id, defaultValueDefinitionId: definition, parentId, value }) as DefaultValue
const values = [
  valueAt('1', 'size', 'org', 1),
  valueAt('2', 'size', 'shop', 2),
  valueAt('3', 'size', 'live', 3),
  valueAt('4', 'region', 'org', 'eu'),
]

test('every project is followed by its environments', () => {
  expect(levels.map(({ name }) => name)).toEqual(['Acme', 'Shop', 'Shop / production'])
})

test('the levels above an environment are its project and the organization', () => {
  expect(levelsAbove(environment, levels, environments)).toEqual([project, organization])
  expect(levelsAbove(project, levels, environments)).toEqual([organization])
  expect(levelsAbove(organization, levels, environments)).toEqual([])
})

test('a key has the value of its level, and shows the inherited value of the closest level above', () => {
  const [size, region, key] = effectiveValuesAt(environment, [project, organization], definitions, values)
  expect([size?.own?.value, size?.inherited?.value.value, size?.inherited?.from]).toEqual([3, 2, project])
  expect([region?.own, region?.inherited?.value.value, region?.inherited?.from]).toEqual([
    undefined,
    'eu',
    organization,
  ])
  expect([key?.own, key?.inherited]).toEqual([undefined, undefined])
})
