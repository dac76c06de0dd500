import { cloudAccounts } from '../cloud/cloud-accounts/tables.ts'
import { and, eq, like, ne, sql } from '../platform/db/drizzle.ts'
import { type Declarations, scopesFromColumns, scopesOfReferences } from '../platform/records.ts'
import { iacStateVersions } from '../stacks/iac-states/tables.ts'
import { stacks, stackWorkspaces } from '../stacks/stacks/tables.ts'
import { moduleDefinitions, moduleVersions } from './module-definitions/tables.ts'
import { scopesOfStacks } from './module-instances/places.ts'
import { moduleInstances } from './module-instances/tables.ts'

const isPresent = ne(moduleInstances.status, 'DESTROYED')
const input = sql`${moduleInstances.input}::text`
const namesId = (id: string) => like(input, `%"${id}"%`)
/** Selects records whose input contains an ARN of the account. */
const namesNumberOf = (id: string) =>
  sql`${input} like '%:' || (select ${cloudAccounts.cloudId} from ${cloudAccounts} where ${cloudAccounts.id} = ${id}) || ':%'`

const placesOfWorkspaces = scopesOfReferences(stackWorkspaces, stackWorkspaces.stackId, scopesOfStacks)

/** Includes stacks, which belong to the environment of their instance. */
export const moduleRecords: Declarations = [
  { collection: 'module-definitions', prefix: 'md', label: 'module definition', table: moduleDefinitions },
  { collection: 'module-versions', prefix: 'mv', label: 'module version', table: moduleVersions },
  {
    collection: 'module-instances',
    prefix: 'mi',
    label: 'module instance',
    table: moduleInstances,
    places: scopesFromColumns(moduleInstances),
    dependsOn: {
      projects: moduleInstances.projectId,
      'module-definitions': moduleInstances.moduleDefinitionId,
      'module-versions': moduleInstances.moduleVersionId,
      environments: (id) => and(eq(moduleInstances.environmentId, id), isPresent),
      stacks: (id) => and(eq(moduleInstances.stackId, id), isPresent),
      'cloud-accounts': (id) => and(isPresent, sql`(${namesId(id)} or ${namesNumberOf(id)})`),
      'execution-environments': (id) => and(isPresent, namesId(id)),
    },
  },
  {
    collection: 'stacks',
    prefix: 'stk',
    label: 'stack',
    table: stacks,
    places: scopesOfStacks,
    dependsOn: { projects: stacks.projectId },
  },
  {
    collection: 'stack-workspaces',
    prefix: 'wsp',
    label: 'workspace',
    table: stackWorkspaces,
    places: placesOfWorkspaces,
    dependsOn: { stacks: stackWorkspaces.stackId },
  },
  {
    collection: 'iac-state-versions',
    prefix: 'isv',
    label: 'state',
    table: iacStateVersions,
    places: scopesOfReferences(iacStateVersions, iacStateVersions.workspaceId, placesOfWorkspaces),
  },
]
