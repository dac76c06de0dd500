import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { type CheckResult, combined } from '../findings.ts'
import { checkImages } from './images.ts'
import { checkLogGroups } from './log-groups.ts'
import { checkSecrets } from './secrets.ts'
import type { TaskDefinition } from './task-definition.ts'

/** Checks what the tasks of a task definition need to start. */
export async function checkTaskDefinition(
  clients: CloudClients,
  definition: TaskDefinition,
  place: { region: string; account: string; now: Date; isFargate: boolean },
): Promise<CheckResult> {
  const parts = await Promise.all([
    checkImages(clients, definition, place),
    checkSecrets(clients, definition, place),
    checkLogGroups(clients, definition, place),
  ])
  return combined(parts)
}
