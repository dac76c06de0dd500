import type { DefaultValue, DefaultValueDefinition, Environment, Project } from '@sluice/contract'
import { expect, test } from 'vitest'
import { above, allLevels, effectiveAt, type Level } from './levels.ts'

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

test('above an environment stand its project and the organization', () => {
  expect(above(environment, levels, environments)).toEqual([project, organization])
  expect(above(project, levels, environments)).toEqual([organization])
  expect(above(organization, levels, environments)).toEqual([])
})

test('a key has the value of its level, and shows what it would inherit from the nearest above', () => {
  const [size, region, key] = effectiveAt(environment, [project, organization], definitions, values)
  expect([size?.own?.value, size?.inherited?.value.value, size?.inherited?.from]).toEqual([3, 2, project])
  expect([region?.own, region?.inherited?.value.value, region?.inherited?.from]).toEqual([
    undefined,
    'eu',
    organization,
  ])
  expect([key?.own, key?.inherited]).toEqual([undefined, undefined])
})
