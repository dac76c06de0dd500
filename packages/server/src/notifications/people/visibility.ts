import type { NotificationPayload, PipelineRunNotice } from '@sluice/contract'
import { scopeOfInstance } from '../../modules/module-instances/places.ts'
import { type Access, type Scope, sees } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { accessOfPrincipal } from '../../projects/role-grants/access.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import type { NotificationDeliveryRow } from '../notification-deliveries/tables.ts'

/** Returns the deliveries that a member can no longer see. None for channels of the organization. */
export async function noLongerVisible(
  db: Db,
  { organizationId, membershipId }: NotificationChannelRow,
  deliveries: readonly NotificationDeliveryRow[],
): Promise<NotificationDeliveryRow[]> {
  if (membershipId === null) return []
  const access = await accessOfPrincipal(db, organizationId, membershipId)
  const seen = await Promise.all(deliveries.map(({ payload }) => seesPayload(db, organizationId, { access, payload })))
  return deliveries.filter((_, index) => !seen[index])
}

async function seesPayload(
  db: Db,
  organizationId: string,
  { access, payload }: { access: Access | undefined; payload: NotificationPayload },
): Promise<boolean> {
  if (!access) return false
  if (access.hidden.size === 0) return true
  const scope = await scopeOf(db, organizationId, payload)
  return scope === undefined || sees(access, scope)
}

/** Returns the scope of an event, or undefined if it is outside any project. */
async function scopeOf(db: Db, organizationId: string, { data }: NotificationPayload): Promise<Scope | undefined> {
  if (!('project' in data)) return undefined
  const { moduleInstanceId } = data as Partial<PipelineRunNotice>
  const ofInstance =
    moduleInstanceId === undefined ? undefined : await scopeOfInstance(db, organizationId, moduleInstanceId)
  const environment = 'environment' in data ? data.environment : undefined
  return ofInstance ?? { projectId: data.project.id, environmentId: environment?.id }
}
