import type { DefaultValue, DefaultValueDefinition, Environment, Project } from '@sluice/contract'

/** Scope with default values. */
export type Level = {
  parentType: DefaultValue['parentType']
  parentId: string
  name: string
  /** Undefined for the organization. */
  projectId?: string
}

/** Value of a key at a level, and its origin. */
export type Effective = {
  definition: DefaultValueDefinition
  /** Value set at this level. */
  own: DefaultValue | undefined
  /** Value set at the closest level above. */
  inherited: { value: DefaultValue; from: Level } | undefined
}

/** Returns all levels, each project followed by its environments. */
export function allLevels(
  organization: { id: string; name: string },
  projects: readonly Project[],
  environments: readonly Environment[],
): Level[] {
  return [
    { parentType: 'organization', parentId: organization.id, name: organization.name },
    ...projects.flatMap((project): Level[] => [
      { parentType: 'project', parentId: project.id, name: project.name, projectId: project.id },
      ...environments
        .filter(({ projectId }) => projectId === project.id)
        .map(
          ({ id, name }): Level => ({
            parentType: 'environment',
            parentId: id,
            name: `${project.name} / ${name}`,
            projectId: project.id,
          }),
        ),
    ]),
  ]
}

/** Returns the levels above a level, closest first. */
export function levelsAbove(level: Level, levels: readonly Level[], environments: readonly Environment[]): Level[] {
  const organization = levels.filter(({ parentType }) => parentType === 'organization')
  if (level.parentType === 'organization') return []
  const environment = environments.find(({ id }) => id === level.parentId)
  const project = levels.filter(({ parentId }) => parentId === environment?.projectId)
  return [...project, ...organization]
}

/** Returns the effective values of all keys at a level. */
export function effectiveValuesAt(
  level: Level,
  higher: readonly Level[],
  definitions: readonly DefaultValueDefinition[],
  values: readonly DefaultValue[],
): Effective[] {
  const valueAt = (definitionId: string, { parentId }: Level) =>
    values.find((one) => one.defaultValueDefinitionId === definitionId && one.parentId === parentId)
  return definitions.map((definition) => ({
    definition,
    own: valueAt(definition.id, level),
    inherited: higher.flatMap((from) => {
      const value = valueAt(definition.id, from)
      return value ? [{ value, from }] : []
    })[0],
  }))
}
