import { moduleInstances } from '../modules/module-instances/tables.ts'
import {
  allPlaces,
  type Declarations,
  placesIn,
  placesReferredTo,
  type RecordDeclaration,
} from '../platform/records.ts'
import { approvalRules } from './approval-rules/tables.ts'
import { freezes } from './freezes/tables.ts'
import { holds } from './holds/tables.ts'
import { policies } from './policies/tables.ts'

/** A rule is in the narrowest place that it names. It would go with its instance, whose user may not delete it. */
const rule = (
  table: typeof freezes | typeof approvalRules | typeof policies,
  names: Pick<RecordDeclaration, 'collection' | 'prefix' | 'label'>,
): RecordDeclaration => ({
  ...names,
  table,
  places: placesIn(table),
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
    // Where it was set, and where its instance is now.
    places: allPlaces(placesIn(holds), placesReferredTo(holds, holds.moduleInstanceId, placesIn(moduleInstances))),
  },
]
