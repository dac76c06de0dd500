import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { GitHostNotConfigured } from '../adapter/errors.ts'
import type { OAuthClient } from '../adapter/githostb.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { findInstance } from '../githostb-instances/store.ts'
import { sealedClientSecrets } from '../githostb-instances/tables.ts'

/** GitLab server with Sluice's OAuth application there. */
export interface RegisteredInstance {
  baseUrl: string
  clientId: string
  /** Decrypts the client secret, which only token requests need. */
  openClient(): OAuthClient
}

/** Returns the organization's instance with this id, or the public one for null. Undefined if it does not exist. */
export async function findRegistered(
  db: Db,
  { seal, hosts }: { seal: Seal; hosts: GitHosts },
  organizationId: string,
  instanceId: string | null,
): Promise<RegisteredInstance | undefined> {
  if (instanceId === null) {
    const { url, client } = hosts.hostedB
    if (!client) throw new GitHostNotConfigured('This server has no application at the second git host.')
    return { baseUrl: url, clientId: client.clientId, openClient: () => client }
  }
  const instance = await findInstance(db, organizationId, instanceId)
  if (!instance) return undefined
  const { baseUrl, clientId, sealedClientSecret } = instance
  const place = createSealContext(sealedClientSecrets, organizationId, instance.id, baseUrl)
  return { baseUrl, clientId, openClient: () => ({ clientId, clientSecret: seal.open(place, sealedClientSecret) }) }
}
