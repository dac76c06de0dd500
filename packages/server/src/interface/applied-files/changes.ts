import type { ManualChange } from '@sluice/contract'
import type { AuditEventRow } from '../../identity/audit-events/tables.ts'

/** Fields in files for audit log actions whose details do not name them. */
const fieldsOf: Record<string, readonly string[]> = {
  'default-values.update': ['value'],
  'environments.set-hold-rule': ['holdAfterRollback'],
  'environments.set-network': ['network'],
  'environments.remove-network': ['network'],
  'execution-assignments.update': ['executionEnvironment'],
  'pipeline-versions.create': ['config'],
  'projects.order-environments': ['environments'],
  'stacks.set-drift-schedule': ['schedule'],
}

const updated = [
  ...['approval-rules', 'default-value-definitions', 'default-values', 'environments', 'execution-assignments'],
  ...['execution-environments', 'freezes', 'module-definitions'],
  ...['module-instances', 'notification-channels', 'pipelines', 'policies', 'preview-templates', 'projects'],
  ...['promotion-rules', 'stacks'],
].map((records) => `${records}.update`)

const removed = [
  ...['approval-rules', 'default-value-definitions', 'default-values', 'domains', 'environments'],
  ...['execution-assignments', 'execution-environments', 'freezes', 'module-definitions'],
  ...['module-instances', 'module-versions', 'notification-channels', 'pipelines', 'policies', 'preview-templates'],
  ...['promotion-rules', 'role-grants', 'stacks'],
].map((records) => `${records}.delete`)

/** Audit log actions that change a record so that it differs from its file; for a pipeline, also a new version. */
export const actionsThatChangeRecords = [
  ...updated,
  ...removed,
  ...['environments.set-hold-rule', 'environments.set-network', 'environments.remove-network'],
  ...['projects.order-environments', 'stacks.set-drift-schedule'],
]

/** Documents without a record of their own, by the single action that changes what they describe. */
const actionOf: Record<string, string> = {
  EnvironmentOrder: 'projects.order-environments',
  DriftSchedule: 'stacks.set-drift-schedule',
}
const apart = Object.values(actionOf)

/** Returns the manual changes of what a file defines, from all changes. */
export const changesOf = (
  { id, name }: { id: string; name: string },
  changes: readonly AuditEventRow[],
): ManualChange[] => {
  const only = actionOf[name.split(' ', 1)[0] ?? '']
  return changes
    .filter(({ resourceId, details }) => resourceId === id || details?.pipelineId === id)
    .filter(({ action }) => (only === undefined ? !apart.includes(action) : action === only || isDeletion(action)))
    .map(shown)
}

const isDeletion = (action: string): boolean => removed.includes(action)

function shown({ createdAt, actorName, action, details }: AuditEventRow): ManualChange {
  const change = { at: createdAt.toISOString(), by: actorName }
  const isGone = isDeletion(action) || (action === 'stacks.set-drift-schedule' && details?.schedule === null)
  if (isGone) return { ...change, fields: [], isDeletion: true }
  return { ...change, fields: [...(fieldsOf[action] ?? fieldsIn(details ?? {}))] }
}

/** Returns the changed fields. For inputs, the audit log has the names; the version number of a policy is excluded. */
const fieldsIn = ({ version: _, ...details }: Record<string, unknown>): string[] =>
  Object.entries(details).flatMap(([name, value]) =>
    name === 'input' && Array.isArray(value) && value.length > 0
      ? value.map((input) => `input.${input}`)
      : [calledInFiles[name] ?? name],
  )

/** Names in files of references that the API has by id. */
const calledInFiles: Record<string, string> = {
  cloudAccountId: 'cloudAccount',
  environmentIds: 'environments',
  teamId: 'team',
  teamIds: 'teams',
}
