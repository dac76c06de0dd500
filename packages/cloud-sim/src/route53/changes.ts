import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { base32 } from '../ids.ts'
import type { World } from '../world.ts'
import { dnsReply } from './answers.ts'
import { type Change, route53 } from './state.ts'

/** Creates a change, whose status shows when it has propagated to all name servers. */
export const recordChange = (world: World, { accountId }: Caller, comment?: string): Change =>
  route53(world).changes.save({
    key: `C${base32(19)}`,
    account: accountId,
    comment,
    submittedAt: world.clock.timestamp(),
    inSyncAt: world.in(world.timing.recordSyncSeconds),
  })

export function getChange(world: World, caller: Caller, { Id }: { Id: string }) {
  const change = route53(world).changes.get(Id)
  if (change?.account !== caller.accountId) {
    throw new CloudError('NoSuchChange', `Could not find resource with ID: ${Id}`, 404)
  }
  return dnsReply('GetChangeResponse', { ChangeInfo: changeInfo(world, change) })
}

export const changeInfo = (world: World, { key, comment, submittedAt, inSyncAt }: Change) => ({
  Id: `/change/${key}`,
  Status: world.clock.now() >= inSyncAt ? 'INSYNC' : 'PENDING',
  SubmittedAt: new Date(submittedAt),
  Comment: comment,
})
