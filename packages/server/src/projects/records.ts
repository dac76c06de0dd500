import { type Declarations, type FindRecordScopes, scopesFromColumns, scopesOfReferences } from '../platform/records.ts'
import { defaultValueDefinitions, defaultValues } from './default-values/tables.ts'
import { domains } from './domains/tables.ts'
import { environments, projects } from './projects/tables.ts'

const placesOfProjects = scopesFromColumns(projects, { projectId: projects.id })
const placesOfEnvironments = scopesFromColumns(environments, { environmentId: environments.id })

/** Returns the places of default values, whose parent is the organization, a project or an environment. */
const placesOfParents: FindRecordScopes = async (db, organizationId, ids) => [
  ...(ids.includes(organizationId) ? (['organization'] as const) : []),
  ...(await placesOfProjects(db, organizationId, ids)),
  ...(await placesOfEnvironments(db, organizationId, ids)),
]

export const projectRecords: Declarations = [
  { collection: 'projects', prefix: 'prj', label: 'project', table: projects, places: placesOfProjects },
  {
    collection: 'environments',
    prefix: 'env',
    label: 'environment',
    table: environments,
    places: placesOfEnvironments,
    dependsOn: { projects: environments.projectId },
  },
  { collection: 'domains', prefix: 'dom', label: 'domain', table: domains, places: scopesFromColumns(domains) },
  {
    collection: 'default-value-definitions',
    prefix: 'dvd',
    label: 'default value definition',
    table: defaultValueDefinitions,
  },
  {
    collection: 'default-values',
    prefix: 'dv',
    label: 'default value',
    table: defaultValues,
    places: scopesOfReferences(defaultValues, defaultValues.parentId, placesOfParents),
    dependsOn: { 'default-value-definitions': defaultValues.defaultValueDefinitionId },
  },
  { collection: 'default-value-parents', places: placesOfParents },
]
