import { and, eq } from '../platform/db/drizzle.ts'
import { type Declarations, scopesFromColumns } from '../platform/records.ts'
import { iacResources } from './iac-resources/tables.ts'
import { previewEnvironments, previewTemplates } from './preview-environments/tables.ts'

export const infrastructureRecords: Declarations = [
  {
    collection: 'iac-resources',
    prefix: 'iac',
    label: 'resource',
    table: iacResources,
    dependsOn: { stacks: (id) => and(eq(iacResources.stackId, id), eq(iacResources.isInCurrentState, true)) },
  },
  {
    collection: 'preview-templates',
    prefix: 'pvt',
    label: 'preview template',
    table: previewTemplates,
    places: scopesFromColumns(previewTemplates),
    dependsOn: { environments: previewTemplates.environmentId },
  },
  {
    collection: 'preview-environments',
    prefix: 'pve',
    label: 'preview environment',
    table: previewEnvironments,
    places: scopesFromColumns(previewEnvironments),
  },
]
