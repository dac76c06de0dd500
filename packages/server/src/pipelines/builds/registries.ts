import { hash } from 'node:crypto'
import type { RegistryDestination } from '@sluice/contract/runner-protocol'
import { createRegistryClient, parseJsonObject, RegistryDenied } from '@sluice/outbound/registry'
import { OutboundError, type SendOutbound } from '@sluice/outbound/send'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { ensureRepository, findImage, type RegistryAccess, registryAccess } from '../../cloud/adapter/registry.ts'
import type { AccountRegistry, OtherRegistry } from '../runner/order.ts'
import { StepFailure } from '../runner/step-failure.ts'

/** Operations on an image repository that builds need. */
export type Registry = {
  /** Creates the repository if the registry supports it. */
  expect(): Promise<void>
  find(id: { imageTag: string } | { imageDigest: string }): Promise<{ digest: string; sizeBytes: number } | undefined>
  /** Returns the credentials for pushing. */
  access(): Promise<RegistryAccess & Pick<RegistryDestination, 'isCloudAccounts'>>
}

/** Returns a repository of the account's own registry, using the cloud's API. */
export const accountRegistry = (
  images: CloudClients['images'],
  { arn, repository }: Pick<AccountRegistry, 'arn' | 'repository'>,
): Registry => ({
  async expect() {
    if ((await ensureRepository(images, repository)) === arn) return
    const message = `The repository ${arn} is none of the cloud account's own registry.`
    throw new StepFailure('artifactNotPublished', message)
  },
  find: (id) => findImage(images, repository, id),
  access: async () => ({ ...(await registryAccess(images)), isCloudAccounts: true }),
})

/** Media types of image manifests. */
const accepted = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ')

/** Returns a repository of any other registry, using the common API: OCI distribution 1.1, "Pulling manifests". */
export function otherRegistry(send: SendOutbound, { host, repository, access }: OtherRegistry): Registry {
  const endpoint = `${isLoopback(host) ? 'http' : 'https'}://${host}`
  const ask = createRegistryClient(send, { endpoint, repository, ...access }, 'pull')
  return {
    expect: async () => {},
    access: async () => ({ endpoint, ...access }),
    async find(id) {
      const url = `${endpoint}/v2/${repository}/manifests/${'imageTag' in id ? id.imageTag : id.imageDigest}`
      const { status, body } = await ask({ method: 'GET', url, headers: { accept: accepted } }).catch((error) => {
        throw notAsked(host, reasonOf(error))
      })
      if (status === 404) return undefined
      if (status !== 200) throw notAsked(host, `It answers ${status} to a request for ${repository}.`)
      return { digest: `sha256:${hash('sha256', body, 'hex')}`, sizeBytes: sizeIn(body) }
    },
  }
}

/** Matches loopback addresses, which container tools contact without TLS. */
const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)

/**
 * Returns the message of a registry error.
 * @throws {unknown} any other error
 */
function reasonOf(error: unknown): string {
  if (error instanceof RegistryDenied) return error.message
  if (!(error instanceof OutboundError)) throw error
  return error.trouble === 'NOT_ALLOWED'
    ? 'It is in a network that this service may not call: an operator can allow it with SLUICE_OUTBOUND_ALLOW.'
    : error.message
}

/** Returns the image size from its manifest; 0 for an image index, which does not have it. */
function sizeIn(body: string): number {
  const { config, layers = [] } = parseJsonObject(body) as { config?: { size?: number }; layers?: { size?: number }[] }
  return [config, ...layers].reduce((sum, part) => sum + (part?.size ?? 0), 0)
}

const notAsked = (host: string, description: string): StepFailure =>
  new StepFailure('artifactNotPublished', `The images of the registry ${host} cannot be listed.`, { description })
