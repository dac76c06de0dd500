import type { DefaultValue, DefaultValueDefinition, Environment, Project } from '@sluice/contract'

/** A place that default values are set at. */
export type Level = {
  parentType: DefaultValue['parentType']
  parentId: string
  name: string
  /** Absent of the organization. */
  projectId?: string
}

/** What a key comes to at a level, and which level says so. */
export type Effective = {
  definition: DefaultValueDefinition
  /** Set at this very level. */
  own: DefaultValue | undefined
  /** Set at the nearest level above that has one. */
  inherited: { value: DefaultValue; from: Level } | undefined
}

/** All levels, each project followed by its environments. */
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

/** The levels above one, the nearest first. */
export function above(level: Level, levels: readonly Level[], environments: readonly Environment[]): Level[] {
  const organization = levels.filter(({ parentType }) => parentType === 'organization')
  if (level.parentType === 'organization') return []
  const environment = environments.find(({ id }) => id === level.parentId)
  const project = levels.filter(({ parentId }) => parentId === environment?.projectId)
  return [...project, ...organization]
}

/** What each key comes to at a level. */
export function effectiveAt(
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
