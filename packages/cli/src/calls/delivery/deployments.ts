import { findModuleInstance } from '@sluice/calls/find'
import { connect, type UrlOption } from '../connect.ts'
import { objectOf, readFields } from '../fields.ts'
import { checkDeployment } from './deployment-check.ts'
import { type FollowArguments, followOrPrint } from './follow.ts'
import { watchDeployment } from './watch.ts'

type Wishes = UrlOption & FollowArguments

/** Releases a module instance, or with `--dry-run` only checks the release. */
export async function deploy(
  instance: string,
  words: string[],
  wishes: Wishes & { description: string; idempotencyKey?: string; dryRun?: true },
): Promise<void> {
  const inputs = objectOf(readFields(words))
  const client = connect(wishes)
  const { id: moduleInstanceId, givenId } = await findModuleInstance(client, instance)
  const data = { moduleInstanceId, description: wishes.description, inputs }
  if (wishes.dryRun) return checkDeployment(client, data, wishes)
  const { idempotencyKey } = wishes
  const { data: accepted } = await client.createDeployment({ body: { data } }, idempotencyKey ? { idempotencyKey } : {})
  await followOrPrint(client, accepted, `deploys ${givenId}`, wishes, watchDeployment)
}

/** Repeats exactly the release of an earlier deployment. */
export async function redeploy(id: string, wishes: Wishes): Promise<void> {
  const client = connect(wishes)
  const { data: accepted } = await client.redeployDeployment({ params: { id } })
  await followOrPrint(client, accepted, `deploys again what ${id} deployed`, wishes, watchDeployment)
}

/** Rolls back to an earlier release and waits until it is done. */
export async function rollback(id: string, { to, ...wishes }: Wishes & { to?: string }): Promise<void> {
  const data = to === undefined ? {} : { toDeploymentId: to }
  const client = connect(wishes)
  const { data: accepted } = await client.rollbackDeployment({ params: { id }, body: { data } })
  await followOrPrint(
    client,
    accepted,
    `returns from ${id} to ${accepted.rollbackToDeploymentId}`,
    wishes,
    watchDeployment,
  )
}

/** Continues a paused deployment. */
export async function continueDeployment(id: string, { hook, ...wishes }: Wishes & { hook?: string }): Promise<void> {
  const data = hook === undefined ? {} : { hookId: hook }
  const client = connect(wishes)
  const { data: continued } = await client.continueDeployment({ params: { id }, body: { data } })
  await followOrPrint(client, continued, 'goes on', wishes, watchDeployment)
}
