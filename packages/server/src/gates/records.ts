import { moduleInstances } from '../modules/module-instances/tables.ts'
import {
  combinedScopes,
  type Declarations,
  type RecordDeclaration,
  scopesFromColumns,
  scopesOfReferences,
} from '../platform/records.ts'
import { approvalRules } from './approval-rules/tables.ts'
import { freezes } from './freezes/tables.ts'
import { holds } from './holds/tables.ts'
import { policies } from './policies/tables.ts'

/**
 * Returns the places of a rule: those of the narrowest scope that it names. It would be deleted with its instance,
 * whose user may lack that permission.
 */
const rule = (
  table: typeof freezes | typeof approvalRules | typeof policies,
  names: Pick<RecordDeclaration, 'collection' | 'prefix' | 'label'>,
): RecordDeclaration => ({
  ...names,
  table,
  places: scopesFromColumns(table),
  dependsOn: { 'module-instances': table.moduleInstanceId },
})

export const gateRecords: Declarations = [
  rule(approvalRules, { collection: 'approval-rules', prefix: 'apr', label: 'approval rule' }),
  rule(freezes, { collection: 'freezes', prefix: 'frz', label: 'freeze' }),
  rule(policies, { collection: 'policies', prefix: 'pol', label: 'policy' }),
  {
    collection: 'holds',
    prefix: 'hld',
    label: 'hold',
    table: holds,
    places: combinedScopes(
      scopesFromColumns(holds),
      scopesOfReferences(holds, holds.moduleInstanceId, scopesFromColumns(moduleInstances)),
    ),
  },
]
