import { type IacChangeReason, type IacChangeReasons, type IacChangeType, iacChangeReasons } from '@sluice/contract'
import type { Change, ResourceChange } from './plan-format.ts'

/** Planned change type of a resource, with its reasons. */
export type PlannedChange = { action: IacChangeType; why: IacChangeReasons }

/** `isOutside`: the resource was changed outside the tool. `deferral`: why its change is deferred. */
type Circumstances = { isOutside?: boolean; deferral?: string | undefined }

/**
 * Returns the planned change of a resource. The change type depends only on the tool's actions; imports, moves and
 * other details are reasons. @throws {Error} for unknown actions, which may destroy something
 */
export function plannedChange(resource: ResourceChange, circumstances: Circumstances = {}): PlannedChange {
  const { change, address, previous_address: previousAddress } = resource
  const action = actionOf(change, address)
  const isImport = isPresent(change.importing)
  const importId = change.importing?.id
  const replacePaths = change.replace_paths ?? []
  return {
    action: isImport && action === 'NO_OP' ? 'IMPORT' : action,
    why: {
      reasons: reasonsOf(resource, circumstances),
      ...(hasMoved(resource) && { previousAddress }),
      ...(isImport && importId !== undefined && { importId }),
      ...(replacePaths.length > 0 && { replacePaths: replacePaths.map((path) => path.join('.')) }),
    },
  }
}

/** Converts the actions of a change to a change type: one action, or the two of a replacement in any order. */
export function actionOf({ actions = [] }: Change, address: string): IacChangeType {
  const action = actionsOfTool.get(actions.toSorted().join())
  if (action) return action
  const found = actions.length === 0 ? 'no action' : `the unknown actions ${actions.join(', ')}`
  throw new Error(`the plan has ${found} for ${address}. Use a version of the tool that this version of Sluice knows`)
}

const actionsOfTool = new Map<string, IacChangeType>([
  ['no-op', 'NO_OP'],
  ['create', 'CREATE'],
  ['read', 'READ'],
  ['open', 'READ'],
  ['update', 'UPDATE'],
  ['delete', 'DELETE'],
  ['forget', 'FORGET'],
  ['create,delete', 'REPLACE'],
  ['create,forget', 'REPLACE'],
])

function reasonsOf(resource: ResourceChange, { isOutside, deferral }: Circumstances): IacChangeReason[] {
  const { change, deposed, action_reason: reason } = resource
  const { actions = [] } = change
  const candidates: [boolean, string][] = [
    [isPresent(change.importing), 'IMPORT'],
    [hasMoved(resource), 'MOVE'],
    [actions.includes('forget'), 'FORGET'],
    [isPresent(deposed), 'DEPOSED'],
    [isPresent(change.generated_config), 'GENERATED_CONFIG'],
    [actions[0] === 'create' && actions[1] === 'delete', 'CREATE_BEFORE_DESTROY'],
    [isOutside === true, 'CHANGED_OUTSIDE'],
    [isPresent(reason), String(reason).toUpperCase()],
    [deferral !== undefined, deferredBecause(deferral)],
  ]
  return candidates.flatMap(([holds, name]) => (holds ? iacChangeReasons.filter((known) => known === name) : []))
}

/** Converts the tool's deferral to a reason. Newer tools may have others. */
function deferredBecause(deferral = 'unknown'): string {
  const name = `DEFERRED_BECAUSE_${deferral.toUpperCase()}`
  return iacChangeReasons.find((known) => known === name) ?? 'DEFERRED_BECAUSE_UNKNOWN'
}

const hasMoved = ({ address, previous_address: previous }: ResourceChange): boolean =>
  isPresent(previous) && previous !== address

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== ''
