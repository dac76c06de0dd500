import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { eventSecretHeader } from '@sluice/contract'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { insertInvitation } from '../../identity/invitations/store.ts'
import { insertMembership } from '../../identity/memberships/store.ts'
import { hashPassword } from '../../identity/organizations/passwords.ts'
import { insertUser, setPassword } from '../../identity/users/store.ts'
import { hashOf, newToken } from '../../platform/auth/token.ts'
import { newId } from '../../platform/ids.ts'
import { canary, pausingBeforeShifts } from '../../testing/strategies.ts'
import type { World } from '../../testing/world.ts'

/** Request that needs knowledge beyond the description. */
export type InsideRequest = { operation: string; path: string; headers?: Record<string, string>; body: unknown }

/** Operations that the insider's requests must reach, because they need a password, a token or the cloud. */
export const insideOperations = [
  'login',
  'acceptInvitation',
  'connectCloudAccount',
  'receiveCloudEvent',
  'createDeployment',
  'continueDeployment',
] as const

/** Creates an owner who knows passwords, tokens and secrets, and has services that can be deployed. */
export async function createInsider(world: World) {
  const { db } = world
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const pausing = await org.service(pausingBeforeShifts(canary))
  const paused = await org.deploy(pausing.moduleInstanceId)
  const hookId = await org.untilPaused(paused.id)
  const email = `insider@${org.id}.example`.replace('_', '-')
  const password = randomBytes(12).toString('hex')
  const user = await insertUser(db, { email, fullName: 'Ina Insider', globalRole: 'USER' })
  await setPassword(db, user.id, await hashPassword(password))
  const { id: membershipId } = await insertMembership(db, { organizationId: org.id, userId: user.id, role: 'OWNER' })

  async function invite(): Promise<string> {
    const token = newToken('')
    const expiresAt = new Date(Date.now() + 86_400_000)
    const offer = { email: `${randomUUID()}@example.com`, role: 'VIEWER', invitedById: membershipId } as const
    await insertInvitation(db, { organizationId: org.id, ...offer, tokenHash: hashOf(token), expiresAt }, new Date())
    return token
  }

  /** Creates an account that waits for its role, and the role in the cloud. */
  async function prepareAccount(): Promise<{ id: string; roleArn: string }> {
    const id = newId('ca')
    const roleArn = `arn:aws:iam::${randomInt(1e11, 1e12 - 1)}:role/sluice`
    const externalId = randomBytes(16).toString('hex')
    await world.cloud.putRole({ roleArn, externalId })
    const status = 'AWAITING_CONNECTION'
    const named = { name: 'Fuzzed', givenId: id.replace('_', '-') }
    const secret = { externalId, eventSecretHash: hashOf(randomUUID()) }
    await db.insert(cloudAccounts).values({ id, organizationId: org.id, ...named, status, ...secret })
    return { id, roleArn }
  }

  const deploy = (moduleInstanceId: string) => ({
    operation: 'createDeployment',
    path: '/deployments',
    body: { data: { moduleInstanceId, description: randomUUID(), inputs: { image_ref: 'shop/app:2' } } },
  })

  return {
    token: org.client.token,
    byPath: {
      'cloud-accounts': org.cloudAccountId,
      'module-instances': moduleInstanceId,
      deployments: paused.id,
    },
    /** Returns one valid request for each of the operations, usable once. */
    async round(): Promise<InsideRequest[]> {
      const account = await prepareAccount()
      return [
        // From an address of its own, because password guesses have exhausted the limit of the others.
        {
          operation: 'login',
          path: '/auth/login',
          headers: { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` },
          body: { data: { email, password } },
        },
        {
          operation: 'acceptInvitation',
          path: '/invitations/accept',
          body: { data: { token: await invite(), fullName: 'Nora New', password } },
        },
        {
          operation: 'connectCloudAccount',
          path: `/cloud-accounts/${account.id}/connect`,
          body: { data: { roleArn: account.roleArn } },
        },
        {
          operation: 'receiveCloudEvent',
          path: `/cloud-accounts/${org.cloudAccountId}/events`,
          headers: { [eventSecretHeader]: org.eventSecret },
          body: {
            id: randomUUID(),
            source: 'aws.ecs',
            'detail-type': 'ECS Deployment State Change',
            account: org.accountNumber,
            time: new Date().toISOString(),
            region: 'eu-west-1',
            resources: [pausing.serviceArn],
            detail: {},
          },
        },
        deploy(moduleInstanceId),
        deploy(pausing.moduleInstanceId),
        { operation: 'continueDeployment', path: `/deployments/${paused.id}/continue`, body: { data: { hookId } } },
      ]
    },
  }
}

export type Insider = Awaited<ReturnType<typeof createInsider>>
